"""Proximal Newton steps in the coefficients of all classes at once, on a working set of (class, column) pairs.

Syllabus: L21, C7.
"""

import numpy as np

from learnable.problems.linear.categorical import negative_log_likelihood, probabilities
from learnable.problems.sparse.penalties import ElasticNet, subdistance, total
from learnable.solvers.core.working_set import furthest
from learnable.solvers.sparse.design_columns import DesignColumns
from learnable.solvers.sparse.joint_model import JointModel

# Coefficients of all classes that may move at once: their cross-products fit into the memory of a processor.
MOST = 2500
# Pairs that may enter the working set at once, however small the support.
FEWEST = 200
# Pairs of the working set serve again as long as they are at most so many times those wanted.
ROOM = 1.5
STEPS = 10
# The problem of the working set is solved so much further than the whole is, while it changes and once it serves again.
NEW, SETTLED = 0.1, 0.003
# The model is made anew once a step reduces the violation by less than this.
GOOD_PROGRESS = 0.05
# A change of the objective by less than this share of it may be rounding.
FLAT = 1e-14


class JointNewton:
    """Steps for one design and one loss −log P(class).

    Parameters
    ----------
    every : the columns.
    index : (n,) classes 0, ..., K − 1, K ≥ 3.
    target : (n, K) their indicators.
    share : (n,) weights that sum to one.
    """

    def __init__(
        self, every: DesignColumns, index: np.ndarray, target: np.ndarray, share: np.ndarray, penalty: ElasticNet,
        intercept: bool,
    ):  # fmt: skip
        self.every, self.index, self.target, self.share = every, index, target, share
        self.penalty, self.intercept, self.p = penalty, intercept, len(every.places)
        self.columns, self.pairs = every, np.zeros(0, dtype=np.int64)
        self.model: JointModel | None = None
        self.last = np.inf

    def improve(self, theta: np.ndarray, scores: np.ndarray, distance: np.ndarray, violation: float) -> bool:
        """Move `theta` (p + 1, K) and `scores` (n, K) in place; False where too many coefficients would have to move.

        Parameters
        ----------
        distance : (p, K) from the optimality conditions at the start of the round.
        violation : the largest, intercepts included.
        """
        settled = self._working_set(theta[: self.p].T.ravel(), distance.T.ravel())
        if settled is None:
            return False
        k, j = np.divmod(self.pairs, self.p)
        for made in range(STEPS):
            P = probabilities(scores)
            pull = (P - self.target) * self.share[:, None]
            coef, slope = theta[j, k], self.columns.pulled(pull)[np.searchsorted(self.columns.places, j), k]
            now = float(subdistance(self.penalty, coef, slope, self.pairs).max(initial=0.0))
            now = max(now, float(np.abs(pull.sum(axis=0)).max())) if self.intercept else now
            if made and now <= (SETTLED if settled else NEW) * violation:
                break
            fresh = self.model is None or now > GOOD_PROGRESS * self.last
            if self.model is None or fresh:
                self.model = JointModel(self.columns, self.pairs, self.p, P, self.share, self.intercept)
            self.last = now
            new, shift = self.model.minimum(self.penalty, coef, slope, pull)
            if not self._step(self.model, theta, scores, new, shift, pull) and fresh:
                break
        return True

    def _working_set(self, coef: np.ndarray, distance: np.ndarray) -> bool | None:
        """Pairs in use and those that violate their condition most. Whether the last ones serve; None if too many."""
        size = max(FEWEST, 2 * int(np.count_nonzero(coef)))
        wanted = furthest(np.where(coef != 0.0, np.inf, distance), size)
        if len(wanted) > MOST:
            return None
        if len(self.pairs) <= ROOM * len(wanted) and np.isin(wanted, self.pairs).all():
            return True
        self.pairs, self.model, self.last = wanted, None, np.inf
        places = np.unique(wanted % self.p)
        self.columns = self.columns.part(places) if self.columns.hold(places) else self.every.part(places)
        return False

    def _step(self, model: JointModel, theta, scores, new: np.ndarray, shift: np.ndarray, pull: np.ndarray) -> bool:
        """Towards the minimum of the model as far as the objective falls enough; whether it moved."""
        k, j = np.divmod(self.pairs, self.p)
        old, before, free = theta[j, k], scores.copy(), theta[self.p].copy()
        step = new - old
        along = model.along(step, shift)
        held = total(self.penalty, old)
        value = self._loss(scores) + held
        decrease = float(np.sum(pull * along)) + total(self.penalty, new) - held
        flat = FLAT * abs(value)
        for length in 0.5 ** np.arange(30):
            scores[:] = before + length * along
            moved = old + length * step
            if self._loss(scores) + total(self.penalty, moved) <= value + max(1e-4 * length * decrease, -flat) + flat:
                theta[j, k], theta[self.p] = moved, free + length * shift
                return bool(step.any() or shift.any())
        scores[:] = before
        return False

    def _loss(self, scores: np.ndarray) -> float:
        return float(self.share @ negative_log_likelihood(self.index, scores))
