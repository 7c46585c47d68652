"""The steps of two methods for logistic regression, one state each: Newton's, and batch gradient descent."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from learnable.base import class_indices
from learnable.base.validation import checked_weights
from learnable.rows import as_rows, one_blas_thread
from learnable.solvers.linear import batch_gradient_descent, newton
from learnable.solvers.linear.gradient_descent import GradientState
from learnable.solvers.linear.likelihood import CategoricalLikelihood
from learnable.solvers.linear.newton import NewtonState


def newton_steps(
    X: Any, y: Any, sample_weight: Any = None, *, alpha: float = 0.0, fit_intercept: bool = True
) -> Iterator[NewtonState]:
    """Newton's method for mean logistic loss + ½ α ‖B‖², from zero: iteratively reweighted least squares.

    Without penalty a full step goes to (XᵀWX)⁻¹ XᵀW z with W = P(1 − P) and the working response z = Xθ + W⁻¹(y − P);
    a step is halved until the objective falls enough.

    Parameters
    ----------
    X : array or sparse matrix (n, p)
    y : array (n,) of class labels
    sample_weight : array (n,), default=None
    alpha : float, default=0.0
        L2 penalty in mean-loss scaling, >= 0.
    fit_intercept : bool, default=True

    Yields
    ------
    NewtonState with `objective`, `gradient_norm`, `theta` (p + 1, 1) or (p + 1, K), the intercept last, `steps` and
    `halvings`; until rounding is all that is left.

    Syllabus: C7.

    Examples
    --------
    >>> X, y = np.array([[-2.0], [-1.0], [0.5], [1.0], [3.0]]), ["no", "no", "yes", "no", "yes"]
    >>> norms = [state.gradient_norm for state in newton_steps(X, y)]
    >>> norms[0] > 0.1 and norms[-1] < 1e-12
    True
    """
    likelihood = _likelihood("newton_steps", X, y, sample_weight, alpha, fit_intercept)
    yield from _with_one_thread(newton.iterates(likelihood))


def gradient_steps(
    X: Any, y: Any, sample_weight: Any = None, *, rate: float, alpha: float = 0.0, fit_intercept: bool = True
) -> Iterator[GradientState]:
    """Batch gradient descent θ ← θ − η ∇J(θ) on mean logistic loss + ½ α ‖B‖², from zero, without end.

    J falls in every step as long as η ≤ 1/L, L the largest curvature. Stop when `largest_change` or `gradient_norm` is
    small.

    Parameters
    ----------
    X : array or sparse matrix (n, p)
    y : array (n,) of class labels
    sample_weight : array (n,), default=None
    rate : float
        η > 0.
    alpha : float, default=0.0
        L2 penalty in mean-loss scaling, >= 0.
    fit_intercept : bool, default=True

    Yields
    ------
    GradientState with `objective`, `gradient_norm`, `theta` as in `newton_steps`, and `largest_change`.

    Syllabus: O3, C11.

    Examples
    --------
    >>> from itertools import islice
    >>> X, y = np.array([[-2.0], [-1.0], [0.5], [1.0], [3.0]]), ["no", "no", "yes", "no", "yes"]
    >>> values = [state.objective for state in islice(gradient_steps(X, y, rate=0.5), 50)]
    >>> values == sorted(values, reverse=True)
    True
    """
    if not 0.0 < rate < np.inf:
        raise ValueError(f"gradient_steps(rate={rate}): rate must be > 0 and finite")
    likelihood = _likelihood("gradient_steps", X, y, sample_weight, alpha, fit_intercept)
    start = np.zeros(likelihood.shape)
    yield from _with_one_thread(batch_gradient_descent.iterates(likelihood.value_and_gradient, start, rate))


def _likelihood(
    name: str, X: Any, y: Any, sample_weight: Any, alpha: float, fit_intercept: bool
) -> CategoricalLikelihood:
    from sklearn.utils import check_X_y

    if not 0.0 <= alpha < np.inf:
        raise ValueError(f"{name}(alpha={alpha}): alpha must be >= 0 and finite")
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=np.float64)
    classes, index = class_indices(np.asarray(y), name)
    if sample_weight is not None:
        sample_weight = checked_weights(sample_weight, X)
    K = 1 if len(classes) == 2 else len(classes)
    likelihood = CategoricalLikelihood(as_rows(X, index, sample_weight), K, fit_intercept)
    likelihood.alpha = float(alpha)
    return likelihood


def _with_one_thread(states: Iterator[Any]) -> Iterator[Any]:
    while True:
        with one_blas_thread():
            state = next(states, None)
        if state is None:
            return
        yield state
