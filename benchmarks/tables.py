"""The tables as text, and everything as JSON."""

import json
import os
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.table import Table

from benchmarks.accuracy_table import METHODS, Digits
from benchmarks.field import OURS
from benchmarks.overhead import Bar, FitParts
from benchmarks.race import Result

PACKAGES = ("learnable", "numpy", "scipy", "scikit-learn", "glum", "celer", "skglm", "numba")


def race_table(results: Iterable[Result]) -> Table:
    """One row a contender; the ratio is its median over ours: above 1 we are quicker."""
    table = Table(title="The race, at equal accuracy", title_justify="left", caption_justify="left")
    for heading in ("case", "contender"):
        table.add_column(heading, overflow="fold")
    for heading in ("warm s", "min – max", "ratio", "accuracy", "tol", "cold s", "cold, compiling s"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("note", overflow="fold")
    table.caption = (
        "warm: median of the turns. ratio: rival / ours; ? where a spread is over twofold. "
        "accuracy: the family's yardstick. "
        "cold: import and first fit in a fresh process; compiling: with no kernel on disk."
    )
    results = list(results)
    ours = {result.case: result for result in results if result.contender == OURS and result.warm}
    case = None
    for result in results:
        if result.case != case and case is not None:
            table.add_section()
        spread = f"{_seconds(min(result.warm))} – {_seconds(max(result.warm))}" if result.warm else ""
        table.add_row(
            result.case if result.case != case else "",
            result.contender,
            _seconds(result.median if result.warm else None),
            spread,
            _ratio(result, ours.get(result.case)),
            "" if result.accuracy is None else f"{result.accuracy:.1e}",
            f"{result.tol:.0e}" if result.tol else "",
            _seconds(result.cold),
            _seconds(result.cold_compiling),
            result.note,
            style="bold" if result.contender == OURS else None,
        )
        case = result.case
    return table


def standings(results: Iterable[Result]) -> list[str]:
    """One line a case: how ours stands against the quickest rival that reached the accuracy."""
    lines = []
    results = list(results)
    for case in dict.fromkeys(result.case for result in results):
        ours = next((r for r in results if r.case == case and r.contender == OURS and r.warm), None)
        rivals = [r for r in results if r.case == case and r.contender != OURS and r.warm]
        if ours is None or not rivals:
            lines.append(f"{case}: no comparison")
            continue
        quickest = min(rivals, key=lambda r: r.median)
        doubt = "" if ours.steady and quickest.steady else ", unsteady: measure again on a quiet machine"
        lines.append(f"{case}: {quickest.median / ours.median:.2f} x the quickest rival ({quickest.contender}){doubt}")
    return lines


def digits_table(rows: Iterable[Digits]) -> Table:
    table = Table(title="Correct digits of least squares on ill-conditioned designs", title_justify="left")
    table.add_column("design")
    for heading in ("condition", *METHODS, "ours − best of LAPACK"):
        table.add_column(heading, justify="right")
    for row in rows:
        digits = (f"{row.digits[method]:.1f}" for method in METHODS)
        table.add_row(row.design, f"{row.condition:.0e}", *digits, f"{row.lead:+.1f}")
    return table


def parts_table(rows: Iterable[FitParts]) -> Table:
    table = Table(title="A fit and its parts (fastest of the repeats)", title_justify="left")
    for heading in ("model", "size"):
        table.add_column(heading)
    for heading in ("pose s", "bare loop s", "driven s", "driver", "certificate s", "fit s", "fit / (pose + bare)"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            row.model,
            row.size,
            *map(_seconds, (row.pose, row.bare, row.driven)),
            f"{row.driver_cost:+.1%}",
            *map(_seconds, (row.certificate, row.fit)),
            f"{row.fit_cost:+.1%}",
        )
    return table


def start_up_table(rows: Iterable[Bar]) -> Table:
    table = Table(title="Starting up", title_justify="left")
    table.add_column("what")
    for heading in ("median s", "fastest s", "bar s"):
        table.add_column(heading, justify="right")
    for row in rows:
        bar = "" if row.bar is None else f"{row.bar:.2f} {'kept' if row.fastest <= row.bar else 'MISSED'}"
        table.add_row(row.what, f"{row.median:.3f}", f"{row.fastest:.3f}", bar)
    return table


def machine(threads: int) -> dict:
    """Where the figures come from, the load included: on a busy machine they are worth less."""
    return {
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "threads": threads,
        "load": [round(value, 2) for value in os.getloadavg()],
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def machine_line(facts: dict) -> str:
    packages = ", ".join(f"{name} {found}" for name, found in facts["packages"].items() if found)
    return (
        f"{facts['processor']}, {facts['cores']} cores, {facts['threads']} threads for everyone, "
        f"load {facts['load'][0]}; Python {facts['python']}, {packages}"
    )


def write_json(path: Path, tables: dict) -> None:
    """Every table as a list of objects, the machine as one object."""
    content = {
        name: rows if isinstance(rows, dict) else [row._asdict() for row in rows] for name, rows in tables.items()
    }
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _ratio(result: Result, ours: Result | None) -> str:
    if result.contender == OURS or not result.warm or ours is None:
        return ""
    doubt = "" if result.steady and ours.steady else "?"
    return f"{doubt}{result.median / ours.median:.2f}"


def _seconds(value: float | None) -> str:
    """Three figures."""
    if value is None:
        return ""
    return f"{value:.3g}" if value < 100.0 else f"{value:.0f}"


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
