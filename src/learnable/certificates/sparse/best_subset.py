"""Best subset: the kept proof, computed again from the data. Syllabus: L1.

Families of subsets with a point each: the families cover all subsets of at most k columns, and at its point no
family's lower bound (`problems.sparse.subset`) is below the residual sum of the answer.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, optimize

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.problems.sparse.subset import FREE, INSIDE, OUTSIDE, ROUNDING, subset_bound


class Centred(NamedTuple):
    """Weighted and centred columns and target.

    Attributes
    ----------
    X, y : rows multiplied by √w, means taken off where the intercept is free.
    length : lengths of the columns, zero where they are constant.
    square : ‖y‖², or the smallest number above zero.
    """

    X: np.ndarray
    y: np.ndarray
    length: np.ndarray
    square: float

    def correlations(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the columns with each other and with y."""
        U = self.X / np.where(self.length > 0.0, self.length, np.inf)
        return U.T @ U, U.T @ self.y / np.sqrt(self.square)


def centred(X: Any, y: Any, sample_weight: Any, free_intercept: bool) -> Centred:
    """The data about their means."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    mean, y_mean = (w @ X / w.sum(), w @ y / w.sum()) if free_intercept else (np.zeros(X.shape[1]), 0.0)
    Z, t = X - mean, y - y_mean
    if sample_weight is not None:
        Z, t = np.sqrt(w)[:, None] * Z, np.sqrt(w) * t
    length = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    length[length <= 1e-13 * np.sqrt(len(y)) * np.abs(mean)] = 0.0
    return Centred(Z, t, length, max(float(t @ t), np.finfo(float).tiny))


@certifies("BestSubset")
def best_subset_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The answer is least squares on its subset, and no subset of at most k columns does better."""
    at = centred(X, y, sample_weight, model.fit_intercept)
    gram, cross = at.correlations()
    rss, claims = subset_answer_claims(model, at, X, y, sample_weight)
    decided, split = np.asarray(model.families_), np.asarray(model.split_)
    if len(decided):
        never = np.all(decided == OUTSIDE, axis=0)
        kept = np.flatnonzero(~never)
        uncovered = _spare(at, gram, np.flatnonzero(never), kept) + (not covers(decided[:, kept], model.k))
        G, D = gram[np.ix_(kept, kept)], split[kept]
        smallest = float(linalg.eigvalsh(G - np.diag(D), subset_by_index=(0, 0))[0]) if np.all(D > 0.0) else -np.inf
        lower = min(
            subset_bound(G, cross[kept], D, row, model.k, point[kept])
            for row, point in zip(decided[:, kept], np.asarray(model.points_))
        )
        claims += [
            Claim.at_most("L1", "the families of the proof leave subsets out (0 when they cover all)", uncovered, 0.0),
            Claim.at_most("L1", "the cross-products less the diagonal are positive semidefinite: −λ", -smallest, 1e-12),
        ]
    else:
        lower = _of_all_columns(at)
    gap = max(rss - min(lower, rss), 0.0)
    claims.append(
        Claim.at_most(
            "L1",
            f"residual sum of squares above the least over all subsets of at most {model.k} columns, at most (share of "
            "the target's)",
            gap,
            1.01 * model.tol * rss + 2.0 * ROUNDING,
        )
    )
    return claims


@certifies("BestSubsetMILP")
def milp_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The answer is least squares on its subset, and the program of the kept cuts has no lower value."""
    at = centred(X, y, sample_weight, model.fit_intercept)
    gram, cross = at.correlations()
    rss, claims = subset_answer_claims(model, at, X, y, sample_weight)
    split = np.asarray(model.split_)
    if len(model.points_):
        kept = np.flatnonzero(split > 0.0)
        G = gram[np.ix_(kept, kept)]
        smallest = float(linalg.eigvalsh(G - np.diag(split[kept]), subset_by_index=(0, 0))[0])
        lower = least_over_cuts(G, cross[kept], split[kept], np.asarray(model.points_)[:, kept], model.k)
        left_out = _spare(at, gram, np.flatnonzero(split == 0.0), kept)
        claims += [
            Claim.at_most("L1", "columns without a part in the proof that are no copies of others", left_out, 0.0),
            Claim.at_most("L1", "the cross-products less the diagonal are positive semidefinite: −λ", -smallest, 1e-12),
        ]
    else:
        lower = _of_all_columns(at)
    return [
        *claims,
        Claim.at_most(
            "L1",
            f"residual sum of squares above the least over all subsets of at most {model.k} columns, at most (share of "
            "the target's)",
            max(rss - lower, 0.0),
            1.01 * model.tol + 2.0 * ROUNDING,
        ),
    ]


def subset_answer_claims(model: Any, at: Centred, X: Any, y: Any, sample_weight: Any) -> tuple[float, list[Claim]]:
    """(RSS / ‖y‖² of the answer, claims that it is least squares on at most k columns)."""
    coef = np.asarray(model.coef_, dtype=float)
    support = np.flatnonzero(coef)
    w = np.ones(len(at.y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    residual = np.sqrt(w) * (np.asarray(y, dtype=float) - np.asarray(X, dtype=float) @ coef - model.intercept_)
    scale = np.sqrt(at.square)
    slope = np.abs(at.X[:, support].T @ residual) / (np.maximum(at.length[support], 1e-300) * scale)
    miss = abs(float(np.sqrt(w) @ residual)) / np.sqrt(w.sum()) / scale if model.fit_intercept else 0.0
    claims = [
        Claim.at_most("L1", "columns used", len(support), len(coef) if model.k is None else model.k),
        Claim.at_most(
            "R1",
            "the residual is orthogonal to every column of the subset and to the constant (largest correlation)",
            max(float(slope.max(initial=0.0)), miss),
            1e-9,
        ),
    ]
    return float(residual @ residual) / scale**2, claims


def covers(decided: np.ndarray, k: int) -> bool:
    """Whether the families (m, p) hold every subset of at most k columns.

    Where every family decides column j, those with it in must cover one half and those with it out the other.
    """
    waiting = [(np.arange(len(decided)), np.zeros(decided.shape[1], dtype=bool), 0)]
    while waiting:
        rows, settled, inside = waiting.pop()
        if inside > k or np.any(np.all((decided[rows] == FREE) | settled, axis=1)):
            continue
        common = np.flatnonzero(np.all(decided[rows] != FREE, axis=0) & ~settled)
        if not len(rows) or not len(common):
            return False
        j = common[0]
        settled = settled.copy()
        settled[j] = True
        waiting.append((rows[decided[rows, j] == INSIDE], settled, inside + 1))
        waiting.append((rows[decided[rows, j] == OUTSIDE], settled, inside))
    return True


def _of_all_columns(at: Centred) -> float:
    """RSS / ‖y‖² of all columns together, from the data themselves: no subset has less."""
    U = at.X[:, at.length > 0.0] / at.length[at.length > 0.0]
    coef = linalg.lstsq(U, at.y)[0] if U.shape[1] else np.zeros(0)
    residual = at.y - U @ coef
    return float(residual @ residual) / at.square


def least_over_cuts(gram: np.ndarray, cross: np.ndarray, split: np.ndarray, points: np.ndarray, k: int) -> float:
    """Lower bound of RSS(S) over |S| ≤ k from the cuts at the points, v_i(S) = f_i − Σ_{j∈S} g_ij.

    Written over the columns left out, z: the largest t ≥ 0 with t + Σ_j g_ij z_j ≤ max f − f_i + Σ_j g_ij for every cut
    and Σ z ≥ p − k is max f less the bound. HiGHS proves an upper bound of t; the value at its own subset limits it.

    >>> round(least_over_cuts(np.eye(3), np.array([0.8, 0.5, 0.1]), np.ones(3), np.zeros((1, 3)), 2), 9)
    0.11
    """
    p = len(cross)
    Qb = points @ (gram - np.diag(split))
    gains = np.square(cross - Qb) / split
    heights = 1.0 - np.sum(points * Qb, axis=1)
    top = float(heights.max())
    left_out = np.column_stack([gains, np.ones(len(points))])
    solved = optimize.milp(
        np.append(np.zeros(p), -1.0),
        constraints=[
            optimize.LinearConstraint(np.append(np.ones(p), 0.0), p - k, p),
            optimize.LinearConstraint(left_out, -np.inf, top - heights + gains.sum(axis=1)),
        ],
        bounds=optimize.Bounds(np.zeros(p + 1), np.append(np.ones(p), np.inf)),
        integrality=np.append(np.ones(p), 0.0),
        options={"mip_rel_gap": 0.0},
    )
    if solved.x is None:
        raise ArithmeticError(f"HiGHS gave up on the program of {len(points)} cuts: {solved.message}")
    chosen = solved.x[:p] < 0.5
    attained = float(np.max(heights - gains @ chosen))
    return min(top + float(solved.mip_dual_bound), attained)


def _spare(at: Centred, gram: np.ndarray, never: np.ndarray, kept: np.ndarray) -> int:
    """How many columns the proof never considers although they are neither constant nor multiples of one it does."""
    needed = [j for j in never if at.length[j] > 0.0 and not np.any(np.abs(gram[j, kept]) >= 1.0 - 1e-11)]
    return len(needed)


@certifies("SplicingSubset")
def splicing_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The answer is least squares on its subset, and no exchange of one column for another lowers its residual sum."""
    at = centred(X, y, sample_weight, model.fit_intercept)
    rss, claims = subset_answer_claims(model, at, X, y, sample_weight)
    best = min(rss, _after_best_exchange(at, np.flatnonzero(np.asarray(model.coef_))) / at.square)
    claims.append(
        Claim.at_most(
            "L1", "no exchange of one column for another lowers the residual sum (by which share of the target's)",
            max(rss - best, 0.0), 1e-9 * rss + ROUNDING,
        )
    )  # fmt: skip
    return claims


def _after_best_exchange(at: Centred, support: np.ndarray) -> float:
    """The least residual sum after one column has left the subset and another has entered."""
    if not len(support):
        return np.inf
    Q, R = np.linalg.qr(at.X[:, support] / at.length[support])
    inverse = linalg.solve_triangular(R, np.eye(len(support)))
    # Rows of `dual` times the data: parts along directions in the span that are orthogonal to all columns but one.
    spread = np.linalg.norm(inverse, axis=1, keepdims=True)
    dual = inverse / spread
    along, of_y = Q.T @ at.X, Q.T @ at.y
    residual = at.y - Q @ of_y
    inside, target = dual @ along, dual @ of_y
    left = float(residual @ residual) + target**2
    length = np.where(at.length > 0.0, at.length**2, 1.0)
    square = (at.length**2 - np.einsum("ij,ij->j", along, along)) + inside**2
    usable = square > 1e-8 * length
    gain = np.where(usable, (residual @ at.X + target[:, None] * inside) ** 2 / np.where(usable, square, 1.0), 0.0)
    gain[:, support] = 0.0
    return float(np.min(left - gain.max(axis=1, initial=0.0)))
