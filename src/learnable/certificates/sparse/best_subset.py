"""Best subset: the kept proof, computed again from the data. Syllabus: L1.

Families of subsets with a point each: the families cover all subsets of at most k columns, and at its point no
family's lower bound (`problems.sparse.subset`) is below the residual sum of the answer.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, optimize

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.reported import reported
from learnable.certificates.sparse.answer import coefficients, fixed_intercept, intercepts
from learnable.problems.sparse.subset import FREE, INSIDE, OUTSIDE, ROUNDING, subset_bound

# How far above the least residual sum a subset that is called best may be: of its own, or of the target's squares.
PROVED = 1e-8
# The largest correlation that counts as none.
ORTHOGONAL = 1e-9
EPS, TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)


class Centred(NamedTuple):
    """Weighted and centred columns and target.

    Attributes
    ----------
    X, y : rows multiplied by √w, means taken off where the intercept is free.
    length : lengths of the columns, zero where they are constant.
    square : ‖y‖², or what rounding makes of a constant target, or the smallest number above zero.
    mean, y_mean : what was taken off.
    largest : the largest target, as it was given.
    weight : Σ w.
    """

    X: np.ndarray
    y: np.ndarray
    length: np.ndarray
    square: float
    mean: np.ndarray
    y_mean: float
    largest: float
    weight: float

    def correlations(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the columns with each other and with y."""
        U = self.X / np.where(self.length > 0.0, self.length, np.inf)
        return U.T @ U, U.T @ self.y / np.sqrt(self.square)


def centred(X: Any, y: Any, sample_weight: Any, free_intercept: bool) -> Centred:
    """The data about their means."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    total = float(w.sum())
    mean, y_mean = (w @ X / total, float(w @ y) / total) if free_intercept else (np.zeros(X.shape[1]), 0.0)
    Z, t = X - mean, y - y_mean
    length = _lengths(Z, sample_weight)
    if free_intercept:
        # Far from zero a mean has few digits after the point: that of what is left is taken off too.
        t -= w @ t / total
        far = np.abs(mean) * math.sqrt(total)
        if (far > 1e3 * length).any():
            Z -= w @ Z / total
            length = _lengths(Z, sample_weight)
            length[length <= 1e-13 * far] = 0.0
    if sample_weight is not None:
        Z, t = np.sqrt(w)[:, None] * Z, np.sqrt(w) * t
    largest = float(np.abs(y).max(initial=0.0))
    rounding, square = total * (EPS * largest) ** 2, float(t @ t)
    if square <= rounding:
        t = np.zeros_like(t)
    return Centred(Z, t, length, max(square, rounding, TINY), mean, y_mean, largest, total)


def _lengths(Z: np.ndarray, weight: Any) -> np.ndarray:
    return np.sqrt(np.einsum("ij,ij->j", Z, Z) if weight is None else np.einsum("i,ij,ij->j", weight, Z, Z))


@certifies(
    "BestSubset",
    ledger=Ledger(
        ("coef_", "intercept_", "split_", "families_", "points_"),
        ("support_", "rss_", "lower_bound_"),
        ("n_iter_", "n_nodes_"),
    ),
)
def best_subset_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The answer is least squares on its subset, and no subset of at most k columns does better."""
    at = centred(X, y, sample_weight, model.fit_intercept)
    gram, cross = at.correlations()
    rss, claims = subset_answer_claims(model, at)
    decided, split, points = np.asarray(model.families_), np.asarray(model.split_), np.asarray(model.points_)
    if (
        decided.ndim != 2
        or decided.shape != points.shape
        or decided.shape[1:] != split.shape
        or split.shape != cross.shape
    ):
        raise IndexError(f"families_, points_ and split_ have shapes {decided.shape}, {points.shape}, {split.shape}")
    if len(decided):
        never = np.all(decided == OUTSIDE, axis=0)
        kept = np.flatnonzero(~never)
        uncovered = _spare(at, gram, np.flatnonzero(never), kept) + (not covers(decided[:, kept], model.k))
        G, D = gram[np.ix_(kept, kept)], split[kept]
        if not np.all(D > 0.0):
            raise IndexError("split_ has entries that are not positive")
        smallest = float(np.linalg.eigvalsh(G - np.diag(D))[0])
        lower = min(
            subset_bound(G, cross[kept], D, row, model.k, point[kept]) for row, point in zip(decided[:, kept], points)
        )
        claims += [
            Claim.at_most("L1", "the families of the proof leave subsets out (0 when they cover all)", uncovered, 0.0),
            Claim.at_most("L1", "the cross-products less the diagonal are positive semidefinite: −λ", -smallest, 1e-12),
        ]
    else:
        lower = _of_all_columns(at)
    return [*claims, *_best_claims(model, at, rss, lower, rss)]


@certifies(
    "BestSubsetMILP",
    ledger=Ledger(("coef_", "intercept_", "split_", "points_"), ("support_", "rss_", "lower_bound_"), ("n_iter_",)),
)
def milp_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The answer is least squares on its subset, and the program of the kept cuts has no lower value."""
    at = centred(X, y, sample_weight, model.fit_intercept)
    gram, cross = at.correlations()
    rss, claims = subset_answer_claims(model, at)
    split, points = np.asarray(model.split_, dtype=float), np.asarray(model.points_)
    if split.shape != cross.shape or points.ndim != 2 or points.shape[1:] != split.shape or np.any(~(split >= 0.0)):
        raise IndexError(f"points_ and split_ have shapes {points.shape}, {split.shape}, or split_ is negative")
    if len(points):
        kept = np.flatnonzero(split > 0.0)
        G = gram[np.ix_(kept, kept)]
        smallest = float(np.linalg.eigvalsh(G - np.diag(split[kept]))[0])
        lower = least_over_cuts(G, cross[kept], split[kept], points[:, kept], model.k)
        left_out = _spare(at, gram, np.flatnonzero(split == 0.0), kept)
        claims += [
            Claim.at_most("L1", "columns without a part in the proof that are no copies of others", left_out, 0.0),
            Claim.at_most("L1", "the cross-products less the diagonal are positive semidefinite: −λ", -smallest, 1e-12),
        ]
    else:
        lower = _of_all_columns(at)
    return [*claims, *_best_claims(model, at, rss, lower, 1.0)]


def _best_claims(model: Any, at: Centred, rss: float, lower: float, unit: float) -> list[Claim]:
    """What the lower bound says, in shares of the target's squares; a search that ended before says how far it got."""
    lower = min(lower, rss)
    stated = float(model.lower_bound_) / at.square
    room = 2.0 * ROUNDING + _rounding(at)
    bound, asked = (1.01 * share * unit + room for share in (allowed(PROVED), float(model.tol)))
    return [
        Claim.reached("L1", "lower_bound_ is what the proof gives (difference)", abs(stated - lower), bound, asked),
        Claim.reached(
            "L1", f"residual sum of squares above the least over all subsets of at most {model.k} columns, at most "
            "(share of the target's)", rss - lower, bound, max(asked, float(model.rss_) / at.square - stated + bound),
        ),
    ]  # fmt: skip


def _rounding(at: Centred) -> float:
    """What the rounding of targets far from zero leaves in a residual sum, of the target's squares."""
    return min(64.0 * EPS * at.largest * math.sqrt(at.weight) / math.sqrt(at.square), 1.0)


def subset_answer_claims(model: Any, at: Centred) -> tuple[float, list[Claim]]:
    """(RSS / ‖y‖² of the answer, claims that it is least squares on at most k columns, and what is told of it)."""
    coef = coefficients(model.coef_, len(at.length))[0].astype(float, copy=False)
    offset = float(intercepts(model.intercept_, 1)[0])
    support = coef.nonzero()[0]
    chosen = at.X[:, support]
    residual = at.y - chosen @ coef[support]
    slope = np.abs(residual @ chosen) / (np.maximum(at.length[support], 1e-300) * math.sqrt(at.square))
    rss = float(residual @ residual) / at.square
    room = _rounding(at)
    claims = [
        Claim.at_most("L1", "columns used", len(support), len(coef) if model.k is None else model.k),
        Claim.at_most(
            "R1", "the residual is orthogonal to every column of the subset (largest correlation)",
            float(slope.max(initial=0.0)), allowed(ORTHOGONAL) + room,
        ),
        reported("L1", "support_", model.support_, support),
        reported("L1", "rss_", float(model.rss_) / at.square, rss, ORTHOGONAL + room, 1.0),
    ]  # fmt: skip
    if not model.fit_intercept:
        return rss, [*claims, fixed_intercept("R1", offset)]
    miss = abs(offset - (at.y_mean - float(at.mean @ coef)))
    size = at.largest + abs(offset) + float(np.abs(at.mean) @ np.abs(coef))
    free = Claim.at_most("R1", "no intercept is better for these coefficients (distance)", miss, 1e3 * EPS * size)
    return rss, [*claims, free]


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


@certifies("SplicingSubset", ledger=Ledger(("coef_", "intercept_"), ("support_", "rss_"), ("n_iter_",)))
def splicing_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The answer is least squares on its subset, and no exchange of one column for another lowers its residual sum."""
    at = centred(X, y, sample_weight, model.fit_intercept)
    rss, claims = subset_answer_claims(model, at)
    support = np.asarray(model.coef_).nonzero()[0]
    best = min(rss, _after_best_exchange(at, support) / at.square)
    room = 1e-9 * rss + ROUNDING + _rounding(at)
    claims.append(
        Claim.at_most(
            "L1", "no exchange of one column for another lowers the residual sum (by which share of the target's)",
            max(rss - best, 0.0), room,
        )
    )  # fmt: skip
    if len(support) < model.k and len(support) < np.count_nonzero(at.length):
        gain = _best_entry(at, support)
        statement = f"fewer than {model.k} columns, and no other lowers the residual sum (by which share)"
        claims.append(Claim.at_most("L1", statement, gain, room))
    return claims


def _best_entry(at: Centred, support: np.ndarray) -> float:
    """What the best column outside the subset would take off the residual sum, of the target's squares."""
    Q = np.linalg.qr(at.X[:, support] / at.length[support])[0]
    rest, residual = at.X - Q @ (Q.T @ at.X), at.y - Q @ (Q.T @ at.y)
    square = np.einsum("ij,ij->j", rest, rest)
    usable = square > 1e-8 * np.maximum(at.length**2, TINY)
    gain = (residual @ rest) ** 2 / np.where(usable, square, np.inf)
    return float(np.max(gain, initial=0.0)) / at.square


def _after_best_exchange(at: Centred, support: np.ndarray) -> float:
    """The least residual sum after one column has left the subset and another has entered."""
    if not len(support):
        return np.inf
    dependent = "columns of the subset depend on each other"
    if len(support) > len(at.X):
        raise np.linalg.LinAlgError(dependent)
    reflected, scalars, _, _ = linalg.lapack.dgeqrf(at.X[:, support])
    # Rows of R⁻¹ times the data: parts along directions in the span that are orthogonal to all columns but one.
    dual, singular = linalg.lapack.dtrtrs(reflected[: len(support)], np.eye(len(support)))
    Q, _, wrong = linalg.lapack.dorgqr(reflected, scalars)
    if singular or wrong:
        raise np.linalg.LinAlgError(dependent)
    dual /= np.sqrt(np.einsum("ij,ij->i", dual, dual))[:, np.newaxis]
    along, of_y = Q.T @ at.X, Q.T @ at.y
    residual = at.y - Q @ of_y
    inside, target = dual @ along, dual @ of_y
    length = at.length**2
    square = inside * inside
    square += length - np.einsum("ij,ij->j", along, along)
    square[:, support] = 0.0
    usable = square > 1e-8 * np.where(length > 0.0, length, 1.0)
    pull = residual @ at.X + target[:, np.newaxis] * inside
    gain = np.divide(pull * pull, square, out=np.zeros_like(square), where=usable)
    gain -= (target * target)[:, np.newaxis]
    return float(residual @ residual - gain.max())
