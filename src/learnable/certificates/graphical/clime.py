"""CLIME: both answers of every programme feasible, and of the same value. Syllabus: G4."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, allowed, certifies, check_shapes, reported
from learnable.certificates.graphical.table import moments_of
from learnable.problems.graphical.clime import symmetrised

# Relative to what is added up.
SOLVED = 1e-8


@certifies(
    "CLIME",
    ledger=Ledger(verified=("columns_", "dual_"), derived=("precision_", "location_")),
    foreign=False,
)
def clime_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """All programmes at once: a column of each matrix is one of them."""
    table = moments_of(X, model.assume_centered, model.covariance == "precomputed")
    S, p, level = table.S, len(table.S), float(model.alpha)
    check_shapes(model, columns_=(p, p), dual_=(p, p))
    theta, u = np.asarray(model.columns_, dtype=float), np.asarray(model.dual_, dtype=float)
    over = (np.abs(S @ theta - np.eye(p)) - level) / (np.abs(S) @ np.abs(theta) + 1.0)
    slope = np.abs(S @ u).max(axis=0)
    over_dual = (slope - 1.0) / (1.0 + (np.abs(S) @ np.abs(u)).max(axis=0))
    # Shrunk into its constraints, u proves its value whatever its rounding.
    inside = u / np.maximum(slope, 1.0)
    primal, proved = np.abs(theta).sum(axis=0), np.diag(inside) - level * np.abs(inside).sum(axis=0)
    entered = primal + np.abs(np.diag(u)) + level * np.abs(u).sum(axis=0)
    gap = np.max(np.abs(primal - proved) / np.where(entered > 0.0, entered, 1.0))
    return [
        Claim.at_most("G4", "every column meets its constraints (largest excess)", max(over.max(), 0.0), SOLVED),
        Claim.at_most(
            "G4", "every dual answer meets its constraints (largest excess)",
            max(over_dual.max(), 0.0), SOLVED,
        ),
        Claim.at_most("G4", "relative gap of the programmes (the largest)", gap, allowed(SOLVED)),
        reported("G4", "precision_, the smaller half of the columns,", model.precision_, symmetrised(theta), 1e-12),
        Claim.at_most("G4", "the location is that of the rows", table.shift(model.location_), 1e-9),
    ]  # fmt: skip
