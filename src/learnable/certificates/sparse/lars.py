"""Least angle regression and the lasso path: the conditions at every knot, from the data. Syllabus: L7, L3.

Midway between two knots they are checked as well. Correlations are linear between knots and never above the level at
the ends, so that one at the level midway is at it all the way: the two checks prove the whole path.
"""

import math
from collections.abc import Iterator
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.origin import is_ours
from learnable.certificates.core.refitted import only_theirs, unless_refitted
from learnable.certificates.core.reported import reported
from learnable.certificates.sparse.answer import coefficients, gap_rounding, intercepts, precision
from learnable.certificates.sparse.lasso import Penalised
from learnable.rows.stretches import stretches

# What updates of a factor, knot by knot, may leave of the correlations in scikit-learn's fits.
LOST = 1e-9
# Columns at most whose products with each other are kept: then the path takes one reading of the rows.
CROSSED = 500


@certifies(
    "Lars",
    "LassoLars",
    again=only_theirs,  # after how many steps a path that was not kept ended
    ledger=Ledger(
        ("coef_", "intercept_", "coef_path_", "alphas_", "jitter_"),
        ("active_", "n_iter_"),
        sometimes=("jitter_", "coef_path_", "active_"),
    ),
)
def lars_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The path, target by target, where it ends, and the duality gap there where it is a lasso."""
    targets = np.asarray(y, dtype=float)
    targets = targets[:, None] if targets.ndim == 1 else targets
    noise, claims = _jitter(model, len(targets))
    if noise is None:
        return claims
    coefs = coefficients(model.coef_, X.shape[1])
    if len(coefs) != targets.shape[1]:
        raise IndexError(f"coef_ has {len(coefs)} rows, y has {targets.shape[1]} columns")
    offsets = intercepts(model.intercept_, len(coefs))
    problem = Penalised(X, None, model.fit_intercept)
    targets = targets + noise[:, None]
    Z = _Centred(X, targets - targets.mean(axis=0) if model.fit_intercept else targets, model.fit_intercept)
    for k, coef in enumerate(coefs):
        path = _Path(model, k, len(coefs), coef)
        t = targets[:, k]
        claims += path.claims(Z, float(np.abs(t).max(initial=0.0)), precision(X, coef))
        claims.append(problem.intercept(t, coef, float(offsets[k]), path.name))
        if path.lasso and model.alpha > 0.0:
            claims.append(path.gap_claim(problem, t, float(offsets[k])))
    return claims


def _jitter(model: Any, n: int) -> tuple[np.ndarray | None, list[Claim]]:
    """(what was added to y, claims about it); None where it is not known."""
    high, seed = getattr(model, "jitter", None), getattr(model, "random_state", None)
    if high is None:
        return np.zeros(n), []
    stated = model.jitter_ if is_ours(model) else getattr(model, "jitter_", None)
    drawn = check_random_state(seed).uniform(high=high, size=n) if isinstance(seed, Integral) else None
    if stated is None and drawn is None:
        statement = "the noise added to y is known (1: it was not kept, and nothing can be checked)"
        return None, [Claim.reached("L7", statement, 1.0, 0.0, 1.0)]
    noise = np.asarray(drawn if stated is None else stated, dtype=float)
    if noise.shape != (n,):
        raise IndexError(f"jitter_ has shape {noise.shape}, there are {n} rows")
    if drawn is not None:
        return noise, [reported("L7", "jitter_", noise, drawn, 0.0)]
    outside = float(np.max(np.maximum(noise - high, -noise), initial=0.0))
    return noise, [Claim.at_most("L7", "jitter_ is between 0 and jitter (largest excess)", max(outside, 0.0), 0.0)]


class _Centred:
    """A table less the means of its columns where an intercept is free, and targets less theirs.

    Far from zero a mean has few digits after the point: what the columns less their means still add up to is taken off
    their products.
    """

    def __init__(self, X: np.ndarray, targets: np.ndarray, free_intercept: bool):
        self.X, self.targets, (self.n, p) = X, targets, X.shape
        shares, one, sums = np.full(self.n, 1.0 / self.n), np.ones(self.n), np.zeros(p)
        self.mean = sum(shares[rows] @ part for rows, part in stretches(X)) if free_intercept else None
        self.gram, cross = (np.zeros((p, p)) if p <= min(self.n, CROSSED) else None), np.zeros((p, targets.shape[1]))
        squares = np.zeros(p)
        for rows, part in self.parts():
            sums += one[rows] @ part
            cross += part.T @ targets[rows]
            if self.gram is not None:
                self.gram += part.T @ part
            else:
                squares += np.einsum("ij,ij->j", part, part)
        self.left = sums / self.n if free_intercept else np.zeros(p)
        self.cross = cross - self.left[:, None] * targets.sum(axis=0)
        if self.gram is not None:
            self.gram -= sums[:, None] * self.left
            squares = self.gram.diagonal()
        else:
            squares -= sums * self.left
        self.squares = squares

    def parts(self) -> Iterator[tuple[slice, np.ndarray]]:
        for rows, part in stretches(self.X):
            yield rows, part if self.mean is None else part - self.mean

    def correlations(self, k: int, path: np.ndarray) -> np.ndarray:
        """(p, m) of the columns with what each of m answers leaves of target k."""
        if self.gram is not None:
            return self.cross[:, k, None] - self.gram @ path
        c, t = np.zeros(path.shape), self.targets[:, k, None]
        for rows, part in self.parts():
            # Less the mean of what is predicted, which columns that do not quite add up to zero have.
            c += part.T @ (t[rows] - (part @ path - self.left @ path))
        return c - self.left[:, None] * t.sum()


class _Path:
    """The knots of one target, or the end alone."""

    def __init__(self, model: Any, k: int, n_targets: int, coef: np.ndarray):
        self.model, self.k, self.coef = model, k, coef
        self.lasso, self.positive = hasattr(model, "alpha"), bool(getattr(model, "positive", False))
        self.name = "" if n_targets == 1 else f" (target {k})"
        self._of = (lambda kept: kept) if n_targets == 1 else (lambda kept: kept[k])
        self.alphas = np.asarray(self._of(model.alphas_), dtype=float)
        self.whole = bool(model.fit_path) if is_ours(model) else hasattr(model, "coef_path_")
        self.knots = np.asarray(self._of(model.coef_path_) if self.whole else coef[:, None], dtype=float)
        if self.alphas.ndim != 1 or self.knots.shape != (len(coef), len(self.alphas)) or not len(self.alphas):
            raise IndexError(f"coef_path_ has shape {self.knots.shape}, alphas_ {self.alphas.shape}")

    def claims(self, Z: _Centred, largest: float, eps: float) -> list[Claim]:
        """The conditions along the path, its two ends, and what is told of it; `largest` is that of y as given."""
        mean_square = float(Z.targets[:, self.k] @ Z.targets[:, self.k]) / Z.n
        c = Z.correlations(self.k, self.knots)
        at = _standing(Z, c, mean_square, largest, self.alphas, self.knots, self.positive, self.lasso, eps)
        self.worth, name = at.worth + gap_rounding(eps, mean_square, largest), self.name
        side, asked = ", on the side of its sign" if self.lasso else "", self._asked()
        claims = [
            Claim.reached(
                "L7", f"at every knot and midway between two, no column is above the level (largest excess){name}",
                at.excess, at.bound, asked,
            ),
            Claim.reached(
                "L7", f"at every knot and midway between two, every column in use is at the level{side} (largest "
                f"distance){name}", at.distance, at.bound, asked,
            ),
            self._end(at),
        ]  # fmt: skip
        if not self.whole:
            return claims
        climb = float(np.diff(self.alphas).max(initial=-np.inf)) if len(self.alphas) > 1 else 0.0
        broken = np.abs(self.knots[:, 0]).max(initial=0.0) + np.abs(self.knots[:, -1] - self.coef).max(initial=0.0)
        claims += [
            Claim.at_most("L7", f"the levels fall from knot to knot (largest climb){name}", climb, 0.0),
            Claim.at_most("L7", f"the path begins at zero and ends at the answer (distance){name}", broken, 0.0),
        ]
        if type(self.model).__module__.startswith("sklearn."):
            return claims
        return [
            *claims,
            reported("L7", f"n_iter_{name}", self._of(self.model.n_iter_), len(self.alphas) - 1),
            Claim.at_most(
                "L7", f"active_ are the columns in use, in the order they entered (how many are not){name}",
                self._strangers(list(self._of(self.model.active_))), 0.0,
            ),
        ]  # fmt: skip

    def _end(self, at: "_Standing") -> Claim:
        """Where the path must end: at alpha, at level zero, or with the steps allowed."""
        end, steps, model = float(self.alphas[-1]), len(self.alphas) - 1, self.model
        most = int(model.max_iter if self.lasso else model.n_nonzero_coefs)
        level = float(model.alpha) if self.lasso else 0.0
        words = f"the path goes on to the level {level:g}: what is left of the way{self.name}"
        # A step brings one column into use, or several that are as near.
        taken = steps if self.whole else 0 if self.lasso else np.count_nonzero(self.coef)
        left = abs(end - level) / (at.unit or 1.0) if taken <= most else np.inf
        # Steps that were spent, or not kept, prove nothing; nor do knots at which no column entered.
        spent = not self.whole or (steps == most and end > level)
        if not self.lasso and self.whole and spent and np.count_nonzero(self.coef) >= most:
            return Claim.at_most("L7", f"the path has the {most} steps allowed{self.name}: steps left", 0.0, 0.0)
        if not self.lasso and not self.whole and left > at.bound:  # a lasso has a gap as well
            return unless_refitted("L7", words, left)
        return Claim.reached("L7", words, left, at.bound, left if spent and end >= level else self._asked())

    def _asked(self) -> float:
        return 0.0 if is_ours(self.model) else LOST

    def _strangers(self, active: list) -> int:
        """Columns that are wrongly in the list or missing, or stand before one that entered earlier."""
        used = np.flatnonzero(self.coef)
        if len(active) != len(set(active)) or set(active) != set(used.tolist()):
            return max(len(set(active) ^ set(used.tolist())), 1)
        # How many knots there are from the one at which a column has left zero, for the last time.
        zero = self.knots[active, ::-1] == 0.0
        used_at = np.where(zero.any(axis=1), zero.argmax(axis=1), len(self.alphas))
        return int(np.count_nonzero(used_at[1:] > used_at[:-1]))

    def gap_claim(self, problem: Penalised, t: np.ndarray, offset: float) -> Claim:
        """The gap at alpha; open where the steps were spent before."""
        penalty = problem.penalty(float(self.model.alpha), 1.0, self.positive)
        gap, _ = problem.standing(t, self.coef, offset, penalty)
        spent = not self.whole or len(self.alphas) - 1 == self.model.max_iter
        asked = gap.value if spent and self.alphas[-1] > self.model.alpha else self._asked() * gap.mean_square
        return Claim.reached(
            "L3", f"duality gap at alpha: the objective is above its minimum by at most{self.name}",
            gap.value, 1e-12 * gap.mean_square + self.worth, asked,
        )  # fmt: skip


class _Standing(NamedTuple):
    """Largest violations over the path, in units of the size of what is added up; their bound; its worth in the gap;
    that size at the beginning of the path.
    """

    excess: float
    distance: float
    bound: float
    worth: float
    unit: float


def _standing(
    Z: _Centred, c: np.ndarray, mean_square: float, largest: float, alphas, path, positive: bool, lasso: bool, eps
) -> _Standing:
    n, p = Z.X.shape
    # Midway the correlations, too, are midway: they are linear in the coefficients.
    alphas, path, c = (
        np.concatenate([each, 0.5 * (each[..., 1:] + each[..., :-1])], axis=-1) for each in (alphas, path, c / n)
    )
    length, spread, used = np.sqrt(Z.squares / n), math.sqrt(mean_square), np.abs(path)
    # The bound in units of eps; targets far from zero were rounded when they were given.
    units = 4.0 * (p + math.sqrt(n) + 10.0)
    size = length[:, None] * (spread + 4.0 * largest / units + length @ used)
    unit = np.where(size > 0.0, size, 1.0)
    height = np.abs(c)
    excess = (c if positive else height) - alphas
    distance = np.abs((c * np.sign(path) if lasso else height) - alphas)
    bound = units * eps
    worth = bound * float(size[:, -1] @ used[:, -1] + size[:, -1].max(initial=0.0) * used[:, -1].sum())
    negative = float(np.maximum(-path, 0.0).max(initial=0.0)) if positive else 0.0
    return _Standing(
        float(np.max(excess / unit, initial=0.0)),
        float(np.max(np.where(path != 0.0, distance / unit, 0.0), initial=0.0)) + negative,
        bound,
        worth,
        float(length.max(initial=0.0)) * spread,
    )
