"""A kernel in a file of its own, loaded time and again; programs in new processes that have the compiler."""

import importlib.util
import json
import subprocess
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


PARENT = """
import json, os, sys, tempfile, traceback
import numba, scipy.linalg, scipy.special, scipy.stats
sys.dont_write_bytecode = True  # it would outlive an edit made within the second
for line in sys.stdin:
    children = []
    for program, path, variables in json.loads(line):
        said = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        child = os.fork()
        if child:
            children.append((child, said))
            continue
        for number, file in enumerate(said, start=1):
            os.dup2(file.fileno(), number)
        os.environ.update(variables)
        sys.path[:0] = path
        try:
            exec(compile(program, "program", "exec"), {"__name__": "__main__"})
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
    for child, _ in children:
        os.waitpid(child, 0)
    print(json.dumps([[file.seek(0) or file.read() for file in said] for _, said in children]), flush=True)
"""


@pytest.fixture(scope="module")
def at_once():
    """Runs (program, folders to import from, variables) at once and gives what each of them said: (stdout, stderr).

    Each in a process of its own: a fork of one that has imported the libraries that all need, and nothing of ours.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=pipe, stdout=pipe, text=True) as parent:

        def run(*programs):
            parent.stdin.write(json.dumps(programs) + "\n")
            parent.stdin.flush()
            return json.loads(parent.stdout.readline())

        yield run
        parent.stdin.close()
