"""Bias-variance decomposition under squared loss: of an estimator, and of prediction at points."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtri, stdtrit

from learnable.evaluation._validation import as_numbers
from learnable.evaluation.interval import Interval, check_level
from learnable.evaluation.replicates import bootstrap_predictions, simulated_predictions

TOO_LARGE = 1e70  # fourth powers are summed


class MseDecomposition(NamedTuple):
    """mse = bias² + variance, each with a Monte-Carlo interval.

    The three estimates add up exactly. Over R replicates the plug-in bias² is too large by variance/R on average and
    the variance too small by the same amount; their sum is unbiased.
    """

    mse: Interval
    bias_squared: Interval
    variance: Interval


class BiasVariance(NamedTuple):
    """Expected squared error = noise + bias² + variance, averaged over the points; the estimates add up exactly.

    Attributes
    ----------
    error, bias_squared, variance : with Monte-Carlo intervals over the replicates (points are held fixed).
    noise : σ², averaged over the points; known, not estimated.
    noise_in_bias : True when only observed responses were given: then noise is 0 and bias_squared holds
        (mean prediction - observed y)², in which σ² cannot be told from bias².
    error_at, bias_squared_at, variance_at, noise_at : the terms at every point.
    """

    error: Interval
    noise: float
    bias_squared: Interval
    variance: Interval
    noise_in_bias: bool
    error_at: NDArray[np.float64]
    noise_at: NDArray[np.float64]
    bias_squared_at: NDArray[np.float64]
    variance_at: NDArray[np.float64]


def mse_decomposition(estimates: ArrayLike, target: ArrayLike, *, level: float = 0.95) -> MseDecomposition:
    """Decompose E‖t − t*‖² = ‖Et − t*‖² + E‖t − Et‖² from replicates of an estimator t.

    Syllabus: R12.

    Parameters
    ----------
    estimates : R >= 2 replicates, shape (R,) or (R, d).
    target : the true value, a number or shape (d,).
    level : of the Monte-Carlo intervals.

    >>> rng = np.random.default_rng(0)
    >>> samples = rng.normal(1.0, 2.0, size=(5000, 10))
    >>> shrunk = mse_decomposition(samples.mean(axis=1) / 2, target=1.0)
    >>> [round(term.estimate, 2) for term in shrunk]
    [0.35, 0.25, 0.1]
    """
    level = check_level(level, "mse_decomposition")
    t = as_numbers(estimates, "mse_decomposition", "estimates")
    t = t[:, None] if t.ndim == 1 else t
    truth = np.atleast_1d(as_numbers(target, "mse_decomposition", "target"))
    _check_replicates("mse_decomposition", t, truth)
    return _decompose(t, truth, level)


def prediction_decomposition(
    predictions: ArrayLike,
    truth: ArrayLike,
    *,
    noise_variance: ArrayLike | None = None,
    level: float = 0.95,
) -> BiasVariance:
    """Decompose E(f̂(x) − Y)² = σ²(x) + (E f̂(x) − f(x))² + Var f̂(x), averaged over points.

    Syllabus: R12.

    Parameters
    ----------
    predictions : shape (R, m): replicate × point.
    truth : f at the m points; or, when noise_variance is None, observed responses there.
    noise_variance : σ² at the points, one number or m. None: unknown, and then it stays inside bias².
    level : of the Monte-Carlo intervals.

    >>> terms = prediction_decomposition([[1.0, 2.0], [3.0, 2.0]], [1.0, 1.0], noise_variance=0.5)
    >>> terms.error.estimate, terms.noise, terms.bias_squared.estimate, terms.variance.estimate
    (2.0, 0.5, 1.0, 0.5)
    """
    level = check_level(level, "prediction_decomposition")
    fits = as_numbers(predictions, "prediction_decomposition", "predictions")
    f = as_numbers(truth, "prediction_decomposition", "truth")
    if fits.ndim != 2:
        raise ValueError(f"prediction_decomposition: predictions have shape {fits.shape}; give replicates × points")
    _check_replicates("prediction_decomposition", fits, f)
    noise_at = _checked_noise(noise_variance, len(f))
    noise = float(noise_at.mean())
    mse = _decompose(fits, f, level, n_points=len(f))
    mean = fits.mean(axis=0)
    bias_squared_at, variance_at = (mean - f) ** 2, fits.var(axis=0)
    return BiasVariance(
        error=mse.mse.shifted(noise)._replace(estimate=noise + mse.bias_squared.estimate + mse.variance.estimate),
        noise=noise,
        bias_squared=mse.bias_squared,
        variance=mse.variance,
        noise_in_bias=noise_variance is None,
        error_at=noise_at + bias_squared_at + variance_at,
        noise_at=noise_at,
        bias_squared_at=bias_squared_at,
        variance_at=variance_at,
    )


def simulated_bias_variance(
    estimator: Any,
    simulate: Callable[[np.random.Generator], tuple[Any, Any]],
    X: Any,
    truth: ArrayLike,
    *,
    noise_variance: ArrayLike,
    repeats: int = 200,
    level: float = 0.95,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> BiasVariance:
    """The decomposition of a learner under a known law, by drawing training sets. Syllabus: R12.

    Parameters
    ----------
    estimator : a regressor; it is cloned.
    simulate : generator -> (X, y), a fresh training set.
    X, truth, noise_variance : points, f there, and the variance of Y about f.
    repeats : number of training sets.
    level : of the Monte-Carlo intervals.
    random_state : int, Generator or None; the answer is the same for any n_jobs.
    n_jobs : workers.

    >>> from sklearn.linear_model import LinearRegression
    >>> def simulate(rng):
    ...     X = rng.uniform(-1, 1, size=(30, 1))
    ...     return X, X[:, 0] ** 2 + rng.normal(0, 0.1, 30)
    >>> grid = np.linspace(-1, 1, 9)[:, None]
    >>> line = simulated_bias_variance(
    ...     LinearRegression(), simulate, grid, grid[:, 0] ** 2, noise_variance=0.01, random_state=0
    ... )
    >>> line.bias_squared.low > line.variance.high
    True
    """
    fits = simulated_predictions(estimator, simulate, X, repeats, random_state, n_jobs)
    return prediction_decomposition(fits, truth, noise_variance=noise_variance, level=level)


def bootstrap_bias_variance(
    estimator: Any,
    X_train: Any,
    y_train: Any,
    X: Any,
    y: ArrayLike,
    *,
    noise_variance: ArrayLike | None = None,
    repeats: int = 200,
    level: float = 0.95,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> BiasVariance:
    """The decomposition with bootstrap samples of one training set in place of fresh ones. Syllabus: R12.

    It describes the learner on resampled rows: its variance is close to the real one for smooth learners, its bias is
    about resampling from these rows. Parameters as for `simulated_bias_variance`; X, y are held-out rows, and with
    noise_variance None the noise stays inside bias².

    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = DecisionTreeRegressor(random_state=0)
    >>> terms = bootstrap_bias_variance(tree, X[:300], y[:300], X[300:], y[300:], repeats=50, random_state=0)
    >>> bool(np.isclose(terms.bias_squared.estimate + terms.variance.estimate, terms.error.estimate))
    True
    """
    fits = bootstrap_predictions(estimator, X_train, y_train, X, repeats, random_state, n_jobs)
    return prediction_decomposition(fits, y, noise_variance=noise_variance, level=level)


def _decompose(t: NDArray, truth: NDArray, level: float, n_points: int = 1) -> MseDecomposition:
    """The terms for the squared norm ‖·‖²/n_points."""
    n = len(t)
    mean = t.mean(axis=0)
    spread = np.sum((t - mean) ** 2, axis=1) / n_points
    bias_squared, variance = float(np.sum((mean - truth) ** 2)) / n_points, float(spread.mean())
    losses = np.sum((t - truth) ** 2, axis=1) / n_points
    quantile = -float(stdtrit(n - 1, (1 - level) / 2)) / math.sqrt(n)
    half_mse, half_variance = quantile * float(losses.std(ddof=1)), quantile * float(spread.std(ddof=1))
    # ‖mean - E t‖ <= radius at the level, by an F law with the degrees that match the first two moments (Satterthwaite;
    # for d = 1 this is Student's interval). The triangle inequality carries the ball over to the norm of the bias, and
    # so also holds at bias 0, where the delta method breaks down.
    centred = t - mean
    gram = centred @ centred.T if n < t.shape[1] else centred.T @ centred
    trace = float(np.trace(gram))
    if trace > 0:
        degrees = max(1.0, 1 / float(np.sum((gram / trace) ** 2)))
        radius = math.sqrt(trace / n_points / (n - 1) * float(fdtri(degrees, n - 1, level)) / n)
    else:
        radius = 0.0
    norm = math.sqrt(bias_squared)
    method = "Monte Carlo"
    total = bias_squared + variance
    return MseDecomposition(
        Interval(total, max(0.0, total - half_mse), total + half_mse, level, method, n),
        Interval(bias_squared, *_around(bias_squared, norm, radius), level, method, n),
        Interval(variance, max(0.0, variance - half_variance), variance + half_variance, level, method, n),
    )


def _around(square: float, root: float, radius: float) -> tuple[float, float]:
    """Ends (root ± radius)², with 0 below; the square itself stays inside whatever the rounding."""
    return min(square, max(0.0, root - radius) ** 2), max(square, (root + radius) ** 2)


def _check_replicates(caller: str, t: NDArray, truth: NDArray) -> None:
    if t.ndim != 2 or len(t) < 2 or truth.ndim != 1 or t.shape[1] != len(truth):
        raise ValueError(
            f"{caller}: replicates of shape {t.shape} against a truth of shape {truth.shape}; "
            "give at least 2 replicates, each with one number per truth"
        )
    for name, values in (("replicates", t), ("truth", truth)):
        if not (np.abs(values) <= TOO_LARGE).all():
            raise ValueError(
                f"{caller}: the {name} hold a value that is not finite, or above {TOO_LARGE:g}; leave it out"
            )


def _checked_noise(noise_variance: ArrayLike | None, n_points: int) -> NDArray:
    noise = as_numbers(0.0 if noise_variance is None else noise_variance, "prediction_decomposition", "noise_variance")
    if noise.shape not in ((), (n_points,)) or not (np.isfinite(noise).all() and (noise >= 0).all()):
        raise ValueError(
            f"noise_variance={noise_variance!r}: give one number >= 0, or one for each of {n_points} points"
        )
    return np.broadcast_to(noise, (n_points,))
