"""A regularised linear model, posed: what is minimised, over which data.

Inside the house every objective is *mean loss + penalty*:
J(β, b) = Σᵢ wᵢ ℓ(yᵢ, xᵢ·β + b) / Σᵢ wᵢ + Σⱼ φⱼ(βⱼ), with the intercept b never penalised.
"""

from typing import Any, NamedTuple

import numpy as np


class LinearProblem(NamedTuple):
    """min J(β, b) as above. Syllabus: D5.

    Attributes
    ----------
    loss : a loss of `problems.losses` or `problems.softmax`.
    penalty : a penalty of `problems.penalties`.
    X : array or sparse matrix (n, p), or a `rows.Rows` that carries y and weights.
    y : targets; labels ±1 for margin losses, class indices for the softmax loss.
    weight : row weights or None for equal ones.
    intercept : whether b is free, or fixed at 0.
    """

    loss: Any
    penalty: Any
    X: Any
    y: np.ndarray | None
    weight: np.ndarray | None = None
    intercept: bool = True
