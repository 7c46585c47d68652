"""Descent on the loss itself: where the coefficients stand, and the way they came."""

import numpy as np

from learnable.films.marks import plane, raster, trail
from learnable.films.pictures.regression import regression
from learnable.films.pictures.separating_line import separating_line
from learnable.films.registry import Picture, Shot, draws
from learnable.films.stage import GRID
from learnable.films.surfaces import classifies_numbers, fits_numbers


def _two_numbers(shot: Shot) -> bool:
    """One or two columns; the loss is the squared error or that of logistic regression."""
    X, kind = shot.stage.X, type(shot.model).__name__
    if X is None or X.shape[1] > 2 or len(shot.stage.data) < 2 or shot.stage.data[2] is not None:
        return False
    if kind == "LogisticRegression":
        return classifies_numbers(shot) and len(shot.model.classes_) == 2 and np.inf == shot.model.C
    return kind in ("LinearUnit", "SGDRegressor") and fits_numbers(shot) and getattr(shot.model, "alpha", 0.0) == 0.0


@draws(
    "solvers.linear.newton.NewtonState",
    "solvers.linear.stochastic_gradient.EpochState",
    "solvers.neural.epochs.EpochState",
    when=_two_numbers,
)
def contours(shot: Shot) -> Picture:
    """The loss over two coefficients (or over the slope and the intercept), darker where it is larger."""
    below = (separating_line if classifies_numbers(shot) else regression)(shot)
    X, model = shot.stage.X, shot.model
    assert X is not None
    coef, intercept = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    at = coef if X.shape[1] == 2 else np.array([coef[0], intercept])
    best, spread = _minimum(shot)
    box = (best[0] - spread[0], best[0] + spread[0], best[1] - spread[1], best[1] + spread[1])
    u, v = (
        low + (np.arange(n) + 0.5) / n * (high - low) for low, high, n in ((*box[:2], GRID[0]), (*box[2:], GRID[1]))
    )
    grid = _loss(shot, np.stack(np.meshgrid(u, v), axis=-1), intercept)
    # Levels that are even in the root of the excess: rings of a parabola are then evenly spaced.
    excess = np.sqrt(np.maximum(grid - grid.min(), 0.0))
    bands = np.floor(excess / max(float(excess.max()), 1e-300) * 12) / 12
    x, y = ("slope", "intercept") if X.shape[1] == 1 else [f"coefficient of {name}" for name in shot.stage.names]
    note = "the intercept is held where it stands now" if X.shape[1] == 2 else ""
    marks = [raster(box, bands, "score"), trail(float(at[0]), float(at[1]), 5)]
    panel = plane("The loss, and the way down", x, y, box, marks, note=note)
    return below._replace(panels=[panel, *below.panels])


def _loss(shot: Shot, theta: np.ndarray, intercept: float) -> np.ndarray:
    """At every place of a grid (…, 2)."""
    X, y = shot.stage.X, shot.stage.y
    assert X is not None
    assert y is not None
    score = theta @ X.T + intercept if X.shape[1] == 2 else theta[..., :1] * X[:, 0] + theta[..., 1:]
    if classifies_numbers(shot):
        return np.mean(np.logaddexp(0.0, np.where(y == shot.model.classes_[1], -score, score)), axis=-1)
    return np.mean((y - score) ** 2, axis=-1)


def _minimum(shot: Shot) -> tuple[np.ndarray, np.ndarray]:
    """The middle and the half-widths of the window: it holds the start at 0 and the least-squares solution."""
    X, y = shot.stage.X, shot.stage.y
    assert X is not None
    assert y is not None
    if classifies_numbers(shot):
        solution = _logistic(X, y == shot.model.classes_[1])
    else:
        solution = np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), y.astype(float), rcond=None)[0][:2]
    size = np.maximum(np.abs(solution), 0.3 * np.abs(solution).max() + 1e-12)
    return 0.6 * solution, 1.5 * size


def _logistic(X: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """Coefficients of a slightly penalised logistic regression, for the size of the window only."""
    Z, theta = np.column_stack([X, np.ones(len(X))]), np.zeros(X.shape[1] + 1)
    for _ in range(30):
        chance = 1.0 / (1.0 + np.exp(-np.clip(Z @ theta, -30.0, 30.0)))
        curvature = (Z.T * (chance * (1.0 - chance))) @ Z + 0.1 * np.eye(len(theta))
        theta = theta - np.linalg.solve(curvature, Z.T @ (chance - positive) + 0.1 * theta)
    return theta[:2]
