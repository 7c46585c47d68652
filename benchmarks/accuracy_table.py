"""Correct digits of least squares on ill-conditioned designs: ours against LAPACK's routes and scikit-learn.

The reference is exact for the numbers as stored. The intercept is one of the coefficients judged.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.exact import correct_digits, exact_least_squares

SEED = 20


class Digits(NamedTuple):
    """Correct digits of everyone on one design."""

    design: str
    condition: float
    digits: dict[str, float]

    @property
    def lead(self) -> float:
        """Our digits less those of LAPACK's best orthogonal route."""
        return self.digits["learnable"] - max(self.digits[route] for route in ORTHOGONAL)


def polynomial(low: float, high: float, degree: int, n: int = 60) -> np.ndarray:
    """Powers 1 … degree of equidistant points."""
    return np.linspace(low, high, n)[:, None] ** np.arange(1, degree + 1)


def hilbert(n: int, p: int) -> np.ndarray:
    """1 / (i + j + 1), without the column that would copy the intercept."""
    return 1.0 / (np.arange(n)[:, None] + np.arange(1, p + 1) + 1.0)


def nearly_collinear(distance: float, n: int = 100) -> np.ndarray:
    """Five independent columns and a sixth within `distance` of the sum of two of them."""
    rng = np.random.default_rng(SEED)
    X = rng.standard_normal((n, 5))
    return np.column_stack([X, X[:, 0] + X[:, 1] + distance * rng.standard_normal(n)])


DESIGNS: dict[str, Callable[[], np.ndarray]] = {
    "polynomial degree 10 on [0, 1]": lambda: polynomial(0.0, 1.0, 10),
    "polynomial degree 10 on [-1, 1]": lambda: polynomial(-1.0, 1.0, 10),
    "polynomial degree 10 on [-9, -3]": lambda: polynomial(-9.0, -3.0, 10),
    "polynomial degree 5 on [1000, 1010]": lambda: polynomial(1000.0, 1010.0, 5),
    "Hilbert 30x5": lambda: hilbert(30, 5),
    "Hilbert 30x8": lambda: hilbert(30, 8),
    "collinear to 1e-3": lambda: nearly_collinear(1e-3),
    "collinear to 1e-6": lambda: nearly_collinear(1e-6),
    "collinear to 1e-9": lambda: nearly_collinear(1e-9),
    "columns scaled by 1e-8 … 1e8": lambda: (
        np.random.default_rng(SEED).standard_normal((60, 6)) * 10.0 ** np.linspace(-8, 8, 6)
    ),
}


def _ours(X, y):
    from learnable.linear import LinearRegression

    model = LinearRegression().fit(X, y)
    return np.append(model.intercept_, model.coef_)


def _scikit_learn(X, y):
    from sklearn.linear_model import LinearRegression

    model = LinearRegression().fit(X, y)
    return np.append(model.intercept_, model.coef_)


def _numpy_lstsq(X, y):
    return np.linalg.lstsq(_with_ones(X), y, rcond=None)[0]


def _lapack_gelsy(X, y):
    from scipy import linalg

    return linalg.lstsq(_with_ones(X), y, lapack_driver="gelsy")[0]


def _householder_qr(X, y):
    """Plain QR, no rank decision: what R's `lm` does short of its tolerance."""
    from scipy import linalg

    Q, R = linalg.qr(_with_ones(X), mode="economic")
    return linalg.solve_triangular(R, Q.T @ y)


def _normal_equations(X, y):
    """Cross-products and no condition check: what is lost without one."""
    from scipy import linalg

    A = _with_ones(X)
    return linalg.solve(A.T @ A, A.T @ y)


METHODS = {
    "learnable": _ours,
    "numpy lstsq": _numpy_lstsq,
    "scipy gelsy": _lapack_gelsy,
    "QR": _householder_qr,
    "scikit-learn": _scikit_learn,
    "normal equations": _normal_equations,
}
ORTHOGONAL = ("numpy lstsq", "scipy gelsy", "QR")


def accuracy_rows(only: str = "", draws: int = 7) -> Iterator[Digits]:
    """One row a design: coefficients of one, noise a tenth of the signal, the median digits over draws of the noise.

    Every draw puts the rows in another order: the solution stays, the roundings are others.
    """
    for name, build in DESIGNS.items():
        if only.lower() in name.lower():
            X = build()
            A = _with_ones(X)
            signal = A.sum(axis=1)
            rng = np.random.default_rng(SEED + 1)
            noise = rng.standard_normal((draws, len(X)))
            orders = [rng.permutation(len(X)) for _ in range(draws)]
            targets = signal + 0.1 * signal.std() * noise
            exact = exact_least_squares(A, targets.T).T
            digits = {
                method: float(
                    np.median(
                        [
                            correct_digits(_or_nan(solve, X[order], y[order]), b)
                            for y, b, order in zip(targets, exact, orders)
                        ]
                    )
                )
                for method, solve in METHODS.items()
            }
            yield Digits(name, float(np.linalg.cond(A / np.linalg.norm(A, axis=0))), digits)


def _or_nan(solve, X, y) -> np.ndarray:
    """No answer has no correct digits; a warning that the design is ill-conditioned is no news here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return solve(X, y)
        except np.linalg.LinAlgError:
            return np.full(X.shape[1] + 1, np.nan)


def _with_ones(X: np.ndarray) -> np.ndarray:
    return np.column_stack([np.ones(len(X)), X])
