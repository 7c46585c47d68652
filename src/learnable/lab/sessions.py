"""Sessions: one for each open page, with its tables and its processes."""

import asyncio
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from learnable.lab.limits import Limits, Refused
from learnable.lab.workers import Worker

SLOTS = ("first", "second", "theory")


@dataclass
class Run:
    """A fit that was asked for: how it stands, and its answer once there is one."""

    number: int
    state: str = "running"
    answer: bytes = b""
    sentence: str = ""
    code: int = 200
    began: float = field(default_factory=time.monotonic)


class Session:
    """What one page has on the server; all of it lies in memory, none on disk."""

    def __init__(self, name: str, limits: Limits):
        self.name, self.limits = name, limits
        self.asked = time.monotonic()
        self.workers = {slot: Worker(limits) for slot in SLOTS}
        self.runs: dict[str, Run] = {}
        self.tables: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self.asking = asyncio.Lock()  # questions follow one another
        self._number = 0

    def worker(self, slot: str) -> Worker:
        if slot not in self.workers:
            raise Refused(f"there is no place {slot!r}; there are {', '.join(SLOTS)}", 404)
        return self.workers[slot]

    def begin(self, slot: str) -> Run:
        """A new run in a place, which is reserved for it."""
        self.worker(slot).reserve()
        self._number += 1
        self.runs[slot] = Run(self._number)
        return self.runs[slot]

    def keep(self, name: str, table: dict[str, Any]) -> None:
        self.tables[name] = table
        while len(self.tables) > self.limits.tables:
            self.tables.popitem(last=False)

    def close(self) -> None:
        for worker in self.workers.values():
            worker.stop()


class Sessions:
    """All sessions of a lab, never more than its limit; those that nobody uses any more are closed."""

    def __init__(self, limits: Limits):
        self.limits = limits
        self._open: dict[str, Session] = {}

    def __len__(self) -> int:
        return len(self._open)

    def open(self) -> Session:
        self.sweep()
        if len(self._open) >= self.limits.sessions:
            raise Refused(f"{self.limits.sessions} pages are open, which is the limit; close one and reload", 429)
        name = secrets.token_urlsafe(12)
        self._open[name] = Session(name, self.limits)
        return self._open[name]

    def get(self, name: str) -> Session:
        if name not in self._open:
            raise Refused("this session is closed; reload the page", 410)
        session = self._open[name]
        session.asked = time.monotonic()
        return session

    def close(self, name: str) -> None:
        session = self._open.pop(name, None)
        if session is not None:
            session.close()

    def sweep(self) -> None:
        """Close what has been idle for too long."""
        old = time.monotonic() - self.limits.idle_seconds
        for name in [name for name, session in self._open.items() if session.asked < old]:
            self.close(name)

    def close_all(self) -> None:
        for name in list(self._open):
            self.close(name)
