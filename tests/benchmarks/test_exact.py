"""The exact reference, against solutions known in closed form."""

from fractions import Fraction

import numpy as np
import pytest
from benchmarks.accuracy_table import DESIGNS, METHODS, accuracy_rows
from benchmarks.exact import correct_digits, exact_least_squares
from tests.cases import each


def test_consistent_integers_come_back_whatever_the_condition():
    # Powers of 0 … 11 up to degree 8: condition beyond 1e16 unscaled, every number an exact float.
    X = np.arange(12.0)[:, None] ** np.arange(9)
    beta = np.arange(1.0, 10.0)
    np.testing.assert_array_equal(exact_least_squares(X, (X @ beta)[:, None])[:, 0], beta)


def test_inconsistent_equations_give_the_least_squares_fraction():
    X, y = np.array([[1.0], [2.0], [4.0]]), np.array([[1.0], [1.0], [5.0]])
    assert exact_least_squares(X, y)[0, 0] == float(Fraction(1 + 2 + 20, 1 + 4 + 16))


def test_several_targets_are_solved_each_for_itself():
    rng = np.random.default_rng(1)
    X, Y = rng.standard_normal((10, 3)), rng.standard_normal((10, 2))
    both = exact_least_squares(X, Y)
    np.testing.assert_array_equal(both[:, [1]], exact_least_squares(X, Y[:, [1]]))
    np.testing.assert_allclose(both, np.linalg.lstsq(X, Y, rcond=None)[0], rtol=1e-12)


def test_a_column_that_is_a_combination_is_named():
    with pytest.raises(ValueError, match="column 1 is a combination"):
        exact_least_squares(np.array([[1.0, 2.0], [2.0, 4.0]]), np.ones((2, 1)))


def test_digits_count_the_worst_coefficient():
    exact = np.array([1.0, 1e-8])
    assert correct_digits(exact, exact) == 16.0
    assert correct_digits(np.array([1.0, 1.001e-8]), exact) == pytest.approx(3.0)
    assert correct_digits(np.array([1.0, np.nan]), exact) == 0.0
    assert correct_digits(np.array([1.0, 1.0]), exact) == 0.0


@each("design", DESIGNS)
def test_we_keep_the_digits_of_an_orthogonal_route(design):
    (row,) = accuracy_rows(design, draws=31)
    assert set(row.digits) == set(METHODS)
    # The best of three routes is compared: between routes equally good, a third of a digit is luck.
    assert row.lead > -0.3


def test_cross_products_without_a_check_lose_them():
    (row,) = accuracy_rows("collinear to 1e-9", draws=1)
    assert row.digits["normal equations"] < 1.0 < row.digits["learnable"]
