"""One race a case: everyone tuned to the common accuracy, then run in turns, cold and warm apart."""

import math
import pickle
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from benchmarks.accuracy import YARDSTICKS
from benchmarks.field import OURS, Contender, contenders
from benchmarks.problems import Case
from benchmarks.runner import Failed, Runner, TooSlow, environment

# A fit shorter than this is repeated within its turn, so that the clock and the waking up do not decide.
TURN_SECONDS = 0.1


class Result(NamedTuple):
    """One contender on one case.

    Attributes
    ----------
    tol : the loosest tolerance that reaches the target; None when none does.
    accuracy : what the yardstick says of the answer at `tol`, or of the best answer when the target was missed.
    warm : seconds of the warm fits.
    cold : seconds of the first fit in a fresh process, import included; compiled kernels may come from disk.
    cold_compiling : the same with no compiled kernel on disk, where that makes a difference.
    note : why there is no figure, or why it does not count.
    """

    case: str
    contender: str
    tol: float | None = None
    accuracy: float | None = None
    warm: tuple[float, ...] = ()
    cold: float | None = None
    cold_compiling: float | None = None
    note: str = ""

    @property
    def median(self) -> float:
        """Median of the warm seconds; NaN when there are none."""
        return statistics.median(self.warm) if self.warm else math.nan

    @property
    def steady(self) -> bool:
        """Whether the slowest warm turn took at most twice the fastest.

        Threads that wait for one another stall when other programs hold the cores, by tenfold and more, and not for
        all contenders alike: a ratio of unsteady figures may even point the wrong way.
        """
        return bool(self.warm) and max(self.warm) <= 2.0 * min(self.warm)


class Course(NamedTuple):
    """How a race is run: the scale of the cases, warm turns, seconds allowed for a fit, whether cold fits are timed.

    Without cold fits a contender is tuned and timed in one process, which may find imports done and kernels on disk.
    """

    scale: float = 1.0
    turns: int = 5
    limit: float = 120.0
    cold: bool = True


def race(case: Case, course: Course) -> Iterator[Result]:
    """Everyone's result on the case, ours first."""
    problem = case.build(course.scale)
    target = YARDSTICKS[problem.family].target
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem.pickle"
        file.write_bytes(pickle.dumps(problem, protocol=5))
        field = contenders(problem)
        del problem
        if not course.cold:
            for each in field:
                with Runner(each, file, course.limit, ready=True) as runner:
                    yield _warm(runner, _tuned(runner, target, case.name), course)
            return
        with environment(LEARNABLE_CACHE_DIR=str(Path(folder) / "cache")):
            tuned = {each: tune(each, file, target, course.limit, case.name) for each in field}
            results = timed(tuned, file, course)
        for each in field:
            result = results[each]
            if each.name == OURS and result.warm and result.tol is not None:
                with environment(LEARNABLE_CACHE_DIR=str(Path(folder) / "empty")):
                    result = result._replace(cold_compiling=_first_call(each, file, result.tol, course.limit))
            yield result


def tune(contender: Contender, file: Path, target: float, limit: float, case: str = "") -> Result:
    """Bisect the ladder for the loosest tolerance whose answer reaches the target.

    A tighter tolerance is taken to give a better and slower answer. Only a rung that was run and reached the target
    counts, so a ladder that is not monotone costs speed, never accuracy.
    """
    with Runner(contender, file, limit) as runner:
        return _tuned(runner, target, case)


def _tuned(runner: Runner, target: float, case: str) -> Result:
    result, ladder = Result(case, runner.contender.name), runner.contender.ladder
    missed: list[float] = []
    first, last = 0, len(ladder)
    while first < last:
        rung = (first + last) // 2
        try:
            accuracy = runner.run(ladder[rung], measured=True).accuracy
        except TooSlow as slow:
            result, last = result._replace(note=str(slow)), rung
            continue
        except Failed as failure:
            return result._replace(note=str(failure))
        if accuracy <= target:
            result, last = result._replace(tol=ladder[rung], accuracy=accuracy), rung
        else:
            missed.append(accuracy)
            first = rung + 1
    if result.tol is not None:
        return result._replace(note="")
    if missed:
        return result._replace(accuracy=min(missed), note=", ".join(filter(None, ["not reached", result.note])))
    return result


def timed(tuned: dict[Contender, Result], file: Path, course: Course) -> dict[Contender, Result]:
    """Cold and warm times, everyone in turn, so that a change of the machine's mood meets all alike."""
    results = dict(tuned)
    tols = {each: result.tol for each, result in tuned.items() if result.tol is not None}
    with ExitStack() as stack:
        runners = {each: stack.enter_context(Runner(each, file, course.limit)) for each in tols}
        spent = dict.fromkeys(tols, 0.0)
        for turn in range(course.turns + 1):
            order = list(runners) if turn % 2 == 0 else list(runners)[::-1]
            for each in order:
                if turn > 1 and spent[each] > course.limit:
                    continue  # one warm turn is enough of a slow one
                try:
                    seconds = runners[each].run(tols[each], for_seconds=TURN_SECONDS if turn else 0.0).seconds
                except Failed as failure:
                    runners.pop(each)
                    results[each] = results[each]._replace(note=str(failure))
                    continue
                spent[each] += sum(seconds)
                if turn == 0:
                    results[each] = results[each]._replace(cold=seconds[0])
                else:
                    # One figure a turn: its median.
                    results[each] = results[each]._replace(warm=(*results[each].warm, statistics.median(seconds)))
    return results


def _warm(runner: Runner, result: Result, course: Course) -> Result:
    """The tuned result with its warm turns, one after the other."""
    if result.tol is None:
        return result
    try:
        turns = [runner.run(result.tol, for_seconds=TURN_SECONDS / 2).seconds for _ in range(course.turns)]
    except Failed as failure:
        return result._replace(note=str(failure))
    return result._replace(warm=tuple(map(statistics.median, turns)))


def _first_call(contender: Contender, file: Path, tol: float, limit: float) -> float:
    with Runner(contender, file, limit) as runner:
        return runner.run(tol).seconds[0]
