"""A contender in a process of its own: the first call is cold, the later ones warm, and a late one can be ended."""

import multiprocessing
import os
import pickle
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from benchmarks.accuracy import measure
from benchmarks.field import Contender


class Request(NamedTuple):
    """Fit at `tol`, again and again for `for_seconds` (once at least); measure the last answer if asked."""

    tol: float
    measured: bool
    for_seconds: float


class Reply(NamedTuple):
    """Seconds of each fit (loading the library counts in the first of the process) and the accuracy reached."""

    seconds: list[float]
    accuracy: float | None = None


class Failed(Exception):
    """The contender gave no answer: not installed, too slow, or an error of its own."""


class Runner:
    """A fresh process for one contender on one problem; a context manager.

    Parameters
    ----------
    contender : who runs.
    problem_file : a pickled `Problem`.
    limit : seconds after which a call is ended.
    """

    def __init__(self, contender: Contender, problem_file: Path, limit: float):
        self.limit = limit
        processes = multiprocessing.get_context("spawn")
        self.pipe, theirs = processes.Pipe()
        self.process = processes.Process(target=_serve, args=(theirs, contender, problem_file), daemon=True)
        self.process.start()
        theirs.close()
        self.pipe.recv()  # the process is up and holds the problem: what follows is the contender's own time

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()

    def run(self, tol: float, measured: bool = False, for_seconds: float = 0.0) -> Reply:
        """Let the contender fit; raises `Failed` when it gives no answer in time."""
        self.pipe.send(Request(tol, measured, for_seconds))
        # Twice the limit for the whole call: a burst that began within the limit may end after it.
        if not self.pipe.poll(self.limit + for_seconds):
            raise Failed(f"no answer in {self.limit:.0f} s")
        try:
            reply = self.pipe.recv()
        except EOFError:
            raise Failed("its process died") from None
        if isinstance(reply, str):
            raise Failed(reply)
        return reply


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
                seconds.append(time.perf_counter() - start)
            pipe.send(Reply(seconds, measure(problem, answer) if request.measured else None))
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
