"""Best subsets: seconds to a proved optimum, and splicing beside abess on tables too wide for a proof."""

import statistics
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.problems import SEED


class SubsetRow(NamedTuple):
    """One case.

    Attributes
    ----------
    case, who : the table and the contender.
    cpu : median seconds of the processor for a fit, certificate included.
    rss : residual sum of squares over that of the best contender, the mean over the draws.
    note : what was proved.
    """

    case: str
    who: str
    cpu: float
    rss: float
    note: str


def table(n: int, p: int, k: int, rho: float, snr: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns of correlation rho^|i−j|, k effects of ±1, signal to noise `snr`."""
    rng = np.random.default_rng([SEED, seed])
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1.0 - rho**2) * X[:, j]
    beta = np.zeros(p)
    beta[rng.choice(p, k, replace=False)] = rng.choice([-1.0, 1.0], k)
    signal = X @ beta
    return X, signal + rng.standard_normal(n) * signal.std() / np.sqrt(snr)


def subsets(scale: float, turns: int) -> Iterator[SubsetRow]:
    """Proved optima at p = 100, k = 10, n = 500, ρ = .5; splicing against abess at 500 × 2000, k = 10, ρ = .7."""
    n, p, k = (500, 100, 10) if scale >= 1.0 else (100, 15, 3)
    for snr in (10.0, 3.0, 1.0, 0.5):
        yield _proved(
            f"{n}x{p}, k={k}, ρ=.5, signal/noise {snr:g}", [table(n, p, k, 0.5, snr, s) for s in range(turns)], k
        )
    n, p, k = (500, 2000, 10) if scale >= 1.0 else (80, 100, 3)
    for snr in (3.0, 0.5):
        draws = [table(n, p, k, 0.7, snr, seed) for seed in range(max(turns, 2))]
        yield from _raced(f"{n}x{p}, k={k}, ρ=.7, signal/noise {snr:g}", draws, k)


def subsets_table(rows: Iterable[SubsetRow]) -> Table:
    """One row a case and contender."""
    found = Table(title="Best subsets (median processor seconds, certificate included)", title_justify="left")
    for heading in ("case", "who"):
        found.add_column(heading)
    for heading in ("cpu s", "rss / best"):
        found.add_column(heading, justify="right")
    found.add_column("note")
    for row in rows:
        found.add_row(row.case, row.who, f"{row.cpu:.3f}", f"{row.rss:.6f}", row.note)
    return found


def _proved(case: str, draws: list, k: int) -> SubsetRow:
    from learnable.sparse import BestSubset

    seconds, nodes, proved = [], [], 0
    for X, y in draws:
        began = time.process_time()
        model = BestSubset(k=k).fit(X, y)
        seconds.append(time.process_time() - began)
        nodes.append(model.n_nodes_)
        proved += model.certificate_.holds
    note = f"{proved} of {len(draws)} proved, {min(nodes)} to {max(nodes)} families"
    return SubsetRow(case, "BestSubset", statistics.median(seconds), 1.0, note)


def _raced(case: str, draws: list, k: int) -> Iterator[SubsetRow]:
    from learnable.sparse import SplicingSubset

    def ours(X, y):
        return SplicingSubset(k=k).fit(X, y)

    contenders = {"SplicingSubset": ours} | _abess(k)
    for fit in contenders.values():  # the first fit compiles
        fit(*draws[0])
    seconds: dict[str, list[float]] = {who: [] for who in contenders}
    sums: dict[str, list[float]] = {who: [] for who in contenders}
    for X, y in draws:
        for who, fit in contenders.items():
            began = time.process_time()
            model = fit(X, y)
            seconds[who].append(time.process_time() - began)
            sums[who].append(float(np.sum((y - model.predict(X)) ** 2)))
    best = np.min(list(sums.values()), axis=0)
    for who in contenders:
        ratio = np.array(sums[who]) / best
        note = f"best in {np.count_nonzero(ratio <= 1.0 + 1e-9)} of {len(draws)}"
        yield SubsetRow(case, who, statistics.median(seconds[who]), float(ratio.mean()), note)


def _abess(k: int) -> dict:
    try:
        from abess.linear import LinearRegression
    except ImportError:
        return {}
    return {"abess": lambda X, y: LinearRegression(support_size=k, thread=1).fit(X, y)}
