"""Proximal Newton for a categorical likelihood with an L1 or elastic-net penalty.

J(B, b) = Σ wᵢ (−log P(yᵢ | Bᵀxᵢ + b)) / W + Σ φ(B_jk). One state per round; in a round, for each score k in turn:

1. the likelihood is replaced by its quadratic model in the scores f of class k: curvature h = P(1 − P), working
   response z = f + (indicator − P) / h;
2. the weighted elastic net min Σ wᵢhᵢ(zᵢ − xᵢ·β − b)² / (2W) + Σ φ(β_j) is solved by coordinate descent;
3. the step towards its solution is halved until the objective falls enough.

With several classes, adding the same number to a coefficient in every class changes no probability; a round ends with
the shift of each column that the penalty likes best. Syllabus: L21, C7.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import sparse

from learnable.problems.categorical import indicators, negative_log_likelihood, probabilities
from learnable.problems.penalties import EVERY, ElasticNet, subdistance, total
from learnable.solvers import coordinate_descent

# Any positive curvature keeps the gradient of the model right; this one keeps the working response finite.
LEAST_CURVATURE = 1e-10
INNER_ROUNDS = 40
# Rounds without progress after which rounding is all that is left.
PATIENCE = 5


class ProximalState(NamedTuple):
    """At the end of a round (the first state is the start).

    Attributes
    ----------
    objective : J.
    violation : largest distance of a coordinate from its optimality condition, intercepts included.
    theta : (p + 1, K), intercepts in the last row; (p, K) without intercept.
    steps : rounds made.
    """

    objective: float
    violation: float
    theta: np.ndarray
    steps: int


def iterates(
    X, index: np.ndarray, n_scores: int, weight: np.ndarray | None, penalty: ElasticNet, intercept: bool,
    start: np.ndarray | None = None,
) -> Iterator[ProximalState]:  # fmt: skip
    """States until no step improves the objective any more in floating point.

    Parameters
    ----------
    X : array or sparse matrix (n, p).
    index : (n,) class indices.
    n_scores : 1 for two classes, K for K ≥ 3.
    weight : (n,) row weights, or None.
    penalty : in mean-loss scaling.
    intercept : whether intercepts are free.
    start : (p + intercept, n_scores), zero if None.
    """
    fit = _Fit(X, index, n_scores, weight, penalty, intercept)
    p = fit.p
    theta = np.zeros((p + 1, n_scores))
    if start is not None:
        theta[: len(start)] = start
    value, best, steps, stalled = fit.value(theta, fit.scores(theta)), np.inf, 0, 0
    while stalled < PATIENCE:
        violation = fit.violation(theta)
        yield ProximalState(value, violation, theta if intercept else theta[:p], steps)
        theta = theta.copy()
        scores = fit.scores(theta)
        for k in range(n_scores):
            fit.improve(theta, scores, k)
        if n_scores > 1:
            theta[:p] -= best_shift(penalty, theta[:p])[:, None]
            theta[p] -= theta[p].mean()
        before, value = value, fit.value(theta, fit.scores(theta))
        # At the minimum J cannot tell points apart any more; there a smaller violation is progress too.
        progress = value < before - 1e-14 * abs(before) or violation < best
        stalled = 0 if progress else stalled + 1
        best, steps = min(best, violation), steps + 1


class _Fit:
    """The data and the objective of one fit."""

    def __init__(self, X, index, n_scores, weight, penalty, intercept):
        self.X = sparse.csc_array(X, dtype=float) if sparse.issparse(X) else np.asfortranarray(X, dtype=float)
        self.index, self.p = index, X.shape[1]
        self.weight = np.ones(len(index)) if weight is None else np.asarray(weight, dtype=float)
        self.W = float(self.weight.sum())
        self.target = indicators(index, n_scores)
        self.penalty, self.intercept = penalty, intercept

    def scores(self, theta: np.ndarray) -> np.ndarray:
        return np.asarray(self.X @ theta[: self.p]) + theta[self.p]

    def value(self, theta: np.ndarray, scores: np.ndarray) -> float:
        loss = float(self.weight @ negative_log_likelihood(self.index, scores)) / self.W
        return loss + total(self.penalty, theta[: self.p])

    def violation(self, theta: np.ndarray) -> float:
        pull = (probabilities(self.scores(theta)) - self.target) * self.weight[:, None] / self.W
        slope = np.asarray(self.X.T @ pull)
        worst = subdistance(self.penalty, theta[: self.p], slope, EVERY).max(initial=0.0)
        return float(max(worst, np.abs(pull.sum(axis=0)).max() if self.intercept else 0.0))

    def improve(self, theta: np.ndarray, scores: np.ndarray, k: int) -> None:
        """One proximal Newton step on the coefficients of score k, in place."""
        p = self.p
        pull = self.target[:, k] - probabilities(scores)[:, k]
        P = self.target[:, k] - pull
        h = np.maximum(P * (1.0 - P), LEAST_CURVATURE)
        coef, offset = self._weighted_elastic_net(scores[:, k] + pull / h, self.weight * h, theta[:p, k])
        step = np.append(coef - theta[:p, k], offset - theta[p, k] if self.intercept else 0.0)
        along = np.asarray(self.X @ step[:p]) + step[p]
        value = self.value(theta, scores)
        decrease = -float((self.weight * pull) @ along) / self.W
        decrease += total(self.penalty, coef) - total(self.penalty, theta[:p, k])
        flat = 1e-14 * abs(value)
        trial, moved = theta.copy(), scores.copy()
        for halvings in range(30):
            length = 0.5**halvings
            trial[:, k], moved[:, k] = theta[:, k] + length * step, scores[:, k] + length * along
            if self.value(trial, moved) <= value + max(1e-4 * length * decrease, -flat) + flat:
                theta[:, k], scores[:, k] = trial[:, k], moved[:, k]
                return

    def _weighted_elastic_net(self, response: np.ndarray, weight: np.ndarray, start: np.ndarray):
        """(β, b) of the quadratic model, as exactly as the step is worth."""
        design, x_mean, y_mean = coordinate_descent.centred_columns(self.X, response, weight, self.intercept)
        # The solver divides by Σ wh, the objective by W: the penalty is scaled accordingly.
        penalty = self.penalty._replace(alpha=self.penalty.alpha * self.W / design.weight_sum)
        first, rounding = None, 4.0 * np.finfo(float).eps * float(design.y @ design.y) / design.weight_sum
        for rounds, state in enumerate(coordinate_descent.iterates([design], penalty, [start], enough=-np.inf)):
            first = state.objective if first is None else first
            worth = max(1e-4 * (first - state.objective), rounding)
            # At least one round: a gap lost in rounding says nothing yet about the coefficients.
            if (rounds and state.gap[0] <= worth) or rounds >= INNER_ROUNDS:
                break
        coef = state.coef[0]
        return coef, y_mean - x_mean @ coef


def best_shift(penalty: ElasticNet, B: np.ndarray) -> np.ndarray:
    """For each row of B, the number s that minimises Σ_k φ(B_k − s): the median for L1, the mean for L2.

    The sum is convex and quadratic between neighbouring entries, so that its minimum is at an entry or at the
    stationary point of a piece.

    >>> best_shift(ElasticNet(1.0, 1.0), np.array([[1.0, 2.0, 9.0]]))
    array([2.])
    """
    K = B.shape[1]
    ordered = np.sort(B, axis=1)
    candidates = [ordered]
    ridge = penalty.alpha * (1.0 - penalty.l1_ratio)
    if ridge > 0.0:
        below = np.arange(1, K)
        stationary = B.mean(axis=1, keepdims=True) - penalty.alpha * penalty.l1_ratio * (2 * below - K) / (ridge * K)
        candidates.append(np.clip(stationary, ordered[:, :-1], ordered[:, 1:]))
    shift = np.hstack(candidates)
    apart = B[:, None, :] - shift[:, :, None]
    cost = (penalty.alpha * penalty.l1_ratio * np.abs(apart) + 0.5 * ridge * apart**2).sum(axis=2)
    return shift[np.arange(len(B)), cost.argmin(axis=1)]
