"""Regressions: what is predicted beside what was seen, and the residuals between."""

import numpy as np

from learnable.films.marks import curve, plane, points, segments
from learnable.films.registry import Picture, Shot, draws
from learnable.films.stage import box_around
from learnable.films.surfaces import fits_numbers


@draws(
    "solvers.linear.least_squares.LeastSquaresState",
    "solvers.linear.stochastic_gradient.EpochState",
    "solvers.linear.newton.NewtonState",
    "solvers.linear.bayesian_linear.Posterior",
    "solvers.linear.ridge_leave_one_out.RidgeChoice",
    "solvers.neural.epochs.EpochState",
    "solvers.neural.lbfgs.DescentState",
    "solvers.kernels.kernel_ridge.RidgeState",
    "solvers.kernels.machines.MachinesState",
    "solvers.ensembles.forest.ForestState",
    "solvers.ensembles.gradient_boosting.GradientState",
    "solvers.ensembles.histogram_boosting.BoostingState",
    "ensembles.bagging.BaggingState",
    "kernels.linear_machine.LinearMachinesState",
    "kernels.representer_machine.RepresenterState",
    "kernels.nadaraya_watson.SmoothState",
    "kernels.spline_regression.SplineState",
    when=fits_numbers,
)
def regression(shot: Shot) -> Picture:
    """One column: the curve through the rows. More: prediction against target, with the diagonal."""
    stage = shot.stage
    assert stage.X is not None
    assert stage.y is not None
    X, y = stage.X[stage.shown], stage.y[stage.shown].astype(float)
    predicted = np.asarray(shot.model.predict(X), dtype=float)
    residual = float(np.sqrt(np.mean((y - predicted) ** 2)))
    caption = f"The residuals are {residual:.4g} in the root of their mean square, on the rows that are drawn."
    numbers = {"residual": residual}
    if X.shape[1] == 1:
        box = box_around(np.column_stack([X[:, 0], y]))
        across = np.linspace(box[0], box[1], 120)
        through = curve(across, shot.model.predict(across[:, None]), 1)
        marks = [segments(_stems(X[:, 0], y, X[:, 0], predicted), np.full(len(y), -1), width=1.0),
                 points(np.column_stack([X[:, 0], y]), np.zeros(len(y), int)), through]  # fmt: skip
        return Picture(
            [plane("Rows, prediction and residuals", stage.names[0], "target", box, marks, note=stage.said)],
            caption, numbers,
        )  # fmt: skip
    low, high = float(y.min()), float(y.max())
    box = box_around(np.array([[low, low], [high, high + (high == low)]]), 0.15)
    marks = [curve([low, high], [low, high], -1, dashed=True),
             segments(_stems(y, y, y, predicted), np.full(len(y), -1), width=1.0),
             points(np.column_stack([y, predicted]), np.zeros(len(y), int))]  # fmt: skip
    return Picture(
        [plane("Prediction against target; stems are residuals", "target", "prediction", box, marks, note=stage.said)],
        caption, numbers,
    )  # fmt: skip


def _stems(*ends: np.ndarray) -> np.ndarray:
    return np.column_stack(ends)
