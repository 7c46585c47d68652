"""How the weights of a linear machine are read."""

import math
from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core import Claim
from learnable.certificates.kernels.conditions import TINY
from learnable.problems.kernels.kernel import squares

# Relative duality gap that counts as optimal, of all classes in one machine and under an L1 penalty.
GAP = 5e-3
# The same of one class against the rest: weights and dual coefficients off by a hundredth have a gap of 1e-4 and more.
CLOSE_GAP = 1e-4
# The same where no dual coefficients tie the weights down: weights off by a hundredth have a gap of a few 1e-5.
SHARP_GAP = 2e-5
# A gap beside what the answer gains over the best constant: weights are off by about its root, relatively.
GAINED = 1e-4
# Scores that differ by no more than this share of the targets are constant.
CONSTANT, EPS = 1e-9, float(np.finfo(float).eps)
# coef_ against Σ βx, relative.
AGREE = 1e-6
# Scores of coef_ against those of Σ βx, relative to what scores of rows differ by.
SAY = 1e-3
# What is left of a sum that cancels: this, times AGREE, of what is added up.
ROUNDING = 1e-9
# The same of sums over rows that a fit takes step by step.
ADDED_UP = 16.0 * EPS


def read_weights(model: Any, machines: int, columns: int) -> tuple[np.ndarray, np.ndarray, float]:
    """(weights, one row a machine; offsets; what the column of the offset holds)."""
    scale = float(model.intercept_scaling) if model.fit_intercept else 0.0
    coef = model.coef_.toarray() if sparse.issparse(model.coef_) else np.asarray(model.coef_)
    if not hasattr(model, "classes_"):  # one machine of numbers has one vector
        coef = np.atleast_2d(coef)
    offset = np.asarray(model.intercept_, dtype=float)
    if coef.shape != (machines, columns) or offset.shape not in ((), (1,), (machines,)):
        raise IndexError(
            f"coef_ and intercept_ have shapes {coef.shape} and {offset.shape} for {machines} machines of {columns} "
            "columns"
        )
    return coef, np.broadcast_to(offset, (machines,)), scale


def read_dual(model: Any, machines: int, rows: int) -> np.ndarray:
    """(machines, rows) `dual_coef_`; an error that refutes it where it has another shape."""
    dual = np.asarray(model.dual_coef_, dtype=float)
    if dual.shape != (machines, rows):
        raise IndexError(f"dual_coef_ has shape {dual.shape} for {machines} machines of {rows} rows")
    return dual


def distance(away: float, largest: float, X: Any, scale: float, beta: np.ndarray) -> float:
    """√(away/largest) of weights from those that β makes up, both of them squares.

    Weights of 0, as of rows with opposite labels, are what rounding leaves of the sum.
    """
    largest = max(largest, TINY)
    if away > AGREE**2 * largest:
        longest = float(np.sqrt(squares(X).max(initial=0.0)))
        largest = max(largest, (ROUNDING * float(np.abs(beta).sum()) * (longest + scale)) ** 2)
    return math.sqrt(away / largest)


def scores_apart(X: Any, between: np.ndarray, beta: np.ndarray, scores: np.ndarray) -> float:
    """How far differences of scores are from those of the weights that β makes up, which are `between` further.

    Weights of a column of large numbers are small, and the size of the others would hide what they do to the scores.
    """
    ends = [getattr(X, end)(axis=0) for end in ("min", "max")]
    least, largest = (end.toarray().ravel() if sparse.issparse(end) else end for end in ends)
    terms = np.asarray(np.abs(beta) @ abs(X)).ravel()
    rounding = ADDED_UP * float(terms @ (largest - least)) / SAY
    rounding += ADDED_UP * float(terms @ np.maximum(np.abs(least), np.abs(largest)) + np.abs(scores).max(initial=0.0))
    return float(np.std(np.asarray(X @ between))) / max(float(np.std(scores)) + rounding, TINY)


def scores_claim(row: str, apart: float) -> Claim:
    statement = "differences of scores against those of the dual coefficients, relative"
    return Claim.at_most(row, statement, apart, SAY)


def gained_claim(row: str, beside: float) -> Claim:
    statement = "duality gap beside what is gained over the best constant"
    return Claim.reached(row, statement, beside, GAINED, asked=np.inf)
