"""Tall, small and exact: the fastest rival of each kind, at equal accuracy, certificates on.

Everyone in turn in one process, after one turn to warm up: the fewest processor seconds, and those of the clock. A
rival that has a tolerance runs at the loosest of a ladder that reaches the accuracy of the case. One more turn shows by
how much the memory of the process grows.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from rich.table import Table

from benchmarks.clock import clocked
from benchmarks.field import OURS
from benchmarks.peak import peak_growth

LADDER = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)


class Case(NamedTuple):
    """Contenders that answer the same question.

    Attributes
    ----------
    contenders : name -> function of a tolerance that gives an answer, ours first.
    judge : how far an answer is from the best, or how good it is: smaller is better.
    target : what `judge` must say of an answer at most.
    unit : what `judge` measures.
    bar : how many times as fast as the best rival ours has promised to be.
    """

    name: str
    contenders: dict[str, Callable[[float], Any]]
    judge: Callable[[Any], float]
    target: float
    unit: str
    bar: float


class Timed(NamedTuple):
    """One contender: fewest seconds of the processor and by the clock, peak of memory, and what the judge says."""

    case: str
    who: str
    cpu: float
    wall: float
    peak: float
    accuracy: float
    unit: str
    bar: float


def tall_race(cases: Iterable[Case], turns: int, limit: float, only: str = "") -> Iterator[Timed]:
    """Every case whose name contains `only`."""
    for case in cases:
        if only.lower() not in case.name.lower():
            continue
        chosen = {who: _loosest(fit, case, limit) for who, fit in case.contenders.items()}
        best = {who: (float("inf"), float("inf")) for who in chosen}
        for _ in range(turns):
            for who, (tol, _, spent) in chosen.items():
                if spent < limit / turns:
                    wall, cpu, _ = clocked(case.contenders[who], tol)
                    best[who] = min(best[who], (cpu, wall))
        for who, (_, accuracy, spent) in chosen.items():
            cpu, wall = best[who] if best[who][0] < float("inf") else (spent, spent)
            peak = peak_growth(lambda: clocked(case.contenders[who], chosen[who][0]))  # noqa: B023
            yield Timed(case.name, who, cpu, wall, peak, accuracy, case.unit, case.bar)


def tall_table(rows: Iterable[Timed]) -> Table:
    """One row a case and contender."""
    rows = list(rows)
    table = Table(
        title="Tall, small and exact (fewest processor seconds, certificates on)", title_justify="left",
        caption_justify="left",
    )  # fmt: skip
    for heading in ("case", "who"):
        table.add_column(heading)
    for heading in ("cpu s", "wall s", "ratio", "bar", "peak MB", "accuracy"):
        table.add_column(heading, justify="right")
    table.caption = (
        "ratio: processor seconds of the rival over ours; bar: what the best rival's should be; peak: growth of the "
        "process's memory."
    )
    ours = {row.case: row.cpu for row in rows if row.who == OURS}
    for row in rows:
        ratio = "" if row.who == OURS else f"{row.cpu / ours[row.case]:.2f}"
        bar = f"{row.bar:g}" if row.who == OURS else ""
        table.add_row(
            row.case,
            row.who,
            f"{row.cpu:.4g}",
            f"{row.wall:.4g}",
            ratio,
            bar,
            f"{row.peak / 1e6:.1f}",
            f"{row.accuracy:.2g} {row.unit}",
        )
    return table


def _loosest(fit: Callable[[float], Any], case: Case, limit: float) -> tuple[float, float, float]:
    """(tolerance, accuracy, seconds) of the first rung whose answer is good enough; the last one within the limit."""
    for tol in LADDER:
        _, spent, answer = clocked(fit, tol)
        accuracy = case.judge(answer)
        if accuracy <= case.target or spent > limit:
            break
    return tol, accuracy, spent
