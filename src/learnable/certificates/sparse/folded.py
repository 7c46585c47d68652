"""SCAD, MCP and bridge regression: stationarity, no better single coefficient, curvature on the support.

A stationary point of a problem that is not convex may have lower ones elsewhere: nothing here claims optimality but
the duality gap of a bridge with q ≥ 1. Syllabus: L10, L11, L12.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.origin import asked_of
from learnable.certificates.sparse.answer import coefficients, intercepts
from learnable.certificates.sparse.lasso import Penalised
from learnable.problems.core.duality import duality_gap
from learnable.problems.linear import losses
from learnable.problems.sparse.folded_penalties import MCP, SCAD, Bridge, concavity, second_derivative
from learnable.problems.sparse.penalties import EVERY, conjugate, prox, subdistance, total, value

# How far a coefficient may be from stationarity, in units of the lengths of its column and of the predictions, which
# move by about as much of themselves.
STATIONARY = 1e-6
LEDGER = Ledger(("coef_", "intercept_", "lasso_coef_", "lasso_intercept_"), unverified=("n_iter_",))
EPS = float(np.finfo(float).eps)


@certifies("SCADRegression", ledger=LEDGER)
def scad_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Sequence[Claim]:
    """Stationarity under SCAD."""
    return Folded(model, SCAD(float(model.alpha), float(model.a)), X, y, sample_weight).claims("L11")


@certifies("MCPRegression", ledger=LEDGER)
def mcp_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Sequence[Claim]:
    """Stationarity under MCP."""
    return Folded(model, MCP(float(model.alpha), float(model.a)), X, y, sample_weight).claims("L12")


@certifies("BridgeRegression", ledger=LEDGER)
def bridge_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Sequence[Claim]:
    """Stationarity under the bridge penalty; the duality gap where that is convex."""
    folded = Folded(model, Bridge(float(model.alpha), float(model.q)), X, y, sample_weight)
    return folded.claims("L10") + ([folded.gap("L10")] if model.q >= 1.0 else [])


class Folded:
    """An answer on its data: gradient, curvature of every column, and the size of rounding."""

    def __init__(self, model: Any, penalty: Any, X: Any, y: Any, sample_weight: Any):
        self.model, self.penalty = model, penalty
        self.data = Penalised(X, sample_weight, model.fit_intercept)
        X, self.weight, self.given = self.data.X, self.data.weight, np.asarray(y, dtype=float).ravel()
        # Columns and target near zero, where a free intercept lets them be brought there.
        self.X, self.centre = X, float(self.weight @ self.given) if model.fit_intercept else 0.0
        self.y = self.given - self.centre
        self.coef = coefficients(model.coef_, X.shape[1])[0].astype(float)
        self.intercept = float(intercepts(model.intercept_, 1)[0])
        self.f = self._predicted(self.coef, self.intercept)
        # About their mean, which the intercept answers for: there the targets lose nothing by standing far from zero.
        u = self.f - self.y
        self.slope = np.asarray(X.T @ (self.weight * (u - self.weight @ u if model.fit_intercept else u))).ravel()
        mean = np.asarray(X.T @ self.weight).ravel() if model.fit_intercept else np.zeros(X.shape[1])
        raw = self._mean_squares()
        bend = np.maximum(raw - mean**2, 0.0)
        # A constant column has nothing left after centring but rounding.
        self.movable = bend > 1e-12 * raw
        self.bend = np.where(self.movable, bend, np.maximum(raw, np.finfo(float).tiny))
        self.mean = mean
        explained = float(self.weight @ (self.f - self.weight @ self.f if model.fit_intercept else self.f) ** 2)
        # What is explained is the unit; zero explains nothing, and is stationary only to rounding.
        self.zero = not np.any(self.coef)
        self.root_square = np.sqrt(float(self.weight @ self.y**2) if self.zero else explained)
        self.root_square = max(float(self.root_square), np.finfo(float).tiny)
        size = np.abs(self.y).max(initial=0.0) + np.abs(self.f).max(initial=0.0) + np.sqrt(raw) @ np.abs(self.coef)
        # What the middle of the targets is known to.
        self.middle_off = 64.0 * EPS * float(np.abs(self.given).max(initial=0.0))
        steepest = np.sqrt(np.max(raw / self.bend, initial=1.0))
        self.rounding = 64.0 * EPS * steepest * (1.0 + float(size) / self.root_square)

    def claims(self, row: str) -> list[Claim]:
        """What holds for every such penalty."""
        free = self.data.intercept(self.given, self.coef, self.intercept, "")
        return [
            self.stationarity(row), self.single_moves(row), free, *self.beside_the_lasso(row), *self.curvature(row)
        ]  # fmt: skip

    def _within(self, row: str, statement: str, value: float, size: float = 1.0, more: float = 0.0) -> Claim:
        """The claim that a number is small, in units of `size`; open in rounding, or where less was asked for."""
        enough = 0.0 if self.zero else allowed(STATIONARY)
        rounding = self.rounding if np.isfinite(self.rounding) else 0.0
        bound, asked = enough + rounding, asked_of(self.model) + rounding
        claim = Claim.reached(row, statement, value, bound * size + more, asked * size + more)
        lost = claim.holds and not self.zero and rounding > STATIONARY
        return claim._replace(holds=False, open=True) if lost else claim

    def stationarity(self, row: str) -> Claim:
        """The distance of minus the gradient to the subdifferential, in units free of the scale of columns and y."""
        far = subdistance(self.penalty, self.coef, self.slope, EVERY)
        # Of rows that do not differ, units and distances are zero.
        off = far / np.maximum(np.sqrt(self.bend) * self.root_square, np.finfo(float).tiny)
        return self._within(
            row, "distance of a coefficient to stationarity, relative (largest)", np.max(off, initial=0.0)
        )

    def single_moves(self, row: str) -> Claim:
        """What the best change of one coefficient alone, the others as they are, would gain."""
        bend, coef = self.bend[self.movable], self.coef[self.movable]
        target = coef - self.slope[self.movable] / bend
        best = np.asarray(prox(self.penalty, target, 1.0 / bend, EVERY))
        here = 0.5 * bend * (coef - target) ** 2 + value(self.penalty, coef, EVERY)
        gain = here - 0.5 * bend * (best - target) ** 2 - value(self.penalty, best, EVERY)
        reach = 1.0 + np.max(np.sqrt(bend) * np.abs(best - coef), initial=0.0) / self.root_square
        return self._within(
            row, "no single coefficient can be changed to lower the objective by more than", np.max(gain, initial=0.0),
            reach * self.root_square**2, 64.0 * EPS * float(np.max(np.abs(here), initial=0.0)),
        )  # fmt: skip

    def beside_the_lasso(self, row: str) -> list[Claim]:
        """The objective here and at the lasso's solution, and that it is the lasso's."""
        lasso = coefficients(self.model.lasso_coef_, self.X.shape[1])[0].astype(float)
        offset = float(intercepts(self.model.lasso_intercept_, 1)[0])
        here = self._objective(self.coef, self.f)
        there = self._objective(lasso, self._predicted(lasso, offset))
        level = self.data.penalty(float(self.model.alpha), 1.0, False)
        gap, _ = self.data.standing(self.given, lasso, offset, level)
        of_lasso = " (of the lasso)"
        free = self.data.intercept(self.given, lasso, offset, of_lasso)
        return [
            self._within(
                row, "the objective is not above that of the lasso's solution (difference)", here - there,
                self.root_square**2, 64.0 * EPS * abs(here) + self.middle_off**2,
            ),
            self.data.least("L3", self.given, lasso, offset, self.data.astray(level, lasso), gap, 0.0, of_lasso),
            free,
        ]  # fmt: skip

    def curvature(self, row: str) -> list[Claim]:
        """The least curvature of the objective on the support; a positive one proves a strict local minimum there."""
        support = np.flatnonzero(self.coef)
        if not len(support):
            return []
        A = self.X[:, support]
        A = np.asarray(A.toarray() if sparse.issparse(A) else A, dtype=float) - self.mean[support]
        gram = (A * self.weight[:, None]).T @ A
        bend = np.broadcast_to(second_derivative(self.penalty, self.coef[support], EVERY), support.shape)
        here = float(np.linalg.eigvalsh(gram + np.diag(bend))[0])
        room = float(np.linalg.eigvalsh(gram)[0]) - float(concavity(self.penalty, 0))
        found = []
        if np.isfinite(room):
            found.append(
                Claim.disclosure(
                    row, "least eigenvalue of the support's Gram matrix less the penalty's concavity: when positive, "
                    "no other answer with this support is stationary", room,
                )
            )  # fmt: skip
        found.append(Claim.disclosure(row, "least curvature of the objective on the support", here))
        if here > 0.0:
            found.append(
                Claim.at_most(
                    row, "a strict local minimum among answers with this support: minus the least curvature", -here, 0.0
                )
            )
        return found

    def gap(self, row: str) -> Claim:
        """The duality gap of a convex penalty."""
        u = self.f - self.y
        u = u - self.weight @ u if self.model.fit_intercept else u
        slope = np.asarray(self.X.T @ (self.weight * u)).ravel()
        gap = duality_gap(losses.Squared(), self.penalty, self.y, self.f, self.weight, self.coef, u, slope)
        size = 1.0 + float(np.sqrt(self.bend) @ np.abs(self.coef)) / self.root_square
        # What the rounding of its slope adds to a coordinate's part of the dual value.
        lost = 16.0 * EPS * np.sqrt(self._mean_squares()) * (np.sqrt(self.weight @ u**2) + self.root_square * size)
        with np.errstate(over="ignore", invalid="ignore"):
            further = conjugate(self.penalty, np.abs(slope) + lost, EVERY) - conjugate(self.penalty, slope, EVERY)
        rounding = float(np.sum(further))
        found, above = [max(gap.gap, 0.0)], "the objective is above its minimum by at most"
        astray = self.data.astray(self.penalty, self.coef)
        if (decrement := self.data.decrement(self.given, self.coef, self.intercept, astray)) is not None:
            found.append(decrement.value + decrement.rounding)
        statement = f"{'duality gap' if found[0] <= found[-1] else 'Newton decrement'}: {above}"
        claim = self._within(row, statement, min(found), size * self.root_square**2, self.middle_off**2)
        unseen = not claim.holds and not rounding <= STATIONARY * size * self.root_square**2
        return claim._replace(open=True) if unseen else claim

    def _predicted(self, coef: np.ndarray, intercept: float) -> np.ndarray:
        """Predictions, less the middle of the targets."""
        return np.asarray(self.X @ coef).ravel() + (intercept + self.data.centre @ coef - self.centre)

    def _objective(self, coef: np.ndarray, f: np.ndarray) -> float:
        return 0.5 * float(self.weight @ (self.y - f) ** 2) + total(self.penalty, coef)

    def _mean_squares(self) -> np.ndarray:
        squares = self.X.multiply(self.X) if sparse.issparse(self.X) else np.asarray(self.X, dtype=float) ** 2
        return np.asarray(squares.T @ self.weight).ravel()
