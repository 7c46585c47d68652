"""Programs in processes of their own that need not import what every one of them needs."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PARENT = """
import json, os, signal, sys, tempfile, traceback
import numba, scipy.linalg, scipy.special, scipy.stats, sklearn.base
sys.dont_write_bytecode = True  # it would outlive an edit made within the second
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where whoever began the tests ignores it
for line in sys.stdin:
    children = []
    for program, path, variables in json.loads(line):
        said = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        child = os.fork()
        if child:
            children.append((child, said))
            continue
        signal.alarm(300)  # one that would run for ever ends
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


@contextmanager
def forks() -> Iterator[Any]:
    """Runs (program, folders to import from, variables) at once and gives what each of them said: (stdout, stderr).

    Each is a fork of one process that has imported the libraries that all need, and nothing of ours.
    """
    if not hasattr(os, "fork"):
        yield begun_anew
        return
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=pipe, stdout=pipe, text=True) as parent:

        def run(*programs):
            parent.stdin.write(json.dumps(programs) + "\n")
            parent.stdin.flush()
            return json.loads(parent.stdout.readline())

        yield run
        parent.stdin.close()


def begun_anew(*programs):
    """The same where a system has no forks."""
    pipe, begun = subprocess.PIPE, []
    for program, path, variables in programs:
        found = os.environ | variables | {"PYTHONPATH": os.pathsep.join(map(str, path))}
        begun.append(subprocess.Popen([sys.executable, "-c", program], env=found, stdout=pipe, stderr=pipe, text=True))
    return [list(one.communicate(timeout=300)) for one in begun]
