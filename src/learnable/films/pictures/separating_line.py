"""Linear classifiers: the line, its margin, and the rows on the wrong side."""

import numpy as np

from learnable.films.marks import plane, segments
from learnable.films.registry import Picture, Shot, draws
from learnable.films.surfaces import classifies_numbers, rows_of, share, surface, wrong


def _between_two(shot: Shot) -> bool:
    coef = getattr(shot.model, "coef_", None)
    return classifies_numbers(shot) and coef is not None and np.asarray(coef).size == shot.stage.X.shape[1]  # type: ignore[union-attr]


@draws(
    "solvers.linear.perceptron.PerceptronState",
    "solvers.linear.stochastic_gradient.EpochState",
    "solvers.linear.random_misclassified_perceptron.UpdateState",
    "solvers.linear.random_directions.DrawState",
    "solvers.linear.newton.NewtonState",
    "solvers.linear.discriminant.LinearDiscriminantState",
    "solvers.sparse.proximal_newton.ProximalState",
    "solvers.sparse.dantzig.DantzigState",
    "solvers.sparse.coordinate_descent.DescentState",
    "solvers.neural.epochs.EpochState",
    "concepts.half_space_learner.HalfSpaceState",
    "kernels.linear_machine.LinearMachinesState",
    when=_between_two,
)
def separating_line(shot: Shot) -> Picture:
    """The line where the score is 0, and dashed the nearest rows that are on the right side, if all are."""
    model, stage = shot.model, shot.stage
    coef, intercept = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    length = float(np.linalg.norm(coef))
    lines = [stage.plane.cut(coef, intercept)]
    missed = wrong(shot)
    margin = _smallest_margin(shot, coef, intercept)
    if margin > 0.0:
        lines += [stage.plane.cut(coef, intercept + side * margin * length) for side in (-1.0, 1.0)]
    dashed = segments(lines[1:] or [[np.nan] * 4] * 2, [-1, -1], dashed=True)
    cut = "the line is where the boundary cuts this plane" if stage.plane.note else ""
    panel = plane(
        "Rows, boundary and margin; rings mark rows on the wrong side", *stage.plane.names, stage.plane.box,
        [surface(shot), rows_of(shot, ring=missed), segments(lines[:1], [-1], width=2.5), dashed],
        note=stage.notes(cut),
    )  # fmt: skip
    never = " No line has every row on its side: that is proved." if stage.inseparable else ""
    nearest = f"the nearest row is {margin:.3g} from the boundary" if margin > 0.0 else "there is no margin"
    return Picture([panel], f"{share(missed)} rows are on the wrong side; {nearest}.{never}", {"margin": margin})


def _smallest_margin(shot: Shot, coef: np.ndarray, intercept: float) -> float:
    """min over all rows of ±(coef·x + intercept)/‖coef‖, the sign being that of the row's class."""
    stage, length = shot.stage, float(np.linalg.norm(coef))
    assert stage.X is not None
    if length == 0.0:
        return 0.0
    sign = np.where(stage.y == np.asarray(shot.model.classes_)[-1], 1.0, -1.0)
    return float(np.min(sign * (stage.X @ coef + intercept)) / length)


@draws(
    "solvers.linear.least_squares.LeastSquaresState",
    "solvers.linear.perceptron.PerceptronState",
    "solvers.linear.stochastic_gradient.EpochState",
    "solvers.linear.newton.NewtonState",
    "solvers.linear.discriminant.LinearDiscriminantState",
    "solvers.linear.quadratic_discriminant.QuadraticDiscriminantState",
    "solvers.sparse.proximal_newton.ProximalState",
    "solvers.ensembles.forest.ForestState",
    "solvers.ensembles.gradient_boosting.GradientState",
    "solvers.ensembles.histogram_boosting.BoostingState",
    "solvers.ensembles.l1_ada_boost.L1State",
    "ensembles.bagging.BaggingState",
    "ensembles.decision_stump._State",
    "kernels.linear_machine.LinearMachinesState",
    "kernels.representer_machine.RepresenterState",
    when=lambda shot: classifies_numbers(shot) and not _between_two(shot),
)
def regions(shot: Shot) -> Picture:
    """What the model says at each place, by colour."""
    stage, missed = shot.stage, wrong(shot)
    panel = plane(
        "Rows, and what the model says everywhere; rings mark its mistakes", *stage.plane.names, stage.plane.box,
        [surface(shot), rows_of(shot, ring=missed)], note=stage.notes(_slice(shot)),
    )  # fmt: skip
    return Picture([panel], f"{share(missed)} rows are given another class.")


def _slice(shot: Shot) -> str:
    return "colours are what the model says on this plane" if shot.stage.plane.note else ""
