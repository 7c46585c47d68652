"""CLIME: both answers of every programme feasible, and of the same value. Syllabus: G4."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, allowed, certifies, reported
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
    X = np.asarray(X, dtype=float)
    p, level = X.shape[1], float(model.alpha)
    precomputed = model.covariance == "precomputed"
    location = np.zeros(p) if precomputed or model.assume_centered else np.sum(X, axis=0) / len(X)
    S = X if precomputed else (X - location).T @ (X - location) / len(X)
    theta, u = np.asarray(model.columns_, dtype=float), np.asarray(model.dual_, dtype=float)
    over = (np.abs(S @ theta - np.eye(p)) - level) / (np.abs(S) @ np.abs(theta) + 1.0)
    slope = np.abs(S @ u).max(axis=0)
    over_dual = (slope - 1.0) / (1.0 + (np.abs(S) @ np.abs(u)).max(axis=0))
    # Shrunk into its constraints, u proves its value whatever its rounding.
    inside = u / np.maximum(slope, 1.0)
    primal, proved = np.abs(theta).sum(axis=0), np.diag(inside) - level * np.abs(inside).sum(axis=0)
    entered = primal + np.abs(np.diag(u)) + level * np.abs(u).sum(axis=0)
    gap = np.max(np.abs(primal - proved) / np.where(entered > 0.0, entered, 1.0))
    size = np.abs(X).max(axis=0)
    shift = np.abs(location - model.location_) / np.where(size > 0.0, size, 1.0)
    return [
        Claim.at_most("G4", "every column meets its constraints (largest excess)", max(over.max(), 0.0), SOLVED),
        Claim.at_most(
            "G4", "every dual answer meets its constraints (largest excess)",
            max(over_dual.max(), 0.0), SOLVED,
        ),
        Claim.at_most("G4", "relative gap of the programmes (the largest)", gap, allowed(SOLVED)),
        reported("G4", "precision_, the smaller half of the columns,", model.precision_, symmetrised(theta), 1e-12),
        Claim.at_most("G4", "the location is that of the rows", float(shift.max()), 1e-9),
    ]  # fmt: skip
