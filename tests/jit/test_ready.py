"""Kernels that came with the package: read where the cache has none; any that could be wrong is compiled instead."""

import subprocess
import sys

import pytest
from numba.core.registry import cpu_target
from tests.jit.conftest import TINY

from learnable._jit.core import cache
from learnable._jit.core.ready import SHARED, shared

THIS = cpu_target.target_context.codegen().magic_tuple()


@pytest.fixture
def ready(load, tmp_path, monkeypatch):
    """The tiny kernel as a wheel would bring it, for this very processor; the cache is empty."""
    assert load() == ([3.0], (0, 1), [])
    (tmp_path / "cache").rename(tmp_path / "ready")
    monkeypatch.setenv("LEARNABLE_READY_DIR", str(tmp_path / "ready"))
    monkeypatch.setattr(cache, "shared", lambda processor: processor)
    (file,) = (tmp_path / "ready").rglob("*.nbc")
    return file


def test_a_ready_kernel_is_read_and_nothing_is_written(load, ready, tmp_path):
    whole = ready.read_bytes()
    assert load() == ([3.0], (1, 0), [])
    assert not list((tmp_path / "cache").rglob("*.nbc"))
    assert ready.read_bytes() == whole


def test_other_sources_signatures_processors_and_compilers_are_compiled(load, ready, monkeypatch, tmp_path):
    assert load(TINY.replace("1.0", "1000.0")) == ([1002.0], (0, 1), [])
    assert load(arguments=(2,)) == ([3.0], (0, 1), [])
    for other in (lambda processor: None, lambda processor: (*processor[:2], processor[2] + ",+more")):
        monkeypatch.setenv("LEARNABLE_CACHE_DIR", str(tmp_path / f"cache{id(other)}"))
        monkeypatch.setattr(cache, "shared", other)
        assert load() == ([3.0], (0, 1), [])
    monkeypatch.setattr(cache, "shared", lambda processor: processor)
    monkeypatch.setenv("LEARNABLE_CACHE_DIR", str(tmp_path / "fresh"))
    monkeypatch.setattr("learnable._jit.core.compile.COMPILER", "0.0")
    assert load() == ([3.0], (0, 1), [])


def test_a_damaged_ready_kernel_is_compiled_and_kept_in_the_cache(load, ready):
    ready.write_bytes(ready.read_bytes()[:-1])
    found, counts, said = load()
    assert (found, counts, len(said)) == ([3.0], (0, 1), 1)
    assert str(ready) in said[0]
    assert load() == ([3.0], (1, 0), [])


def test_no_instruction_is_taken_for_granted():
    for kind, (name, instructions) in SHARED.items():
        target = f"{kind}-unknown-linux-gnu"
        needed = instructions.split(",")
        assert shared((target, "newest", ",".join(["+more", *needed]))) == (target, name, instructions)
        for one in needed:
            lacking = [part for part in needed if part != one] + [one.replace("+", "-")]
            assert shared((target, "older", ",".join(lacking))) is None
    assert shared(("riscv64-unknown-linux-gnu", "generic-rv64", "+m,+a,+f,+d")) is None


FIRST_FIT = """
import os, numpy as np
from learnable.ensembles import DecisionStump
X = np.random.default_rng(0).standard_normal((200, 4))
DecisionStump().fit(X, X[:, 0] > 0).predict(X)
from learnable._jit.ensembles import stumps
found = [one.stats for one in vars(stumps).values() if hasattr(one, "stats")]
print(sum(sum(one.cache_hits.values()) for one in found), sum(sum(one.cache_misses.values()) for one in found))
"""


@pytest.mark.skipif(shared(THIS) is None, reason="this processor lacks instructions that ready kernels use")
def test_what_prepare_compiles_serves_a_first_fit(said, tmp_path):
    """As a wheel is built and used, in whole processes, for the processor that all share."""
    command = [sys.executable, "-m", "learnable", "prepare", "--only", "DecisionStump", "--jobs", "1", "--into"]
    done = subprocess.run([*command, str(tmp_path / "ready")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "DecisionStump: " in done.stdout
    places = {"LEARNABLE_READY_DIR": str(tmp_path / "ready"), "LEARNABLE_CACHE_DIR": str(tmp_path / "cache")}
    hits, misses = map(int, said(FIRST_FIT, **places).split())
    assert (hits > 0, misses, (tmp_path / "cache").exists()) == (True, 0, False)
