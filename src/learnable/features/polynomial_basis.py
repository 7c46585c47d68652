"""All monomials up to a total degree."""

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from learnable.base.in_chunks import InChunks
from learnable.base.validation import validate_data
from learnable.features.in_blocks import note_columns
from learnable.features.polynomial_dimension import polynomial_dimension
from learnable.rows import as_rows, is_streamed

# More columns than this are a slip in the degree.
MOST = 1_000_000


class PolynomialBasis(InChunks, TransformerMixin, BaseEstimator):
    """x^α = Π_j x_j^α_j for all exponents α ≥ 0 with Σ_j α_j ≤ k: C(k + d, d) columns for d variables.

    By degree, and within a degree by the variables in their order; the constant comes first.

    Syllabus: D10.

    Parameters
    ----------
    degree : int, default=2
        k ≥ 0.
    constant : bool, default=True
        Whether the column of ones is kept; without it there is one column less.

    Attributes
    ----------
    exponents_ : ndarray of shape (n_columns, d)
        α of each column.

    >>> basis = PolynomialBasis(degree=2).fit([[2.0, 3.0]])
    >>> basis.transform([[2.0, 3.0]])
    array([[1., 2., 3., 4., 6., 9.]])
    >>> basis.get_feature_names_out().tolist()
    ['1', 'x0', 'x1', 'x0^2', 'x0 x1', 'x1^2']
    """

    def __init__(self, degree: int = 2, *, constant: bool = True):
        self.degree = degree
        self.constant = constant

    def fit(self, X: Any, y: Any = None) -> "PolynomialBasis":
        """Lay out the exponents; of X only the number of columns counts.

        Parameters
        ----------
        X : array (n, d)
        y : ignored.
        """
        if is_streamed(X):
            d = note_columns(self, as_rows(X))
        else:
            d = validate_data(self, X, dtype=np.float64).shape[1]
        size = polynomial_dimension(d, self.degree)
        if size > MOST:
            raise ValueError(f"PolynomialBasis(degree={self.degree}): {size} columns from {d}; lower the degree")
        exponents = np.zeros((size, d), dtype=np.int64)
        for row, variables in zip(exponents, self._monomials(d)):
            np.add.at(row, list(variables), 1)
        self.exponents_ = exponents if self.constant else exponents[1:]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The monomials of every row.

        Parameters
        ----------
        X : array (n, d)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        columns = {(): np.ones(len(X))}
        for variables in self._monomials(X.shape[1]):
            if variables:
                # One product each: the monomial without its last variable is already there.
                columns[variables] = columns[variables[:-1]] * X[:, variables[-1]]
        found = list(columns.values())
        return np.column_stack(found if self.constant else found[1:]) if len(found) > 1 - self.constant else X[:, :0]

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names such as "x0^2 x1".

        Parameters
        ----------
        input_features : names of the variables, default=None
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        return np.array([_name(names, row) for row in self.exponents_], dtype=object)

    def _monomials(self, d: int):
        for degree in range(self.degree + 1):
            yield from combinations_with_replacement(range(d), degree)


def _name(names: Any, exponents: np.ndarray) -> str:
    powers = [f"{name}^{power}" if power > 1 else str(name) for name, power in zip(names, exponents) if power]
    return " ".join(powers) or "1"
