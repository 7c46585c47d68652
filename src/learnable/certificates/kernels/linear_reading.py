"""How the weights of a linear machine are read."""

from typing import Any

import numpy as np
from scipy import sparse

# Relative duality gap that counts as optimal, of all classes in one machine and under an L1 penalty.
GAP = 5e-3
# The same of one class against the rest: weights and dual coefficients off by a hundredth have a gap of 1e-4 and more.
CLOSE_GAP = 1e-4
# The same where no dual coefficients tie the weights down: weights off by a hundredth have a gap of a few 1e-5.
SHARP_GAP = 2e-5
# coef_ against Σ βx, relative.
AGREE = 1e-6


def read_weights(model: Any, machines: int, columns: int) -> tuple[np.ndarray, np.ndarray, float]:
    """(weights, one row a machine; offsets; what the column of the offset holds)."""
    scale = float(model.intercept_scaling) if model.fit_intercept else 0.0
    coef = np.atleast_2d(model.coef_.toarray() if sparse.issparse(model.coef_) else np.asarray(model.coef_))
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
