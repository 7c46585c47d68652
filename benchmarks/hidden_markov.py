"""Hidden Markov models beside hmmlearn: the same start, the same 20 EM steps, the same log-likelihood; best paths.

Ours is the whole fit, certificate included. Of hmmlearn's two implementations the one that is faster on a small case
of the kind runs.
"""

import statistics
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.clock import clocked
from benchmarks.problems import SEED, share

STATES, WIDTH, SYMBOLS, STEPS = 16, 4, 64, 20
SMALL = 0.02


class Figure(NamedTuple):
    """Median seconds of ours and of the faster hmmlearn, by the clock and of the processor.

    Attributes
    ----------
    case : what is done. rival : the implementation of hmmlearn.
    wall, cpu : ours. rival_wall, rival_cpu : theirs.
    difference : of the log-likelihoods or path probabilities found, relative.
    """

    case: str
    rival: str
    wall: float
    cpu: float
    rival_wall: float
    rival_cpu: float
    difference: float


class Case(NamedTuple):
    """A job that both do: number of threads -> value found, and implementation of hmmlearn -> value found."""

    name: str
    ours: Callable[[int], float]
    theirs: Callable[[str], float]


def figures(scale: float, turns: int, threads: int, only: str = "") -> Iterator[Figure]:
    """Every case whose name contains `only`, ours and theirs in turns after a small one to warm up."""
    for case, small in zip(cases(scale), cases(SMALL)):
        if only.lower() not in case.name.lower():
            continue
        small.ours(threads)
        small.theirs("log")
        rival = min(("scaling", "log"), key=lambda which: clocked(small.theirs, which).processor)
        ours, theirs = [], []
        for _ in range(turns):
            ours.append(clocked(case.ours, threads))
            theirs.append(clocked(case.theirs, rival))
        wall, cpu = (statistics.median(each[i] for each in ours) for i in (0, 1))
        rival_wall, rival_cpu = (statistics.median(each[i] for each in theirs) for i in (0, 1))
        difference = abs(ours[0].found - theirs[0].found) / abs(theirs[0].found)
        yield Figure(case.name, rival, wall, cpu, rival_wall, rival_cpu, difference)


def figures_table(rows: Iterable[Figure]) -> Table:
    """One row a case."""
    table = Table(title="Hidden Markov models beside hmmlearn (medians)", title_justify="left", caption_justify="left")
    for heading in ("case", "hmmlearn"):
        table.add_column(heading)
    for heading in ("ours wall s", "cpu s", "theirs wall s", "cpu s", "ratio wall", "ratio cpu", "difference"):
        table.add_column(heading, justify="right")
    table.caption = "ratio: theirs / ours; difference: of the log-likelihoods after the same steps, relative."
    for row in rows:
        seconds = (f"{value:.2f}" for value in (row.wall, row.cpu, row.rival_wall, row.rival_cpu))
        ratios = (f"{row.rival_wall / row.wall:.2f}", f"{row.rival_cpu / row.cpu:.2f}")
        table.add_row(row.case, row.rival, *seconds, *ratios, f"{row.difference:.1e}")
    return table


def cases(scale: float) -> Iterator[Case]:
    """Many sequences and one long one, vectors and symbols; learning and decoding."""
    many, long = share(200, scale, 4), share(1_000_000, scale, 4000)
    for kind in ("diag", "full", "symbols"):
        yield learning(f"Baum-Welch {kind}, {many} x 1000", kind, [1000] * many)
    for kind in ("diag", "symbols"):
        yield learning(f"Baum-Welch {kind}, 1 x {long}", kind, [long])
    yield decoding(f"Viterbi diag, {many} x 1000", "diag", [1000] * many)
    yield decoding(f"Viterbi symbols, 1 x {long}", "symbols", [long])


def learning(name: str, kind: str, lengths: list[int]) -> Case:
    X, values = _drawn(kind, lengths)

    def ours(threads: int) -> float:
        model = _ours(kind, values, threads)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(X, lengths=lengths).log_likelihood_

    def theirs(implementation: str) -> float:
        model = _theirs(kind, values, implementation)
        model.fit(X, lengths)
        return model.score(X, lengths)

    return Case(name, ours, theirs)


def decoding(name: str, kind: str, lengths: list[int]) -> Case:
    X, values = _drawn(kind, lengths)

    def ours(threads: int) -> float:
        model = _ours(kind, values, threads)
        for key, value in values.items():
            setattr(model, f"{key}_", value)
        return model.decode(X, lengths)[0]

    return Case(name, ours, lambda implementation: _theirs(kind, values, implementation).decode(X, lengths)[0])


def _drawn(kind: str, lengths: list[int]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Observations of states that last a while, and a start some way off."""
    generator = np.random.default_rng(SEED)
    n, K = sum(lengths), STATES
    states = np.cumsum(generator.random(n) < 0.2) * 7 % K
    values = {"startprob": np.full(K, 1.0 / K), "transmat": generator.dirichlet(np.ones(K), size=K)}
    if kind == "symbols":
        cumulated = np.cumsum(generator.dirichlet(np.full(SYMBOLS, 0.3), size=K), axis=1)
        X = np.array([np.searchsorted(cumulated[k], u) for k, u in zip(states, generator.random(n))])
        values["emissionprob"] = generator.dirichlet(np.ones(SYMBOLS), size=K)
        return np.minimum(X, SYMBOLS - 1)[:, None], values
    means = 2.0 * generator.standard_normal((K, WIDTH))
    values["means"] = means + 0.5 * generator.standard_normal((K, WIDTH))
    values["covars"] = np.ones((K, WIDTH)) if kind == "diag" else np.tile(np.eye(WIDTH), (K, 1, 1))
    return means[states] + generator.standard_normal((n, WIDTH)), values


def _ours(kind: str, values: dict[str, np.ndarray], threads: int) -> Any:
    from learnable.sequences import CategoricalHMM, GaussianHMM

    start = {f"{name}_init": value for name, value in values.items()}
    settings = start | {"n_components": STATES, "n_iter": STEPS, "tol": 0.0, "n_jobs": threads}
    return CategoricalHMM(**settings) if kind == "symbols" else GaussianHMM(covariance_type=kind, **settings)


def _theirs(kind: str, values: dict[str, np.ndarray], implementation: str) -> Any:
    from hmmlearn import hmm

    settings = {"n_iter": STEPS, "tol": -np.inf, "init_params": "", "implementation": implementation}
    if kind == "symbols":
        model = hmm.CategoricalHMM(STATES, n_features=SYMBOLS, **settings)
    else:
        # A number would be added to every entry of a matrix, off the diagonal too.
        prior = 1e-2 if kind == "diag" else 1e-2 * np.eye(WIDTH)
        model = hmm.GaussianHMM(STATES, kind, covars_prior=prior, **settings)
        model.n_features = WIDTH
    for name, value in values.items():
        setattr(model, f"{name}_", value.copy())
    return model
