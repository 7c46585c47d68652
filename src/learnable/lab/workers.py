"""Work in processes of its own: it can be cancelled at any moment, has a time limit, and never blocks other work."""

import gzip
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from learnable.lab.limits import Limits, Refused

HEAVY = "learnable.lab.warm"
"""What every process needs; imported once, in the process that all others are copies of (where the system can)."""

# Bytes of an answer from which compressing it pays.
LARGE = 2_000


def context() -> Any:
    """How processes are made: copied from a clean one that has imported the library, else begun afresh."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload([HEAVY])
    return made


class Stopped(Exception):
    """The work was cancelled."""


class Worker:
    """One process, begun when there is work and kept until it is stopped; one piece of work at a time."""

    def __init__(self, limits: Limits):
        self.limits = limits
        self.steps = 0
        self._busy = threading.Lock()
        self._ending = threading.Lock()  # a stop comes before the end of the work, or after it
        self._process: Any = None
        self._pipe: Connection | None = None
        self._stopped = threading.Event()

    @property
    def busy(self) -> bool:
        return self._busy.locked()

    def reserve(self) -> None:
        """Take the place, at once: work that has been accepted can be stopped before its process has begun."""
        if not self._busy.acquire(blocking=False):
            raise Refused("work is still going on here; cancel it first, or wait", 409)
        self._stopped.clear()
        self.steps = 0

    def perform(self, name: str, asked: dict[str, Any], seconds: float) -> bytes:
        """The answer, compressed where it is large, in a place that is reserved; else `Refused` or `Stopped`."""
        try:
            return self._worked(name, asked, seconds)
        finally:
            with self._ending:
                if self._stopped.is_set():
                    self._end()
                self._busy.release()

    def stop(self) -> None:
        """End the process, whatever it is at."""
        with self._ending:
            self._stopped.set()
            if not self.busy:
                self._end()

    def _worked(self, name: str, asked: dict[str, Any], seconds: float) -> bytes:
        if self._stopped.is_set():
            raise Stopped
        pipe = self._begun()
        ends = time.monotonic() + seconds
        try:
            pipe.send((name, asked))
            while True:
                if self._stopped.is_set():
                    raise Stopped
                if time.monotonic() > ends:
                    raise Refused(f"it took longer than {seconds:g} seconds and was stopped; ask for less", 408)
                if not pipe.poll(0.05):
                    continue
                kind, content = pipe.recv()
                if kind == "steps":
                    self.steps = content
                elif kind == "done":
                    return content
                else:
                    raise Refused(*content)
        except (EOFError, OSError) as fault:
            self._end()
            raise Refused(
                "the process of this run has ended (it may have run out of memory); run it again", 500
            ) from fault
        except Refused as fault:
            if fault.code == 408:
                self._end()
            raise
        except Stopped:
            self._end()
            raise

    def _begun(self) -> Connection:
        if self._process is not None and self._process.is_alive() and self._pipe is not None:
            return self._pipe
        self._end()
        made = context()
        self._pipe, theirs = made.Pipe()
        self._process = made.Process(target=work, args=(theirs, self.limits), daemon=True, name="learnable lab: work")
        self._process.start()
        theirs.close()
        return self._pipe

    def _end(self) -> None:
        process, pipe, self._process, self._pipe = self._process, self._pipe, None, None
        if pipe is not None:
            pipe.close()
        if process is not None:
            process.kill()
            process.join(5.0)


def work(pipe: Connection, limits: Limits) -> None:
    """What the process does: answer until the pipe closes or the lab is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the lab, which stops its processes
    threading.Thread(target=_leave_with_the_lab, daemon=True).start()
    _bounded(limits)
    from learnable.lab.bench import Bench, as_bytes

    told = 0.0

    def seen(number: int) -> None:
        nonlocal told
        if time.monotonic() > told + 0.2:
            told = time.monotonic()
            pipe.send(("steps", number))

    bench = Bench(limits, seen)
    while True:
        try:
            name, asked = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(_answered(lambda question: as_bytes(bench.answer(*question)), (name, asked)))


def _answered(answer: Callable[[Any], bytes], question: Any) -> tuple[str, Any]:
    try:
        content = answer(question)
        return "done", gzip.compress(content, 5, mtime=0) if len(content) > LARGE else content
    except Refused as fault:
        return "refused", (str(fault), fault.code)
    except MemoryError:
        return "refused", ("there is not enough memory for this; ask for less", 400)
    except Exception as fault:  # a bug must not take the bench along
        return "refused", (f"a bug in learnable: {type(fault).__name__}: {fault}", 500)


def _leave_with_the_lab() -> None:
    """A lab that is killed cannot stop its processes; they see that it is gone."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _bounded(limits: Limits) -> None:
    try:
        import resource
    except ImportError:  # not on this system
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = limits.memory if hard == resource.RLIM_INFINITY else min(limits.memory, hard)
    with suppress(ValueError, OSError):  # a system that does not bound it
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
