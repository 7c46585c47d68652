"""A contender in a process of its own: the first call is cold, the later ones warm, and a late one can be ended."""

import math
import multiprocessing
import os
import pickle
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.accuracy import measure
from benchmarks.field import EVERYONE, Contender


class Request(NamedTuple):
    """Fit at `tol`, again and again for `for_seconds` (once at least); measure the last answer if asked."""

    tol: float
    measured: bool
    for_seconds: float


class Reply(NamedTuple):
    """Seconds of each fit (loading the library counts in the first of a process); the accuracy, if asked for."""

    seconds: list[float]
    accuracy: float = math.nan


class Failed(Exception):
    """The contender gave no answer: not installed, or an error of its own."""


class TooSlow(Failed):
    """No answer within the limit; at a looser tolerance there may be one."""


class Runner:
    """One contender on one problem, in a process of its own; a context manager.

    The process starts with the first call, and afresh with the call after one that failed.

    Parameters
    ----------
    contender : who runs.
    problem_file : a pickled `Problem`.
    limit : seconds after which a fit is ended.
    ready : whether its process may be the fork of one that has imported everyone, where the system has forks.
    """

    def __init__(self, contender: Contender, problem_file: Path, limit: float, ready: bool = False):
        self.contender, self.problem_file, self.limit = contender, problem_file, limit
        forks = ready and "forkserver" in multiprocessing.get_all_start_methods()
        self.begin = "forkserver" if forks else "spawn"
        self.process: BaseProcess | None = None

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *exception: object) -> None:
        self._end()

    def run(self, tol: float, measured: bool = False, for_seconds: float = 0.0) -> Reply:
        """Let the contender fit; raises `Failed` when it gives no answer."""
        if self.process is None:
            self._start()
        self.pipe.send(Request(tol, measured, for_seconds))
        try:
            # The measuring counts towards the limit too: it is far shorter than the limits in use.
            if not self.pipe.poll(self.limit + for_seconds):
                raise TooSlow(f"no answer in {self.limit:g} s")
            reply = self.pipe.recv()
        except EOFError:
            self._end()
            raise Failed("its process died") from None
        except TooSlow:
            self._end()
            raise
        if isinstance(reply, str):
            raise Failed(reply)
        return reply

    def _start(self) -> None:
        processes: Any = multiprocessing.get_context(self.begin)
        if self.begin == "forkserver":
            processes.set_forkserver_preload(["benchmarks.runner", *EVERYONE])
        self.pipe, theirs = processes.Pipe()
        self.process = processes.Process(target=_serve, args=(theirs, self.contender, self.problem_file), daemon=True)
        self.process.start()
        theirs.close()
        self.pipe.recv()  # the process is up and holds the problem: what follows is the contender's own time

    def _end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.pipe.close()
            self.process = None


def _serve(pipe: Connection, contender: Contender, problem_file: Path) -> None:
    # A solver that says it has not converged is judged by what it achieved.
    warnings.simplefilter("ignore")
    problem = pickle.loads(problem_file.read_bytes())
    pipe.send("ready")
    fit = None
    while True:
        try:
            request = pipe.recv()
        except EOFError:
            return
        try:
            seconds: list[float] = []
            while not seconds or sum(seconds) < request.for_seconds:
                start = time.perf_counter()
                if fit is None:
                    fit = contender.load()
                answer = fit(problem, request.tol)
                elapsed = time.perf_counter() - start
                seconds.append(elapsed if answer.seconds is None else answer.seconds)
            pipe.send(Reply(seconds, measure(problem, answer) if request.measured else math.nan))
        except ModuleNotFoundError as missing:
            pipe.send(f"not installed: {missing.name}")
        except Exception as error:
            pipe.send(f"{type(error).__name__}: {error}")


@contextmanager
def environment(**variables: str) -> Iterator[None]:
    """Environment variables for the processes started inside."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def thread_settings(threads: int) -> dict[str, str]:
    """The same number of threads for every BLAS and OpenMP in the race."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMBA_NUM_THREADS")
    return dict.fromkeys(names, str(threads))
