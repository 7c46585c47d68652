"""Splicing: exchange the columns that matter least inside a subset for those that promise most outside.

With β of least squares on S and d = c − Gβ: taking column j out of S costs at least β_j² G_jj, putting j in gains at
least d_j²/G_jj. The s least costly and the s most promising are exchanged if that lowers the residual sum, for s from
`exchange` down to 1. Where none does, every exchange of one column for another is weighed exactly: with M = G_SS⁻¹ and
T = G_{·S} M, leaving i adds β_i²/M_ii to the residual sum, and j then takes off (d_j + T_ji β_i/M_ii)² / (v_j + T_ji²/
M_ii), v_j = 1 − T_j·G_Sj. Columns of G are computed when first needed. Syllabus: L1.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy import linalg

# A column whose part outside the span of the others is shorter than this share of it cannot be told from rounding.
INDEPENDENT = 1e-8


class SplicingState(NamedTuple):
    """After an exchange (the first state is the start).

    Attributes
    ----------
    objective : RSS / ‖y‖².
    support : columns in the subset, sorted.
    coef : their coefficients, in units in which columns and y have length one.
    exchanges : made so far.
    """

    objective: float
    support: np.ndarray
    coef: np.ndarray
    exchanges: int


class GramColumns:
    """Correlations of all columns with those that were asked for: `of(support)` is (p, |support|)."""

    def __init__(self, compute: Callable[[np.ndarray], np.ndarray], n_columns: int):
        self.compute, self.place = compute, np.full(n_columns, -1)
        self.known = np.empty((n_columns, 0), order="F")

    def of(self, support: np.ndarray) -> np.ndarray:
        new = support[self.place[support] < 0]
        if len(new):
            self.place[new] = self.known.shape[1] + np.arange(len(new))
            self.known = np.asfortranarray(np.hstack([self.known, self.compute(new)]))
        return self.known[:, self.place[support]]


def iterates(columns: GramColumns, cross: np.ndarray, k: int, exchange: int) -> Iterator[SplicingState]:
    """States of the best subset so far, from two starts: the columns most correlated with y, and forward selection.

    The second start is taken up when the first has come to its end.

    Parameters
    ----------
    columns : correlations between columns, which have length one.
    cross : (p,) correlations of the columns with y.
    k : columns in the subset.
    exchange : columns spliced at once at most.
    """
    best = None
    for start in (_most_correlated, _forward):
        made = 0 if best is None else best.exchanges
        for state in _from(columns, cross, start(columns, cross, k), exchange):
            if best is None or _lower(state.objective, best.objective):
                best = state._replace(exchanges=made + state.exchanges)
                yield best


def _most_correlated(columns: GramColumns, cross: np.ndarray, k: int) -> np.ndarray:
    return np.argsort(-(cross**2), kind="stable")[:k]


def _forward(columns: GramColumns, cross: np.ndarray, k: int) -> np.ndarray:
    """One column after another, each the one that lowers the residual sum most.

    Gram–Schmidt on the columns chosen: r_j = c_j − Σ ρ_s (x_j·q_s) and v_j = 1 − Σ (x_j·q_s)² are what is left.
    """
    pull, square, basis = cross.copy(), np.where(cross == 0.0, 0.0, 1.0), np.empty((len(cross), 0))
    chosen: list[int] = []
    for _ in range(k):
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.where(square > INDEPENDENT, pull**2 / square, -1.0)
        gain[chosen] = -1.0
        j = int(np.argmax(gain))
        if gain[j] <= 0.0:
            return np.array(chosen + [i for i in range(len(cross)) if i not in chosen][: k - len(chosen)], dtype=int)
        along = (columns.of(np.array([j]))[:, 0] - basis @ basis[j]) / np.sqrt(square[j])
        pull = pull - along * (pull[j] / np.sqrt(square[j]))
        square, basis = square - along**2, np.column_stack([basis, along])
        chosen.append(j)
    return np.array(chosen, dtype=int)


def _from(columns: GramColumns, cross: np.ndarray, start: np.ndarray, exchange: int) -> Iterator[SplicingState]:
    """States until neither splicing nor any exchange of one column for another lowers the residual sum.

    Parameters
    ----------
    columns : correlations between columns, which have length one.
    cross : (p,) correlations of the columns with y.
    start : the first subset.
    """
    support = np.sort(start)
    coef, rss = _least_squares(columns, cross, support)
    made = 0
    while True:
        yield SplicingState(rss, support, coef, made)
        promise = (cross - columns.of(support) @ coef) ** 2
        promise[support] = -1.0
        for s in range(min(exchange, len(support), len(cross) - len(support)), 0, -1):
            leave, enter = np.argsort(coef**2)[:s], np.argpartition(-promise, s - 1)[:s]
            trial = np.sort(np.concatenate([np.delete(support, leave), enter]))
            trial_coef, trial_rss = _least_squares(columns, cross, trial)
            if _lower(trial_rss, rss):
                break
        else:
            trial = _best_swap(columns, cross, support, coef)
            trial_coef, trial_rss = _least_squares(columns, cross, trial)
            if not _lower(trial_rss, rss):
                return
        support, coef, rss = trial, trial_coef, trial_rss
        made += 1


def _lower(trial: float, rss: float) -> bool:
    return trial < rss * (1.0 - 1e-10) - 1e-14


def _best_swap(columns: GramColumns, cross: np.ndarray, support: np.ndarray, coef: np.ndarray) -> np.ndarray:
    """The subset after the exchange of one column for another that leaves the least residual sum."""
    if not 0 < len(support) < len(cross):
        return support
    beside = columns.of(support)
    M = linalg.pinvh(beside[support])
    T = beside @ M
    spread = np.diag(M)
    outside = np.ones(len(cross), dtype=bool)
    outside[support] = False
    d = (cross - beside @ coef)[outside, None] + T[outside] * (coef / spread)
    v = (1.0 - np.einsum("ij,ij->i", T, beside))[outside, None] + T[outside] ** 2 / spread
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.where(v > INDEPENDENT, d**2 / v, 0.0) - coef**2 / spread
    j, i = np.unravel_index(np.argmax(gain), gain.shape)
    return np.sort(np.append(np.delete(support, i), np.flatnonzero(outside)[j]))


def _least_squares(columns: GramColumns, cross: np.ndarray, support: np.ndarray) -> tuple[np.ndarray, float]:
    if not len(support):
        return np.zeros(0), 1.0
    G, c = columns.of(support)[support], cross[support]
    _, coef, failed = linalg.lapack.dposv(G, c, lower=1)
    if failed:
        coef = linalg.lstsq(G, c)[0]
    return coef, float(1.0 - c @ coef)
