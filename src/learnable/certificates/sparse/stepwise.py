"""Stepwise selection: the log, played again from the data. Syllabus: L2.

Residual sums have rounding that grows with the dependence of the columns chosen, and a criterion that takes their
logarithm makes much of it near a perfect fit: every comparison leaves room for it.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.reported import reported
from learnable.certificates.sparse.best_subset import Centred, centred, subset_answer_claims
from learnable.certificates.sparse.folds import folds_again
from learnable.problems.sparse.subset import aim, information

ROUNDING = 1e-7
# A column whose part outside the span of those chosen is shorter than this share of it cannot enter.
INDEPENDENT = 1e-8
# Below this share of ‖y‖² a residual sum is near rounding, and which column is best may depend on it.
NEAR_PERFECT = 1e-9
EPS = float(np.finfo(float).eps)

Criterion = Callable[[float, int], float]


@certifies(
    "Stepwise",
    ledger=Ledger(("coef_", "intercept_", "log_"), ("support_", "rss_", "cv_errors_", "n_iter_")),
)
def stepwise_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The coefficients solve the normal equations, and every move of the log was the best one left."""
    at = centred(X, y, sample_weight, model.fit_intercept)
    _, claims = subset_answer_claims(model, at)
    errors = np.asarray(model.cv_errors_, dtype=float) if model.criterion == "cv" else None
    size = model.k if errors is None else int(np.argmin(errors))
    walk = _Walk(model, at, size)
    played = walk.replay(model.log_)
    differ = len(set(played.inside) ^ set(np.flatnonzero(np.asarray(model.coef_)).tolist()))
    claims += [
        Claim.at_most("L2", "columns in which the answer differs from the end of the log", differ, 0.0),
        Claim.at_most("L2", "lines of the log that do not tell what was done", played.misprints, 0.0),
        Claim.at_most(
            "L2",
            "every move of the log was the best one and made the criterion fall, and none is left that does (largest "
            "miss of the criterion beyond rounding)",
            played.worst,
            ROUNDING * max(1.0, abs(played.value)),
        ),
        reported("L2", "n_iter_", model.n_iter_, len(model.log_)),
    ]
    if errors is None or not thorough():
        return claims
    return [*claims, _errors_claim(model, errors, X, np.asarray(y, dtype=float), sample_weight)]


class _Played(NamedTuple):
    """The end of a log: largest miss of the criterion, lines that are wrong, columns in the model, the criterion."""

    worst: float
    misprints: int
    inside: list[int]
    value: float


class _Standing(NamedTuple):
    """RSS of the columns inside, RSS after each column has entered or left (∞ where it cannot), rounding of both."""

    rss: float
    after: np.ndarray
    blur: float


class _Walk:
    """Moves over one set of rows, in units in which y and the columns have length one."""

    def __init__(self, model: Any, at: Centred, size: int | None):
        self.at, n, p = at, len(at.y), len(at.length)
        self.enter, self.leave = model.direction != "backward", model.direction != "forward"
        self.largest = max(min(p if size is None else size, n - model.fit_intercept - 1), 0)
        if model.criterion in ("rss", "cv"):
            # The solver aims at the same number, below zero or not.
            target = min(p if size is None else size, n - model.fit_intercept - 1)
            self.criterion: Criterion = partial(aim, target=target)
        else:
            price = 2.0 if model.criterion == "aic" else float(np.log(n))
            self.criterion = partial(information, n=n, price=price, free=int(model.fit_intercept))
        self.U, self.t = at.X / np.where(at.length > 0.0, at.length, np.inf), at.y / np.sqrt(at.square)
        self.start = self._independent() if model.direction == "backward" else []

    def replay(self, log: list[dict[str, Any]]) -> _Played:
        """The lines of a log, each against all the moves there were."""
        inside = list(self.start)
        here = self.standing(inside)
        first = log[0]
        value, slack = self.criterion(here.rss, len(inside)), self.slack(here.rss, len(inside), here.blur)
        worst = abs(value - first["criterion"]) - slack
        misprints = int((first["column"], first["move"], first["size"]) != (-1, "start", len(inside)))
        misprints += self._misprinted(first["rss"], here)
        for line in [*log[1:], None]:
            values, slacks = self.moves(inside, here)
            # What is surely better than what was done.
            best = float(np.min(values + slacks, initial=np.inf))
            if line is None:
                return _Played(max(worst, value - slack - best, 0.0), misprints, inside, value)
            j = int(line["column"])
            if not 0 <= j < len(values) or not np.isfinite(values[j]):
                return _Played(np.inf, misprints, inside, value)
            low = values[j] - slacks[j]
            worst = max(worst, low - best, abs(values[j] - line["criterion"]) - slacks[j], low - value - slack)
            entered = j not in inside
            inside = [*inside, j] if entered else [i for i in inside if i != j]
            here = self.standing(inside)
            value, slack = float(values[j]), float(slacks[j])
            misprints += int((line["move"], line["size"]) != ("enter" if entered else "leave", len(inside)))
            misprints += self._misprinted(line["rss"], here)
        raise AssertionError("the loop ends with the line after the last")

    def moves(self, inside: list[int], here: _Standing) -> tuple[np.ndarray, np.ndarray]:
        """(criterion after each allowed move, ∞ for others; its rounding)."""
        p = len(here.after)
        may = np.full(p, self.enter and len(inside) < self.largest)
        may[inside] = self.leave
        sizes = np.full(p, len(inside) + 1)
        sizes[inside] -= 2
        values, slacks = np.full(p, np.inf), np.zeros(p)
        for i in np.flatnonzero(may & np.isfinite(here.after)).tolist():
            values[i] = self.criterion(here.after[i], int(sizes[i]))
            slacks[i] = self.slack(here.after[i], int(sizes[i]), here.blur)
        return values, slacks

    def slack(self, rss: float, size: int, blur: float) -> float:
        """How much of the criterion is rounding, at a residual sum that is known to `blur`."""
        return self.criterion(rss + blur, size) - self.criterion(max(rss - blur, 0.0), size)

    def standing(self, inside: list[int]) -> _Standing:
        """From an orthogonal factor of the columns inside."""
        U, t = self.U, self.t
        Q, R = np.linalg.qr(U[:, inside])
        residual = t - Q @ (Q.T @ t)
        rss = float(residual @ residual)
        outside = U - Q @ (Q.T @ U)
        square = np.einsum("ij,ij->j", outside, outside)
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = (outside.T @ residual) ** 2 / square
            after = np.where(square > INDEPENDENT, np.maximum(rss - gain, 0.0), np.inf)
        blur = 1e3 * EPS
        if inside:
            inverse = linalg.solve_triangular(R, np.eye(len(inside)))
            after[inside] = rss + (inverse @ (Q.T @ t)) ** 2 / np.einsum("ij,ij->i", inverse, inverse)
            blur = max(blur, 64.0 * EPS * float(np.sum(inverse**2)))
        return _Standing(rss, after, blur)

    def coef(self, inside: list[int]) -> np.ndarray:
        """Least squares on these columns, in the units of the data."""
        coef = np.zeros(len(self.at.length))
        if inside:
            found = np.linalg.lstsq(self.U[:, inside], self.t, rcond=None)[0]
            coef[inside] = found * np.sqrt(self.at.square) / self.at.length[inside]
        return coef

    def greedy(self) -> tuple[list[list[int]], bool]:
        """(columns after each move, from the start on; whether a residual sum came near rounding)."""
        inside, models, near = list(self.start), [list(self.start)], False
        while True:
            here = self.standing(inside)
            near = near or here.rss < NEAR_PERFECT
            values, _ = self.moves(inside, here)
            if not np.min(values, initial=np.inf) < self.criterion(here.rss, len(inside)):
                return models, near
            j = int(np.argmin(values))
            inside = [i for i in inside if i != j] if j in inside else [*inside, j]
            models.append(list(inside))

    def _independent(self) -> list[int]:
        """All columns but those that depend on earlier ones: where going backward starts."""
        kept: list[int] = []
        basis = np.zeros((len(self.t), 0))
        for j in np.flatnonzero(self.at.length > 0.0).tolist():
            rest = self.U[:, j] - basis @ (basis.T @ self.U[:, j])
            if rest @ rest > INDEPENDENT:
                kept.append(j)
                rest = rest - basis @ (basis.T @ rest)
                basis = np.column_stack([basis, rest / np.linalg.norm(rest)])
        return kept

    def _misprinted(self, stated: float, here: _Standing) -> int:
        return int(not abs(float(stated) / self.at.square - here.rss) <= ROUNDING * here.rss + here.blur)


def _errors_claim(model: Any, errors: np.ndarray, X: Any, y: np.ndarray, weight: Any) -> Claim:
    """`cv_errors_` again: each fold's columns chosen anew, by orthogonal factors, without its own rows."""
    folds = folds_again(model.cv, X, y)
    if folds is None:
        return Claim.reached("L2", "cv_errors_: not checked, the folds cannot be had again (1)", 1.0, 0.0, 1.0)
    X, p = np.asarray(X, dtype=float), X.shape[1]
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    largest = min([p, *([model.k] if model.k else []), *(len(train) - 2 for train, _ in folds)])
    again, total, near = np.zeros(largest + 1), 0.0, False
    for train, test in folds:
        at = centred(X[train], y[train], weight[train], model.fit_intercept)
        walk = _Walk(model, at, largest if model.direction != "backward" else 0)
        models, perfect = walk.greedy()
        near = near or perfect
        by_size = {len(inside): inside for inside in models}
        total += float(weight[test].sum())
        for size in range(largest + 1):
            coef = walk.coef(by_size.get(size, models[-1]))
            miss = (y[test] - at.y_mean) - (X[test] - at.mean) @ coef
            again[size] += float(weight[test] @ miss**2)
    claim = reported("L2", "cv_errors_", errors, again / total, 1e-6)
    # Near a perfect fit rounding may choose another column, with other errors.
    return claim._replace(open=not claim.holds and near and bool(np.isfinite(claim.value)))
