"""What fitted covariances and precisions share: scores and distances, as in scikit-learn."""

from typing import Any

import numpy as np
from scipy import linalg
from scipy.linalg import lapack
from sklearn.utils.validation import check_is_fitted

from learnable.base.validation import block_squares, validate_data
from learnable.rows import Rows, as_rows, is_streamed, moments
from learnable.rows.examine import examine


class GaussianFit:
    """Mixin for estimators with `location_`, `covariance_` and `precision_`."""

    location_: np.ndarray
    covariance_: np.ndarray
    precision_: np.ndarray
    assume_centered: bool

    def get_precision(self) -> np.ndarray:
        """The precision matrix."""
        check_is_fitted(self)
        return self.precision_

    def score(self, X_test, y=None) -> float:
        """Mean log-likelihood of rows under N(location_, covariance_).

        Parameters
        ----------
        X_test : array (n, p), or rows read in blocks. y : not used.
        """
        check_is_fitted(self)
        if is_streamed(X_test):
            rows = self._rows(X_test)
            examine(rows, type(self).__name__, squares=block_squares)
            found = moments(rows)
            away = found.mean_x - self.location_
            return gaussian_score(found.scatter_xx / found.weight + np.outer(away, away), self.precision_)
        X = validate_data(self, X_test, reset=False, dtype=float)
        centred = X - self.location_
        return gaussian_score(centred.T @ centred / len(X), self.precision_)

    def mahalanobis(self, X) -> np.ndarray:
        """Squared distances (x − location_)ᵀ Θ (x − location_).

        Parameters
        ----------
        X : array (n, p), or rows read in blocks.
        """
        check_is_fitted(self)
        if is_streamed(X):
            return self._rows(X).concatenate(lambda block: self._distances(block.X))
        return self._distances(validate_data(self, X, reset=False, dtype=float))

    def _distances(self, X) -> np.ndarray:
        centred = X - self.location_
        return np.einsum("ij,ij->i", centred @ self.precision_, centred)

    def _rows(self, X) -> Rows:
        """Rows read in blocks, with as many columns as those of the fit."""
        rows = as_rows(X)
        if rows.n_columns != len(self.location_):
            raise ValueError(
                f"X has {rows.n_columns} features, but {type(self).__name__} is expecting {len(self.location_)} "
                "features as input"
            )
        return rows

    def error_norm(self, comp_cov, norm="frobenius", scaling=True, squared=True) -> float:
        """Distance of `covariance_` to another covariance, as in scikit-learn.

        Parameters
        ----------
        comp_cov : array (p, p). norm : "frobenius" or "spectral".
        scaling : whether to divide by p. squared : whether to square.
        """
        check_is_fitted(self)
        error = np.asarray(comp_cov, dtype=float) - self.covariance_
        if norm == "frobenius":
            found = float(np.sum(error**2))
        elif norm == "spectral":
            found = float(linalg.norm(error, 2)) ** 2
        else:
            raise ValueError(f'norm={norm!r}: give "frobenius" or "spectral"')
        found = found / len(error) if scaling else found
        return found if squared else float(np.sqrt(found))


def gaussian_score(S: np.ndarray, precision: np.ndarray) -> float:
    """(log det Θ − tr(SΘ) − p log 2π) / 2: the mean log-likelihood of rows with second moments S."""
    sign, log_det = np.linalg.slogdet(precision)
    value = log_det if sign > 0 else -np.inf
    return 0.5 * float(value - np.vdot(S, precision) - len(S) * np.log(2.0 * np.pi))


def second_moments(X: np.ndarray | Rows, assume_centered: bool) -> tuple[np.ndarray, np.ndarray]:
    """(location, S), S = mean of (x − location)(x − location)ᵀ, weighted where rows in blocks have weights."""
    if isinstance(X, Rows):
        found = moments(X, centre=not assume_centered)
        location, S = np.zeros(X.n_columns) if assume_centered else found.mean_x, found.scatter_xx / found.weight
    elif assume_centered:
        location, S = np.zeros(X.shape[1]), X.T @ X / len(X)
    else:
        share = np.full(len(X), 1.0 / len(X))
        location = share @ X
        centred = X - location
        # What rounding leaves of the mean, much of many rows, is put right here and in S.
        off = share @ centred
        location, S = location + off, centred.T @ centred / len(X) - off * off[:, np.newaxis]
    # What rounding leaves of a column that does not vary is no variance.
    constant = np.diag(S) <= (8.0 * np.finfo(float).eps * location) ** 2
    S[constant, constant] = 0.0
    return location, S


def checked_moments(S: np.ndarray, owner: str, names: Any = None, precomputed: bool = False) -> np.ndarray:
    """S symmetric; refused where a variance is zero, or where a given S is not positive semidefinite."""
    diagonal = np.diag(S)
    if precomputed:
        if S.shape[0] != S.shape[1] or not _is_symmetric(S):
            raise ValueError(
                f"{owner}: a given covariance must be square and symmetric, got shape {S.shape}; give (S + Sᵀ) / 2"
            )
        unit = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
        correlation = S / (unit * unit[:, None])
        correlation.flat[:: len(S) + 1] += 1e-8 * len(S)
        if lapack.dpotrf(correlation.T)[1]:  # a factor takes an eighth of the time of the eigenvalues
            least = float(linalg.eigvalsh(correlation)[0]) - 1e-8 * len(S)
            raise ValueError(
                f"{owner}: the given covariance is not positive semidefinite (eigenvalue {least:.3g}); "
                "give the rows instead, or add to its diagonal"
            )
    if np.any(diagonal <= 0.0):
        j = int(np.argmax(diagonal <= 0.0))
        name = f"column {j}" if names is None else f"column {j} ({names[j]!r})"
        raise ValueError(f"{owner}: {name} is constant: its variance is {diagonal[j]:.3g}; leave it out")
    return S if np.array_equal(S, S.T) else 0.5 * (S + S.T)


def _is_symmetric(S: np.ndarray) -> bool:
    """Whether S is its own transpose but for rounding."""
    return np.array_equal(S, S.T) or bool(np.abs(S - S.T).max(initial=0.0) <= 1e-8 * np.abs(S).max(initial=0.0))
