"""What certifying costs: seconds of the certificate beside those of the rest of the fit, on our side of every race."""

import statistics
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from benchmarks import cases_tall, concepts, folded, hidden_markov, kernels, small, sparse_logistic, trees, unsupervised
from benchmarks.field import OURS, contenders
from benchmarks.problems import CASES

# What a certificate may take of the fit without it.
BAR = 0.25
TOL = 1e-4
# A job shorter than this is repeated, so that the clock does not decide.
TURN_SECONDS = 0.2


class Job(NamedTuple):
    """A benchmark case as we run it: `prepare` makes the data and gives the fit, or fits."""

    family: str
    name: str
    prepare: Callable[[], Callable[[], Any]]


class Share(NamedTuple):
    """Milliseconds of the fits of a case without their certificates, and of those."""

    family: str
    case: str
    fit: float
    certificate: float

    @property
    def share(self) -> float:
        return self.certificate / self.fit


def shares(scale: float, turns: int, only: str = "") -> Iterator[Share]:
    """Every case in whose "family: name" `only` stands; one run to warm up, then the median of the turns."""
    for job in jobs(scale):
        if only.lower() not in f"{job.family}: {job.name}".lower():
            continue
        with warnings.catch_warnings(), clocked() as spent:
            warnings.simplefilter("ignore")
            run = job.prepare()
            run()
            found = []
            for _ in range(turns):
                spent.update(fit=0.0, certificate=0.0)
                while spent["fit"] < TURN_SECONDS:
                    before = spent["fit"]
                    run()
                    if spent["fit"] == before:
                        break  # no fit of ours within
                found.append((spent["fit"] - spent["certificate"], spent["certificate"], spent["fit"] - before))
        if found[0][0] > 0.0:
            share = statistics.median(judged / bare for bare, judged, _ in found)
            whole = 1e3 * statistics.median(last for *_, last in found)
            yield Share(job.family, job.name, whole / (1.0 + share), whole * share / (1.0 + share))


def jobs(scale: float) -> Iterator[Job]:
    """The fits of the other commands, ours only; all of several penalties or tables where a case has them."""
    for case in CASES:
        if not case.name.endswith("predict"):
            yield Job("race", case.name, partial(_raced, case, scale))
    for name, ours, _, X, y in kernels.cases(scale < 1.0):
        yield Job("kernels", name, lambda ours=ours, X=X, y=y: partial(ours.fit, X, y))
    for case in small.cases():
        yield Job("small", case.name, lambda case=case: partial(case.ours.fit, *case.data))
    for name, (field, data, rows, *_) in trees.cases(scale).items():
        yield Job("trees", name, partial(_grown, field, data, rows))
    for case in unsupervised.cases(scale):
        yield Job("unsupervised", case.name, lambda case=case: case.ours)
    for case in hidden_markov.cases(scale):
        yield Job("hmm", case.name, lambda case=case: partial(case.ours, -1))
    for case in (folded.mcp(scale), folded.groups(scale)):
        yield Job("folded", case.name, lambda case=case: partial(case.ours, folded.TARGET))
    for problem in sparse_logistic.problems(scale):
        fit = sparse_logistic.contenders(problem)[OURS]
        yield Job("sparse-logistic", problem.name, lambda fit=fit: partial(fit, TOL))
    for case in cases_tall.tall_cases(scale):
        yield Job("tall", case.name, lambda case=case: partial(case.contenders[OURS], TOL))
    for job in concepts.jobs(scale):
        yield Job("concepts", f"{job.what} {job.size}", lambda job=job: job.run)


def shares_table(rows: Iterable[Share]) -> Table:
    """One row a case, the dearest certificate first."""
    rows = sorted(rows, key=lambda row: -row.share)
    above = [row for row in rows if row.share > BAR]
    table = Table(title="Certificates as a share of the fit without them", title_justify="left")
    table.caption = f"{len(above)} of {len(rows)} cases above {BAR:.0%}, {_long(above)} of them fits of 2 ms and more"
    for heading in ("family", "case"):
        table.add_column(heading)
    for heading in ("fit ms", "certificate ms", "share"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(row.family, row.case, f"{row.fit:.3g}", f"{row.certificate:.3g}", f"{row.share:.0%}")
    return table


@contextmanager
def clocked() -> Iterator[dict[str, float]]:
    """Seconds of whole fits and of their certificates, within the block; fits inside of fits count as part of these."""
    from learnable.base import learner

    spent, running = {"fit": 0.0, "certificate": 0.0}, []

    def timed(name: str, work: Callable) -> Callable:
        def with_clock(*arguments: Any, **named: Any) -> Any:
            if name in running:
                return work(*arguments, **named)
            running.append(name)
            begin = time.perf_counter()
            try:
                return work(*arguments, **named)
            finally:
                spent[name] += time.perf_counter() - begin
                running.remove(name)

        return with_clock

    learn, judge = learner.Learner._learn, learner.certificate_of
    learner.Learner._learn, learner.certificate_of = timed("fit", learn), timed("certificate", judge)  # type: ignore[method-assign]
    try:
        yield spent
    finally:
        learner.Learner._learn, learner.certificate_of = learn, judge  # type: ignore[method-assign]


def _raced(case: Any, scale: float) -> Callable[[], Any]:
    problem = case.build(scale)
    ours = next(each for each in contenders(problem) if each.name == OURS)
    return partial(ours.load(), problem, TOL if len(ours.ladder) > 1 else ours.ladder[0])


def _grown(field: Callable[[], dict], data: Callable[[int, int], tuple], rows: int) -> Callable[[], Any]:
    X, y = data(rows, 0)
    make = field()[OURS]
    return lambda: make().fit(X, y)


def _long(rows: list[Share]) -> int:
    return int(np.count_nonzero([row.fit >= 2.0 for row in rows]))
