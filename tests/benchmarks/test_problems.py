"""The cases: what they promise, at any size."""

import numpy as np
import pytest
from benchmarks.problems import CASES, share
from tests.cases import each

TINY = 0.005


@each("case", CASES, ids=lambda case: case.name)
def test_a_case_is_the_same_every_time_and_well_formed(case):
    one, two = case.build(TINY), case.build(TINY)
    dense = one.X if isinstance(one.X, np.ndarray) else one.X.toarray()
    again = two.X if isinstance(two.X, np.ndarray) else two.X.toarray()
    np.testing.assert_array_equal(dense, again)
    np.testing.assert_array_equal(one.y, two.y)
    assert dense.shape[0] == len(one.y)
    assert np.all(np.isfinite(dense))
    assert np.all(np.isfinite(one.y))
    assert len(one.alphas) >= 1


@each("case", [case for case in CASES if "logistic" in case.name], ids=lambda case: case.name)
def test_logistic_targets_are_signs_of_both_kinds(case):
    assert set(case.build(TINY).y) == {-1.0, 1.0}


@each("case", [case for case in CASES if "Poisson" in case.name], ids=lambda case: case.name)
def test_poisson_targets_are_counts_that_the_columns_explain(case):
    problem = case.build(TINY)
    assert np.all((problem.y >= 0.0) & (problem.y == np.floor(problem.y)))
    assert problem.y.var() > problem.y.mean()  # a rate for all alike would make these equal


@each("case", [case for case in CASES if "lasso" in case.name], ids=lambda case: case.name)
def test_a_lasso_path_starts_where_the_first_column_enters(case):
    problem = case.build(TINY)
    y = problem.y - problem.y.mean()
    assert problem.alphas[0] == pytest.approx(np.abs(problem.X.T @ y).max() / len(y), rel=1e-10)
    assert problem.alphas[0] / problem.alphas[-1] == pytest.approx(100.0)
    assert np.all(np.diff(problem.alphas) < 0.0)
    assert problem.X.flags.f_contiguous


@each("case", [case for case in CASES if "one-hot" in case.name], ids=lambda case: case.name)
def test_one_hot_rows_hold_one_level_of_every_category(case):
    X = case.build(TINY).X
    assert np.all(np.diff(X.indptr) == 10)
    assert np.all(X.data == 1.0)
    assert np.asarray(X.sum(axis=0)).min() >= 1


def test_full_sizes_are_those_in_the_names():
    # The tables that cost nothing to build at full size.
    sizes = {case.name: case for case in CASES}
    assert sizes["logistic fair 6366x8"].build(1.0).X.shape == (6366, 8)
    assert sizes["Poisson randhie 20190x9"].build(1.0).X.shape == (20190, 9)
    assert sizes["lasso path diabetes degree 4, 442x1000"].build(1.0).X.shape == (442, 1000)


def test_share_stays_between_its_ends():
    assert (share(1000, 0.1, 10), share(1000, 0.001, 10), share(5, 0.1, 10)) == (100, 10, 5)
