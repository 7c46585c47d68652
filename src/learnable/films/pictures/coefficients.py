"""Coefficients: how large each is, and how it came to be so."""

import numpy as np

from learnable.films.marks import bars, history
from learnable.films.registry import Picture, Shot, draws
from learnable.films.surfaces import fits_numbers, share

KINDS = (
    "sparse.lars.Paths",
    "sparse.cross_validated_path.ChosenState",
    "solvers.sparse.admm.ADMMState",
    "solvers.sparse.branch_and_bound.SubsetState",
    "solvers.sparse.dantzig.DantzigState",
    "solvers.sparse.folded_descent.FoldedState",
    "solvers.sparse.group_descent.GroupState",
    "solvers.sparse.multi_task_descent.RowDescentState",
    "solvers.sparse.nuclear_descent.NuclearState",
    "solvers.sparse.penalty_path.PathState",
    "solvers.sparse.proximal_gradient.GradientState",
    "solvers.sparse.proximal_newton.ProximalState",
    "solvers.sparse.splicing.SplicingState",
    "solvers.sparse.stepwise.StepwiseState",
    "solvers.sparse.subset_cuts.CutState",
)
MOST = 40


@draws(*KINDS)
def coefficients(shot: Shot) -> Picture:
    """Bars of the coefficients, and their paths through the states."""
    coef = np.ravel(shot.model.coef_)
    names = _names(shot, coef)
    chosen = coef != 0.0
    group = np.where(chosen, np.arange(len(coef)) % 8, -1)
    panels = [bars("Coefficients", names, coef, group)]
    if len(coef) <= MOST:
        panels.append(history("Their paths through the states", names, coef))
    return Picture(panels, f"{share(chosen)} coefficients are not zero.")


def _names(shot: Shot, coef: np.ndarray) -> list[str]:
    names = shot.stage.names
    if len(names) == len(coef):
        return names
    return [f"x{j}" for j in range(len(coef))]


@draws(
    "solvers.sparse.coordinate_descent.DescentState",
    when=lambda shot: fits_numbers(shot) and hasattr(shot.model, "alpha"),
)
def working_set(shot: Shot) -> Picture:
    """The lasso's own condition: no column may pull on the residual with more than α, those in use pull with α."""
    model, stage = shot.model, shot.stage
    X, y, weight = stage.X, stage.y, stage.data[2]
    assert X is not None
    assert y is not None
    coef, ratio = np.ravel(model.coef_), float(getattr(model, "l1_ratio", 1.0))
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=float)
    residual = weight * (y - X @ coef - float(np.ravel(model.intercept_)[0]))
    pull = X.T @ residual / weight.sum() - model.alpha * (1.0 - ratio) * coef
    below = coefficients(shot)
    plain_lasso = type(model).__name__ in ("Lasso", "ElasticNet")
    bound = float(model.alpha * ratio) if plain_lasso else None
    note = "blue columns are in use" + ("; the line is the penalty; lengths are square roots" if plain_lasso else "")
    panel = bars(
        "How hard each column pulls on the residual", _names(shot, coef), np.abs(pull), np.where(coef != 0.0, 0, -1),
        bound=bound, note=note,
    )  # fmt: skip
    violated = np.abs(pull) > model.alpha * ratio * (1.0 + 1e-6)
    over = (
        f" {share(violated & (coef == 0.0))} columns pull harder than the penalty and are not in use."
        if plain_lasso
        else ""
    )
    return below._replace(panels=[panel, *below.panels], caption=below.caption + over)
