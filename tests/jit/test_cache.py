"""Compiled kernels are cached across processes, and an edited formula never runs from a stale cache."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import learnable

PROGRAM = """
import json
import numpy as np
from learnable._jit.core.vectors import columns_of
from learnable._jit.core.compile import cache_folder
from learnable._jit.sparse.coordinate_descent import sweeps
from learnable.problems.sparse.penalties import L1
import learnable

X = np.asfortranarray(np.array([[1.0], [-1.0]]))
coef, residual = np.zeros(1), np.array([1.0, -1.0])
sweeps(columns_of(X), np.zeros(1), residual, np.zeros(1), 2.0, coef, np.ones(1), L1(0.25), np.zeros(1, int), 1, 0.0)
stats = sweeps.stats
print(json.dumps({
    "house": learnable.__file__, "answer": float(coef[0]), "folder": str(cache_folder()),
    "hits": sum(stats.cache_hits.values()), "misses": sum(stats.cache_misses.values()),
}))
"""


@pytest.fixture
def house(tmp_path):
    """A copy of the package that may be edited."""
    copy = tmp_path / "src" / "learnable"
    shutil.copytree(Path(learnable.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def run(house, cache):
    env = os.environ | {"PYTHONPATH": str(house.parent), "LEARNABLE_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert Path(found["house"]).parent == house
    return found


def test_second_process_hits_the_cache_and_an_edit_starts_anew(house, tmp_path):
    cache = tmp_path / "cache"
    first = run(house, cache)
    # One step of soft thresholding: 1 − 0.25.
    assert first["answer"] == 0.75
    assert (first["hits"], first["misses"]) == (0, 1)
    assert Path(first["folder"]).is_relative_to(cache)

    second = run(house, cache)
    assert second["folder"] == first["folder"]
    assert (second["answer"], second["hits"], second["misses"]) == (0.75, 1, 0)

    # The formula lives in another file than the kernel: Numba's own check would not notice.
    formulas = house / "problems" / "sparse" / "penalties.py"
    text = formulas.read_text()
    soft = "np.sign(x) * np.maximum(np.abs(x) - step * penalty.alpha, 0.0)"
    assert text.count(soft) == 1
    formulas.write_text(text.replace(soft, "2.0 * " + soft))
    third = run(house, cache)
    assert third["answer"] == 1.5
    assert third["folder"] != first["folder"]


def test_numba_settings_of_others_are_left_alone():
    import numba

    before = numba.config.CACHE_DIR
    from learnable._jit.core.compile import kernel

    @kernel
    def twice(x):
        return 2.0 * x

    assert twice(1.5) == 3.0
    assert before == numba.config.CACHE_DIR


def test_kernels_keep_nan_and_infinity():
    import numpy as np

    from learnable._jit.core.compile import kernel

    @kernel
    def worst(values):
        found = 0.0
        for v in values:
            if not np.isfinite(v):
                return v
            found = max(found, v)
        return found

    assert np.isnan(worst(np.array([1.0, np.nan])))
    assert worst(np.array([1.0, np.inf])) == np.inf
