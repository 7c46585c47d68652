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
from learnable.certificates.core.worst import worst_of
from learnable.certificates.sparse.best_subset import Centred, centred, subset_answer_claims
from learnable.certificates.sparse.folds import folds_again
from learnable.problems.sparse.subset import aim, information
from learnable.rows import as_rows, condensed, in_folds, is_streamed

# Of criteria, which are logarithms of sums of squares.
ROUNDING = 1e-7
# A column whose part outside the span of those chosen is shorter than this share of it cannot enter.
INDEPENDENT = 1e-8
# Below this share of ‖y‖² a residual sum is near rounding, and which column is best may depend on it.
NEAR_PERFECT = 1e-9
EPS = float(np.finfo(float).eps)

Criterion = Callable[[float, int], float]


@certifies(
    "Stepwise",
    ledger=Ledger(
        ("coef_", "intercept_", "log_"), ("support_", "rss_", "cv_errors_", "n_iter_"), sometimes=("cv_errors_",)
    ),
)
def stepwise_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The coefficients solve the normal equations, and every move of the log was the best one left."""
    n = None
    if is_streamed(X):
        rows = as_rows(X, y, sample_weight)
        n, (X, y, sample_weight) = rows.n_rows, in_folds(rows, model._n_folds(), condensed, True)
    at = centred(X, y, sample_weight, model.fit_intercept)
    _, claims = subset_answer_claims(model, at)
    errors = np.asarray(model.cv_errors_, dtype=float) if model.criterion == "cv" else None
    size = model.k if errors is None else int(np.argmin(errors))
    walk = _Walk(model, at, size, n)
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


class _Basis:
    """An orthogonal factor of the columns inside, and what it leaves of all columns and of the target."""

    def __init__(self, U: np.ndarray, t: np.ndarray, inside: list[int]):
        self.U, self.t, self.inside = U, t, list(inside)
        self.Q, self.R = np.linalg.qr(U[:, self.inside])
        self.outside = U - self.Q @ (self.Q.T @ U) if inside else U.copy()
        self.residual = t - self.Q @ (self.Q.T @ t)

    def after(self, j: int) -> "_Basis":
        """The same after column j has entered or left; entering costs one pass over the columns."""
        if j in self.inside:
            return _Basis(self.U, self.t, [i for i in self.inside if i != j])
        rest = self.outside[:, j] - self.Q @ (self.Q.T @ self.outside[:, j])
        length = float(np.linalg.norm(rest))
        q = rest / length
        k, R = len(self.R), np.zeros((len(self.R) + 1, len(self.R) + 1))
        R[:k, :k], R[:k, k], R[k, k] = self.R, self.Q.T @ self.U[:, j], length
        self.R = R
        self.Q, self.inside = np.column_stack([self.Q, q]), [*self.inside, j]
        self.outside -= np.outer(q, q @ self.outside)
        self.residual = self.residual - q * float(q @ self.residual)
        return self

    @property
    def rss(self) -> float:
        return float(self.residual @ self.residual)

    def one_move_away(self) -> tuple[np.ndarray, float]:
        """(RSS after each column has entered or left, ∞ where it cannot; the rounding of these)."""
        square = np.einsum("ij,ij->j", self.outside, self.outside)
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = (self.residual @ self.outside) ** 2 / square
            after = np.where(square > INDEPENDENT, np.maximum(self.rss - gain, 0.0), np.inf)
        if not self.inside:
            return after, 1e3 * EPS
        inverse = linalg.lapack.dtrtri(self.R)[0]
        after[self.inside] = self.rss + (inverse @ (self.Q.T @ self.t)) ** 2 / np.einsum("ij,ij->i", inverse, inverse)
        return after, max(1e3 * EPS, 64.0 * EPS * float(np.sum(inverse**2)))


class _Walk:
    """Moves over one set of rows, in units in which y and the columns have length one."""

    def __init__(self, model: Any, at: Centred, size: int | None, n_rows: int | None = None):
        """`n_rows` where a short table stands for that many."""
        self.at, p = at, len(at.length)
        n = len(at.y) if n_rows is None else n_rows
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
        here = _Basis(self.U, self.t, self.start)
        after, blur = here.one_move_away()
        first, size = log[0], len(self.start)
        misprints = int((first["column"], first["move"], first["size"]) != (-1, "start", size))
        misprints += self._misprinted(first["rss"], here.rss, blur)
        low, value, high = self.known(here.rss, size, blur)
        worst = self._apart(first["criterion"], low, high)
        for line in [*log[1:], None]:
            # What is surely better than what was done.
            best = min(
                (self.known(after[i], n, blur)[2] for i, n in self.best_moves(here.inside, after)), default=np.inf
            )
            if line is None:
                return _Played(max(worst, low - best, 0.0), misprints, here.inside, value)
            j, before = int(line["column"]), high
            if not 0 <= j < len(after) or not np.isfinite(after[j]) or not self.may(j, here.inside):
                return _Played(np.inf, misprints, here.inside, value)
            size = len(here.inside) + (1 if j not in here.inside else -1)
            low, value, high = self.known(after[j], size, blur)
            worst = worst_of(worst, low - best, self._apart(line["criterion"], low, high), low - before)
            misprints += int((line["move"], line["size"]) != ("leave" if j in here.inside else "enter", size))
            here = here.after(j)
            after, blur = here.one_move_away()
            misprints += self._misprinted(line["rss"], here.rss, blur)
        raise AssertionError("the loop ends with the line after the last")

    def may(self, j: int, inside: list[int]) -> bool:
        """Whether a column may move."""
        return self.leave if j in inside else self.enter and len(inside) < self.largest

    def best_moves(self, inside: list[int], after: np.ndarray) -> list[tuple[int, int]]:
        """(column, size afterwards) of the best one to enter and of the best one to leave; the criterion grows with
        the residual sum.
        """
        is_inside = np.zeros(len(after), dtype=bool)
        is_inside[inside] = True
        found = []
        for move, those in ((1, ~is_inside), (-1, is_inside)):
            places = np.flatnonzero(those & np.isfinite(after))
            if len(places) and self.may(int(places[0]), inside):
                found.append((int(places[np.argmin(after[places])]), len(inside) + move))
        return found

    def known(self, rss: float, size: int, blur: float) -> tuple[float, float, float]:
        """The criterion at a residual sum that is known to `blur`: at least, as computed, at most."""
        low, high = self.criterion(max(rss - blur, 0.0), size), self.criterion(rss + blur, size)
        return low, self.criterion(rss, size), high

    def coef(self, inside: list[int]) -> np.ndarray:
        """Least squares on these columns, in the units of the data."""
        coef = np.zeros(len(self.at.length))
        if inside:
            found = np.linalg.lstsq(self.U[:, inside], self.t, rcond=None)[0]
            coef[inside] = found * np.sqrt(self.at.square) / self.at.length[inside]
        return coef

    def greedy(self) -> tuple[list[list[int]], bool]:
        """(columns after each move, from the start on; whether a residual sum came near rounding)."""
        here = _Basis(self.U, self.t, self.start)
        models, near = [list(here.inside)], False
        while True:
            near = near or here.rss < NEAR_PERFECT
            after, _ = here.one_move_away()
            moves = [(self.criterion(after[i], size), i) for i, size in self.best_moves(here.inside, after)]
            if not moves or not min(moves)[0] < self.criterion(here.rss, len(here.inside)):
                return models, near
            here = here.after(min(moves)[1])
            models.append(list(here.inside))

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

    @staticmethod
    def _apart(stated: float, low: float, high: float) -> float:
        return max(float(stated) - high, low - float(stated)) if np.isfinite(stated) else np.inf

    def _misprinted(self, stated: float, rss: float, blur: float) -> int:
        return int(not abs(float(stated) / self.at.square - rss) <= ROUNDING * rss + blur)


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
