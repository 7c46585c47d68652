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
from learnable.certificates.sparse.lasso import Penalised
from learnable.problems.core.duality import duality_gap
from learnable.problems.linear import losses
from learnable.problems.sparse.folded_penalties import MCP, SCAD, Bridge, concavity, second_derivative
from learnable.problems.sparse.penalties import EVERY, prox, subdistance, total, value


@certifies("SCADRegression")
def scad_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Sequence[Claim]:
    """Stationarity under SCAD."""
    return Folded(model, SCAD(float(model.alpha), float(model.a)), X, y, sample_weight).claims("L11")


@certifies("MCPRegression")
def mcp_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Sequence[Claim]:
    """Stationarity under MCP."""
    return Folded(model, MCP(float(model.alpha), float(model.a)), X, y, sample_weight).claims("L12")


@certifies("BridgeRegression")
def bridge_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Sequence[Claim]:
    """Stationarity under the bridge penalty; the duality gap where that is convex."""
    folded = Folded(model, Bridge(float(model.alpha), float(model.q)), X, y, sample_weight)
    return folded.claims("L10") + ([folded.gap("L10")] if model.q >= 1.0 else [])


class Folded:
    """An answer on its data: gradient, curvature of every column, and the size of rounding."""

    def __init__(self, model: Any, penalty: Any, X: Any, y: Any, sample_weight: Any):
        self.model, self.penalty, self.X = model, penalty, X
        self.data = Penalised(X, sample_weight, model.fit_intercept)
        self.weight, self.y = self.data.weight, np.asarray(y, dtype=float).ravel()
        self.coef, self.intercept = np.asarray(model.coef_, dtype=float), float(model.intercept_)
        self.f = np.asarray(X @ self.coef).ravel() + self.intercept
        self.slope = np.asarray(X.T @ (self.weight * (self.f - self.y))).ravel()
        mean = np.asarray(X.T @ self.weight).ravel() if model.fit_intercept else np.zeros(X.shape[1])
        raw = self._mean_squares()
        bend = np.maximum(raw - mean**2, 0.0)
        # A constant column has nothing left after centring but rounding.
        self.movable = bend > 1e-12 * raw
        self.bend = np.where(self.movable, bend, np.maximum(raw, np.finfo(float).tiny))
        self.mean = mean
        centre = float(self.weight @ self.y) if model.fit_intercept else 0.0
        self.root_square = max(np.sqrt(float(self.weight @ (self.y - centre) ** 2)), np.finfo(float).tiny)
        size = np.abs(self.y).max(initial=0.0) + abs(self.intercept) + np.sqrt(raw) @ np.abs(self.coef)
        steepest = np.sqrt(np.max(raw / self.bend, initial=1.0))
        self.rounding = 64.0 * np.finfo(float).eps * steepest * (1.0 + float(size) / self.root_square)

    def claims(self, row: str) -> list[Claim]:
        """What holds for every such penalty."""
        found = [self.stationarity(row), self.single_moves(row)]
        if self.model.fit_intercept:
            found.append(self.data.intercept(self.y, self.coef, self.intercept, ""))
        return [*found, self.beside_the_lasso(row), *self.curvature(row)]

    def stationarity(self, row: str) -> Claim:
        """The distance of minus the gradient to the subdifferential, in units free of the scale of columns and y."""
        off = subdistance(self.penalty, self.coef, self.slope, EVERY) / (np.sqrt(self.bend) * self.root_square)
        return Claim.at_most(
            row, "distance of a coefficient to stationarity, relative (largest)",
            np.max(off, initial=0.0), self.model.tol + self.rounding,
        )  # fmt: skip

    def single_moves(self, row: str) -> Claim:
        """What the best change of one coefficient alone, the others as they are, would gain."""
        bend, coef = self.bend[self.movable], self.coef[self.movable]
        target = coef - self.slope[self.movable] / bend
        best = np.asarray(prox(self.penalty, target, 1.0 / bend, EVERY))
        here = 0.5 * bend * (coef - target) ** 2 + value(self.penalty, coef, EVERY)
        gain = here - 0.5 * bend * (best - target) ** 2 - value(self.penalty, best, EVERY)
        reach = 1.0 + np.max(np.sqrt(bend) * np.abs(best - coef), initial=0.0) / self.root_square
        bound = (self.model.tol + self.rounding) * reach * self.root_square**2
        return Claim.at_most(
            row, "no single coefficient can be changed to lower the objective by more than",
            np.max(gain, initial=0.0), bound + 64.0 * np.finfo(float).eps * float(np.max(np.abs(here), initial=0.0)),
        )  # fmt: skip

    def beside_the_lasso(self, row: str) -> Claim:
        """The objective here and at the lasso's solution."""
        lasso = np.asarray(self.model.lasso_coef_, dtype=float)
        other = np.asarray(self.X @ lasso).ravel() + float(self.model.lasso_intercept_)
        here, there = self._objective(self.coef, self.f), self._objective(lasso, other)
        return Claim.at_most(
            row, "the objective is not above that of the lasso's solution (difference)",
            here - there, (self.model.tol + self.rounding) * self.root_square**2,
        )  # fmt: skip

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
        return Claim.at_most(
            row, "duality gap: the objective is above its minimum by at most",
            max(gap.gap, 0.0), (self.model.tol + self.rounding) * size * self.root_square**2,
        )  # fmt: skip

    def _objective(self, coef: np.ndarray, f: np.ndarray) -> float:
        return 0.5 * float(self.weight @ (self.y - f) ** 2) + total(self.penalty, coef)

    def _mean_squares(self) -> np.ndarray:
        squares = self.X.multiply(self.X) if sparse.issparse(self.X) else np.asarray(self.X, dtype=float) ** 2
        return np.asarray(squares.T @ self.weight).ravel()
