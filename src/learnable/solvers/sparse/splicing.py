"""Splicing: exchange the columns that matter least inside a subset for those that promise most outside.

With β of least squares on S and d = Xᵀ(y − X_S β): taking column j out of S costs at least β_j², putting j in gains at
least d_j², all columns having length one. The s least costly and the s most promising are exchanged if that lowers the
residual sum, for s from `exchange` down to 1. Where none does, every exchange of one column for another is weighed
exactly: with M = G_SS⁻¹ and T = G_{·S} M, leaving i adds β_i²/M_ii to the residual sum, and j then takes off
(d_j + T_ji β_i/M_ii)² / (v_j + T_ji²/M_ii), v_j = 1 − T_j·G_Sj. Syllabus: L1.
"""

from collections.abc import Iterator
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


class UnitTable(NamedTuple):
    """Columns and y of length one.

    Attributes
    ----------
    U, y : (n, p) and (n,); all zero where they are constant.
    """

    U: np.ndarray
    y: np.ndarray

    @property
    def cross(self) -> np.ndarray:
        """(p,) correlations of the columns with y."""
        return self.y @ self.U

    def gram(self, columns: np.ndarray) -> np.ndarray:
        """(m, p) correlations of these columns with all."""
        return self.U[:, columns].T @ self.U

    def among(self, columns: np.ndarray) -> np.ndarray:
        """(m, m) correlations of these columns with each other."""
        part = self.U[:, columns]
        return part.T @ part

    def left(self, support: np.ndarray, coef: np.ndarray) -> np.ndarray:
        """(p,) correlations of the columns with y − U_S β."""
        return (self.y - self.U[:, support] @ coef) @ self.U


class KnownGram(NamedTuple):
    """The same of columns whose correlations stand in a matrix already."""

    matrix: np.ndarray
    cross: np.ndarray

    def gram(self, columns: np.ndarray) -> np.ndarray:
        return self.matrix[columns]

    def among(self, columns: np.ndarray) -> np.ndarray:
        return self.matrix[np.ix_(columns, columns)]

    def left(self, support: np.ndarray, coef: np.ndarray) -> np.ndarray:
        return self.cross - coef @ self.matrix[support]


Columns = UnitTable | KnownGram


def iterates(columns: Columns, k: int, exchange: int) -> Iterator[SplicingState]:
    """States of the best subset so far, from two starts: the columns most correlated with y, and forward selection.

    The second start is taken up when the first has come to its end.

    Parameters
    ----------
    columns : correlations between columns, which have length one, and with y.
    k : columns in the subset.
    exchange : columns spliced at once at most.
    """
    cross, best = columns.cross, None
    for start in (_most_correlated, _forward):
        made = 0 if best is None else best.exchanges
        for state in _from(columns, cross, start(columns, cross, k), exchange):
            if best is None or _lower(state.objective, best.objective):
                best = state._replace(exchanges=made + state.exchanges)
                yield best
            elif np.array_equal(state.support, best.support):
                break  # nothing lowers the residual sum from here: the first start ended here


def _most_correlated(columns: Columns, cross: np.ndarray, k: int) -> np.ndarray:
    return np.argsort(-(cross**2), kind="stable")[:k]


def _forward(columns: Columns, cross: np.ndarray, k: int) -> np.ndarray:
    """One column after another, each the one that lowers the residual sum most.

    Gram–Schmidt on the columns chosen: r_j = c_j − Σ ρ_s (x_j·q_s) and v_j = 1 − Σ (x_j·q_s)² are what is left.
    """
    pull, square, basis = cross.copy(), np.where(cross == 0.0, 0.0, 1.0), np.zeros((k, len(cross)))
    chosen: list[int] = []
    for step in range(k):
        gain = np.where(square > INDEPENDENT, pull**2 / np.maximum(square, INDEPENDENT), -1.0)
        gain[chosen] = -1.0
        j = int(gain.argmax())
        if gain[j] <= 0.0:
            return np.array(chosen + [i for i in range(len(cross)) if i not in chosen][: k - len(chosen)], dtype=int)
        along = (columns.gram(np.array([j]))[0] - basis[:step, j] @ basis[:step]) / np.sqrt(square[j])
        pull -= along * (pull[j] / np.sqrt(square[j]))
        square -= along**2
        basis[step] = along
        chosen.append(j)
    return np.array(chosen, dtype=int)


def _from(columns: Columns, cross: np.ndarray, start: np.ndarray, exchange: int) -> Iterator[SplicingState]:
    """States until neither splicing nor any exchange of one column for another lowers the residual sum.

    Parameters
    ----------
    columns : correlations between columns, which have length one, and with y.
    cross : (p,) correlations of the columns with y.
    start : the first subset.
    """
    support = np.sort(start)
    coef, rss = _least_squares(columns.among(support), cross[support])
    made, k = 0, len(support)
    most = min(exchange, k, len(cross) - k)
    while True:
        yield SplicingState(rss, support, coef, made)
        left = columns.left(support, coef)
        # Inside by what leaving costs, then outside by what entering promises: exchanging s leaves a run of k columns.
        queue = np.concatenate([support[np.argsort(coef**2)], _most_promising(left, support, most)])
        gram, c = columns.among(queue), cross[queue]
        for s in range(most, 0, -1):
            run = slice(s, s + k)
            trial, (trial_coef, trial_rss) = queue[run], _least_squares(gram[run, run], c[run])
            if _lower(trial_rss, rss):
                break
        else:
            trial = _best_swap(columns, left, support, coef)
            trial_coef, trial_rss = _least_squares(columns.among(trial), cross[trial])
            if not _lower(trial_rss, rss):
                return
        order = np.argsort(trial)
        support, coef, rss = trial[order], trial_coef[order], trial_rss
        made += 1


def _lower(trial: float, rss: float) -> bool:
    return trial < rss * (1.0 - 1e-10) - 1e-14


def _most_promising(left: np.ndarray, support: np.ndarray, most: int) -> np.ndarray:
    """Columns outside that gain most by themselves, the best first."""
    promise = left**2
    promise[support] = -1.0
    best = np.argpartition(-promise, most - 1)[:most] if 0 < most < len(promise) else np.arange(most)
    return best[np.argsort(-promise[best], kind="stable")]


def _best_swap(columns: Columns, left: np.ndarray, support: np.ndarray, coef: np.ndarray) -> np.ndarray:
    """The subset after the exchange of one column for another that leaves the least residual sum."""
    if not 0 < len(support) < len(left):
        return support
    # Row i is about the i-th column inside, column j about the j-th of all.
    beside = columns.gram(support)
    M = _inverse(beside[:, support])
    T, spread = M @ beside, np.diag(M)[:, np.newaxis]
    adds = coef[:, np.newaxis] / spread
    d = left + T * adds
    v = (1.0 - np.einsum("ij,ij->j", T, beside)) + T * (T / spread)
    gain = np.where(v > INDEPENDENT, d * d / np.maximum(v, INDEPENDENT), 0.0) - coef[:, np.newaxis] * adds
    gain[:, support] = -np.inf
    i, j = np.unravel_index(np.argmax(gain), gain.shape)
    trial = support.copy()
    trial[i] = j
    return trial


def _inverse(G: np.ndarray) -> np.ndarray:
    factor, failed = linalg.lapack.dpotrf(G, lower=1)
    if failed:
        return linalg.pinvh(G)
    M, _ = linalg.lapack.dpotri(factor, lower=1, overwrite_c=True)
    return np.tril(M) + np.tril(M, -1).T


def _least_squares(G: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, float]:
    """(β with Gβ = c, RSS / ‖y‖²)."""
    if not len(c):
        return np.zeros(0), 1.0
    _, coef, failed = linalg.lapack.dposv(G, c, lower=1)
    if failed:
        coef = linalg.lstsq(G, c)[0]
    return coef, float(1.0 - c @ coef)
