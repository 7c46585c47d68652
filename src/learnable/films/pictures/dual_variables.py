"""Kernel machines: the surface, the support vectors, and how much weight each carries."""

import numpy as np
from scipy import sparse

from learnable.films.marks import plane
from learnable.films.registry import Picture, Shot, draws
from learnable.films.surfaces import rows_of, share, surface


def _duals(shot: Shot) -> np.ndarray:
    """One number ≥ 0 for each row of the table."""
    model, n = shot.model, 0 if shot.stage.X is None else len(shot.stage.X)
    dual = model.dual_coef_
    dual = np.abs(np.asarray(dual.todense() if sparse.issparse(dual) else dual, dtype=float))
    if dual.shape[-1] == n or dual.shape[0] == n:
        return dual.reshape(-1, n).max(axis=0) if dual.shape[-1] == n else dual.reshape(n, -1).max(axis=1)
    weights = np.zeros(n)
    if dual.size:  # there are none at the start
        weights[np.asarray(model.support_)] = dual.reshape(-1, len(model.support_)).max(axis=0)
    return weights


@draws(
    "solvers.kernels.machines.MachinesState",
    "solvers.kernels.hard_margin.HardMarginState",
    "solvers.kernels.kernel_perceptron.MistakeState",
)
def dual_variables(shot: Shot) -> Picture:
    """Rows as large as their dual variables; rings mark those that carry the answer."""
    stage, duals = shot.stage, _duals(shot)
    drawn = duals[stage.shown]
    largest = float(duals.max()) or 1.0
    panel = plane(
        "Rows as large as their dual variables; rings mark those that are not 0", *stage.plane.names, stage.plane.box,
        [surface(shot), rows_of(shot, ring=drawn > 1e-9 * largest, size=0.6 + 1.2 * np.sqrt(drawn / largest))],
        note=stage.notes(),
    )  # fmt: skip
    return Picture([panel], f"{share(duals > 1e-9 * largest)} rows carry the answer.")
