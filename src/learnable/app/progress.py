"""Where the work stands and how long it may still take: a bar on a terminal, lines in a log, nothing for machines."""

import sys
from time import monotonic as now
from typing import Protocol, TextIO

from learnable.app.errors import printable


class Progress(Protocol):
    """What the work reports to. One unit is one fit."""

    def begin(self, units: int, most: float | None = None) -> None:
        """The work consists of `units` fits, and ends after `most` seconds in any case."""

    def stage(self, text: str) -> None:
        """What is being done now."""

    def advance(self, units: int = 1) -> None:
        """So many fits are done, or will not be."""

    def note(self, text: str) -> None:
        """Something is finished and worth a line."""

    def close(self) -> None:
        """The work has ended, well or not."""


class Silent:
    """Says nothing."""

    def begin(self, units: int, most: float | None = None) -> None: ...
    def stage(self, text: str) -> None: ...
    def advance(self, units: int = 1) -> None: ...
    def note(self, text: str) -> None: ...
    def close(self) -> None: ...


class Lines:
    """One line for each thing finished, with the time left, for logs and pipes."""

    def __init__(self, stream: TextIO):
        self.stream = stream
        self.clock = Clock()

    def begin(self, units: int, most: float | None = None) -> None:
        self.clock = Clock(units, most)

    def stage(self, text: str) -> None:
        print(f"{printable(text)} ...", file=self.stream, flush=True)

    def advance(self, units: int = 1) -> None:
        self.clock.advance(units)

    def note(self, text: str) -> None:
        left = self.clock.left()
        estimate = "" if left is None else f" (about {duration(left)} left)"
        print(f"  {printable(text)}{estimate}", file=self.stream, flush=True)

    def close(self) -> None: ...


class Bar:
    """A live bar with the time left, notes above it."""

    def __init__(self, stream: TextIO):
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

        self.console = Console(file=stream)
        self.clock = Clock()
        self.bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            console=self.console,
            transient=True,
        )
        self.task = self.bar.add_task("", total=None, left="")
        self.bar.start()

    def begin(self, units: int, most: float | None = None) -> None:
        self.clock = Clock(units, most)
        self.bar.update(self.task, total=units, completed=0)

    def stage(self, text: str) -> None:
        self.bar.update(self.task, description=printable(text, 60))

    def advance(self, units: int = 1) -> None:
        self.clock.advance(units)
        left = self.clock.left()
        self.bar.update(self.task, advance=units, left="" if left is None else f"about {duration(left)} left")

    def note(self, text: str) -> None:
        self.bar.console.print(printable(text), markup=False, highlight=False)

    def close(self) -> None:
        self.bar.stop()


class Clock:
    """How long the work has gone on, and how much of it is done.

    >>> clock = Clock(4)
    >>> clock.left() is None
    True
    """

    def __init__(self, units: int = 0, most: float | None = None):
        self.units, self.most, self.done, self.start = units, most, 0, now()

    def advance(self, units: int) -> None:
        self.done += units

    def left(self) -> float | None:
        return time_left(now() - self.start, self.done, self.units, self.most)


def time_left(spent: float, done: int, units: int, most: float | None = None) -> float | None:
    """Time per unit so far × units left, or what a time limit leaves; None where nothing is known.

    >>> time_left(2.0, 1, 4), time_left(2.0, 1, 4, most=5.0), time_left(2.0, 0, 4)
    (6.0, 3.0, None)
    """
    if not done or not units:
        return None
    left = spent / done * max(units - done, 0)
    if most is None or left <= most - spent:
        return left
    return most - spent if spent < most else None


def duration(seconds: float) -> str:
    """A length of time for people.

    >>> duration(0.2), duration(45), duration(200), duration(8000)
    ('0.2 s', '45 s', '3 min 20 s', '2 h 13 min')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def for_stream(silent: bool, stream: TextIO | None = None) -> Progress:
    """The display that suits the stream (stderr unless told)."""
    stream = sys.stderr if stream is None else stream
    if silent:
        return Silent()
    return Bar(stream) if stream.isatty() else Lines(stream)
