"""A kernel in a file of its own, loaded time and again."""

import importlib.util
import sys
import warnings

import pytest

from learnable._jit.core import cache

TINY = """
import numpy as np
from learnable._jit.core.compile import kernel

@kernel
def k(x):
    return x + 1.0
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Run the kernel's file as a new process would: its numbers, its count of (hits, misses) and what was said."""
    monkeypatch.setenv("LEARNABLE_CACHE_DIR", str(tmp_path / "cache"))
    file = tmp_path / "tiny_kernel.py"

    def loaded(text=TINY, arguments=(2.0,)):
        file.write_text(text)
        spec = importlib.util.spec_from_file_location("tiny_kernel", file)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "tiny_kernel", module)
        monkeypatch.setattr(cache, "_said", False)
        exec(compile(text, file, "exec"), vars(module))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = [module.k(one) for one in arguments]
        stats = module.k.stats
        counts = sum(stats.cache_hits.values()), sum(stats.cache_misses.values())
        return found, counts, [str(one.message) for one in said]

    return loaded
