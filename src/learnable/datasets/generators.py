"""Random samples with a stated law."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from learnable.plain import plain
from learnable.seeds import generator_from

COUNTS = frozenset({"n", "p", "d"})


class Separable(NamedTuple):
    """A sample with y = ±1, the unit vector that separates it through the origin, and its guaranteed margin."""

    X: np.ndarray
    y: np.ndarray
    theta: np.ndarray
    margin: float


def linearly_separable(n: int, d: int, margin: float = 0.1, random_state: Any = None) -> Separable:
    """Points with y·θᵀx ≥ margin for a random unit vector θ.

    x = y(margin + |z|)θ + (a standard normal vector orthogonal to θ), z standard normal, y a fair coin; so the margin
    is kept by construction and no draw is thrown away.

    Syllabus: P1, P2.

    Parameters
    ----------
    n, d : number of points and of coordinates, at least 1.
    margin : distance kept from the separating hyperplane, >= 0.
    random_state : seed or Generator.

    >>> X, y, theta, margin = linearly_separable(50, 3, margin=0.5, random_state=0)
    >>> bool((y * (X @ theta)).min() >= 0.5 - 1e-12)
    True
    """
    _refuse_below("linearly_separable", n=(n, 1), d=(d, 1), margin=(margin, 0))
    rng = generator_from(random_state, "linearly_separable")
    theta = rng.normal(size=d)
    theta /= np.linalg.norm(theta)
    y = rng.choice([-1.0, 1.0], n)
    X = rng.normal(size=(n, d))
    along = y * (margin + np.abs(rng.normal(size=n)))
    X += np.outer(along - X @ theta, theta)
    return Separable(X, y, theta, float(margin))


class SparseRegression(NamedTuple):
    """A regression sample with the coefficients that made it and the covariance of its rows."""

    X: np.ndarray
    y: np.ndarray
    beta: np.ndarray
    covariance: np.ndarray


def toeplitz_regression(
    n: int,
    p: int,
    rho: float = 0.5,
    support: int | Sequence[int] = 5,
    noise: float = 1.0,
    random_state: Any = None,
) -> SparseRegression:
    """y = Xβ + noise·e with rows x ~ N(0, Σ), Σ_ij = rho^|i−j|, e ~ N(0, I), β = ±1 on its support and 0 elsewhere.

    Rows follow x_j = rho·x_{j−1} + √(1−rho²)·z_j, which has that covariance without factorising it.

    Parameters
    ----------
    n, p : rows and columns, at least 1.
    rho : correlation of neighbours, −1 < rho < 1.
    support : the positions of the coefficients that are not zero, or how many there are, spread evenly.
    noise : standard deviation of the noise, >= 0.
    random_state : seed or Generator.

    >>> sample = toeplitz_regression(20, 8, support=[1, 5], random_state=0)
    >>> np.flatnonzero(sample.beta)
    array([1, 5])
    """
    _refuse_below("toeplitz_regression", n=(n, 1), p=(p, 1), noise=(noise, 0))
    if not isinstance(rho, Real) or not -1 < rho < 1:
        raise ValueError(f"toeplitz_regression(rho={rho!r}): rho must lie strictly between -1 and 1")
    if isinstance(support, int | np.integer):
        positions = np.linspace(0, p - 1, min(int(support), p)).round().astype(int) if support > 0 else np.empty(0, int)
        valid = 0 <= support <= p
    else:
        positions = np.asarray(support, dtype=int)
        valid = bool(np.all((positions >= 0) & (positions < p))) and len(np.unique(positions)) == len(positions)
    if not valid:
        raise ValueError(f"toeplitz_regression(support={plain(support)!r}): needs distinct positions below p={p}")
    rng = generator_from(random_state, "toeplitz_regression")
    X = rng.normal(size=(n, p))
    fresh = np.sqrt(1 - rho**2)
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + fresh * X[:, j]
    beta = np.zeros(p)
    beta[positions] = rng.choice([-1.0, 1.0], len(positions))
    y = X @ beta + noise * rng.normal(size=n)
    lag = np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
    return SparseRegression(X, y, beta, float(rho) ** lag)


def _refuse_below(function: str, **arguments: tuple[float, float]) -> None:
    for name, (value, least) in arguments.items():
        kind, what = (Integral, "whole") if name in COUNTS else (Real, "finite")
        if not isinstance(value, kind) or not value >= least or not np.isfinite(value):
            raise ValueError(f"{function}({name}={value!r}): {name} must be a {what} number >= {least}")
