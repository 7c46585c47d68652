"""One unit trained by the delta rule: its error and gradient as reported, and how far it is from least squares.

Syllabus: NN2, O4.
"""

from typing import Any

import numpy as np
from scipy.sparse import issparse

from learnable.certificates.core import Claim, Ledger, certifies, thorough
from learnable.certificates.neural.network import (
    difference_claims,
    reported_claims,
    stationarity_claim,
)
from learnable.certificates.neural.reading import Reading, standing

LEDGER = Ledger(
    verified=("coef_", "intercept_"), derived=("objective_", "gradient_norms_"), unverified=("loss_curve_", "n_iter_")
)


@certifies("LinearUnit", "SigmoidUnit", ledger=LEDGER, foreign=False, again=lambda model, found: True)
def unit_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Claims about a unit on its rows."""
    sigmoid = type(model).__name__ == "SigmoidUnit"
    target = (np.asarray(y) == model.classes_[1]).astype(float) if sigmoid else np.asarray(y, dtype=float)
    weight = np.ones(X.shape[0]) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    weight = weight / weight.sum()
    X = X if issparse(X) else np.asarray(X, dtype=float)
    if np.shape(model.coef_) != ((1, X.shape[1]) if sigmoid else (X.shape[1],)):
        raise IndexError(f"coef_ has shape {np.shape(model.coef_)}, X has {X.shape[1]} columns")
    coef = np.asarray(model.coef_, dtype=float).reshape(-1, 1)
    output = "sigmoid_squared" if sigmoid else "identity"
    net = Reading("identity", output, [coef], [np.atleast_1d(np.asarray(model.intercept_, float))], [], 0.0, 0.0)
    at = standing(net, X, target[:, None], weight)
    claims = reported_claims(model, at)
    if thorough():
        claims += difference_claims(net, at, X, target[:, None], weight)
        if not sigmoid:
            claims.append(_excess(at.objective, X, target, weight))
    claims.append(stationarity_claim(net, at, target[:, None], weight))
    return claims


def _excess(objective: float, X: Any, y: np.ndarray, weight: np.ndarray) -> Claim:
    """E less the least one, by an orthogonal solution of least squares, relative to E of the best constant."""
    root = np.sqrt(weight)
    rows = np.column_stack([X.toarray() if issparse(X) else X, np.ones(len(y))]) * root[:, None]
    best, *_ = np.linalg.lstsq(rows, root * y, rcond=None)
    left = root * y - rows @ best
    constant = 0.5 * float(weight @ (y - weight @ y) ** 2) or 1.0
    excess = max(objective - 0.5 * float(left @ left), 0.0) / constant
    return Claim.disclosure("NN2", "E is above its minimum, least squares, by (of E of the best constant)", excess)
