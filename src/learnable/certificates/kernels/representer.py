"""Certificate of the representer problem with any convex loss. Syllabus: K11, S10."""

from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, allowed, certifies
from learnable.certificates.core.worst import worst_of
from learnable.certificates.kernels.conditions import FEASIBLE
from learnable.certificates.kernels.expansion import expansion_kernel, kept_rows, products, row_coefficients
from learnable.certificates.kernels.reading import weights
from learnable.problems.kernels.machines import values
from learnable.problems.linear import losses as basic
from learnable.problems.linear import margin_losses, regression_losses

# Scores are off by about the square root of this.
GAP = 1e-5
# β against −C ∂ℓ, relative to the largest.
SLOPE = 1e-6
LOSSES: dict[str, Any] = {
    "hinge": basic.Hinge(), "squared_hinge": margin_losses.SquaredHinge(), "logistic": basic.Logistic(),
    "modified_huber": margin_losses.ModifiedHuber(), "squared": basic.Squared(),
    "absolute": regression_losses.Absolute(), "huber": regression_losses.Huber(1.35),
    "epsilon_insensitive": regression_losses.EpsilonInsensitive(0.1),
    "squared_epsilon_insensitive": regression_losses.SquaredEpsilonInsensitive(0.1),
}  # fmt: skip
KINKED = (basic.Hinge, regression_losses.Absolute, regression_losses.EpsilonInsensitive)

LEDGER = Ledger(verified=("dual_coef_",), derived=("X_fit_",), unverified=("n_iter_",))


@certifies("KernelClassifier", "KernelRegressor", ledger=LEDGER, double=True)
def representer_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The relative duality gap of each function; where the loss is smooth, β = −C ∂ℓ at every row."""
    loss = LOSSES[model.loss] if isinstance(model.loss, str) else model.loss
    y = np.asarray(y)
    if hasattr(model, "classes_"):
        sides = model.classes_[1:] if len(model.classes_) == 2 else model.classes_
        targets = [np.where(y == each, 1.0, -1.0) for each in sides]
    else:
        targets = [y.astype(float)]
    C = model.C * weights(X.shape[0], sample_weight)
    dual = row_coefficients(model, X.shape[0], (len(targets),) if hasattr(model, "classes_") else ())
    kernel = expansion_kernel(model, X)
    scores, _ = products(kernel, X, dual)
    gap, slope, beyond = 0.0, 0.0, 0.0
    for k, target in enumerate(targets):
        beta, f = dual[:, k], scores[:, k]
        size = max(float(np.abs(beta).max(initial=0.0)), np.finfo(float).tiny)
        if isinstance(loss, KINKED):
            inside = _inside(loss, target, C, beta)
            beyond = worst_of(beyond, float(np.abs(beta - inside).max(initial=0.0)) / size)
            beta = inside
        else:
            away = np.abs(beta + C * basic.gradient(loss, target, f))
            slope = worst_of(slope, float(away.max(initial=0.0)) / size)
            beta = -C * basic.gradient(loss, target, f)
        # The value of f as it is, against the dual value of a point that is surely feasible.
        gap = worst_of(gap, _gap(loss, target, C, dual[:, k], f, beta, kernel, X))
    return [
        Claim.at_most(
            "K11", "relative duality gap", gap, allowed(GAP),
            assumptions=() if kernel.is_semidefinite else ("the matrix of kernel values is positive semidefinite",),
        ),
        Claim.at_most("K11", "coefficients against -C times the slope of the loss", slope, SLOPE),
        Claim.at_most("K11", "coefficients outside the range of the loss's slopes", beyond, FEASIBLE),
        Claim.at_most("K11", "rows kept that are not the training rows", kept_rows(model, X), 0.0),
    ]  # fmt: skip


def _inside(loss: Any, y: np.ndarray, C: np.ndarray, beta: np.ndarray) -> np.ndarray:
    if isinstance(loss, basic.Hinge):
        return np.where(y > 0.0, np.clip(beta, 0.0, C), np.clip(beta, -C, 0.0))
    return np.clip(beta, -C, C)


def _gap(loss, y, C, beta, f, feasible, kernel, X) -> float:
    """(P − D) / P with P at f and D at the feasible point; where the two coincide no product is needed again."""
    if np.array_equal(beta, feasible):
        return values(loss, y, C, beta, f, 0.0).relative_gap
    size = float(np.abs(beta).max(initial=0.0))
    if float(np.abs(beta - feasible).max(initial=0.0)) > 1e-3 * size:
        return np.inf
    primal = values(loss, y, C, feasible, f, 0.0)
    moved, _ = products(kernel, X, (feasible - beta)[:, None])
    other = values(loss, y, C, feasible, f + moved[:, 0], 0.0)
    half = 0.5 * (float(beta @ f) - float(feasible @ f))
    size = max(abs(primal.primal), abs(other.dual), np.finfo(float).tiny)
    return (primal.primal + half - other.dual) / size
