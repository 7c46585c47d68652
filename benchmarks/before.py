"""Two checkouts of the library on the cases of the race, in turns: `python -m benchmarks before --checkout FOLDER`."""

import math
import pickle
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.accuracy import YARDSTICKS
from benchmarks.field import contenders
from benchmarks.problems import CASES, Case
from benchmarks.race import Course, Result, timed, tune

# Below this ratio the newer tree counts as slower.
LEAST_RATIO = 0.97


class Pair(NamedTuple):
    """One case in both trees."""

    case: str
    before: Result
    after: Result

    @property
    def ratio(self) -> float:
        """Time before over time after: above 1 the newer tree is quicker. The quickest turn of each, which other
        programs disturb least."""
        if not (self.before.warm and self.after.warm):
            return math.nan
        return min(self.before.warm) / min(self.after.warm)


def both_trees(checkout: Path, course: Course, only: str = "") -> Iterator[Pair]:
    """Every case whose name contains `only`, solved to the same accuracy by the library of `checkout` and by ours."""
    source = (checkout / "src").resolve()
    if not (source / "learnable").is_dir():
        raise SystemExit(f"--checkout {checkout}: holds no src/learnable; give the root of another checkout")
    for case in CASES:
        if only.lower() in case.name.lower():
            pair = _pair(case, str(source), course)
            Console(stderr=True).print(f"{pair.case}: {pair.ratio:.2f}", highlight=False)
            yield pair


def _pair(case: Case, source: str, course: Course) -> Pair:
    problem = case.build(course.scale)
    target = YARDSTICKS[problem.family].target
    after = contenders(problem)[0]
    before = after._replace(name="before", source=source)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem.pickle"
        file.write_bytes(pickle.dumps(problem, protocol=5))
        del problem
        results = timed(
            {each: tune(each, file, target, course.limit, case.name) for each in (before, after)}, file, course
        )
    return Pair(case.name, results[before], results[after])


def pairs_table(pairs: list[Pair]) -> Table:
    table = Table(title="Both trees, at equal accuracy", title_justify="left", caption_justify="left")
    table.add_column("case", overflow="fold")
    for heading in ("before s", "after s", "ratio", "tol before", "tol after"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("note", overflow="fold")
    slower = sum(pair.ratio < LEAST_RATIO for pair in pairs)
    table.caption = (
        f"quickest of the warm turns. ratio: before / after; below {LEAST_RATIO} in {slower} of {len(pairs)}."
    )
    for pair in pairs:
        times = (f"{min(each.warm):.4f}" if each.warm else "" for each in (pair.before, pair.after))
        tols = (f"{each.tol:.0e}" if each.tol else "" for each in (pair.before, pair.after))
        notes = ", ".join(filter(None, (pair.before.note, pair.after.note)))
        table.add_row(pair.case, *times, f"{pair.ratio:.2f}", *tols, notes)
    return table
