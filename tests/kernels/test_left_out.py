"""Bounds on the errors of rows left out, against leaving them out; tables that the paths and the report read."""

import numpy as np
import pytest
from scipy import sparse

from learnable.kernels import RBF, SVC, kernel_ridge_path, svm_c_path, svm_report


def left_out_errors(X, y, weight, **given):
    """Share of the rows of weight > 0 that a fit without them gets wrong."""
    counted = np.flatnonzero(weight > 0.0)
    wrong = 0
    for i in counted:
        rest = counted[counted != i]
        wrong += SVC(**given).fit(X[rest], y[rest], weight[rest]).predict(X[i : i + 1])[0] != y[i]
    return wrong / len(counted)


def test_no_more_rows_are_wrong_when_left_out_than_the_bounds_say():
    sharper = 0
    for seed in range(18):
        random = np.random.default_rng(500 + seed)
        X = random.standard_normal((24, 2))
        score = X[:, 0] + 0.6 * X[:, 1] ** 2 - 0.5
        # Every third table is separable, where free rows alone hold the margin.
        y = score + (0.0 if seed % 3 == 2 else 0.4) * random.standard_normal(24) > np.median(score)
        weight = np.ones(24) if seed % 2 else random.choice([0.0, 1.0, 2.0], 24)
        given = {
            "C": (0.1, 1.0, 1e3)[seed % 3], "kernel": "linear" if seed < 9 else "rbf", "gamma": (0.05, 0.5)[seed % 2],
            "tol": 1e-9,
        }  # fmt: skip
        if len(set(y[weight > 0.0])) < 2:
            continue
        report = svm_report(SVC(**given).fit(X, y, weight), X, y, weight)
        errors = left_out_errors(X, y, weight, **given)
        assert errors <= report.loo_by_span <= report.loo_by_support, (seed, errors, report.loo_by_span)
        sharper += report.loo_by_span < report.loo_by_support
    assert sharper


def test_a_row_far_outside_the_span_of_the_others_is_counted():
    """Two rows: without either, one class is left, and the other row is wrong."""
    X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    report = svm_report(SVC(kernel="linear", C=100.0, tol=1e-9).fit(X, y), X, y)
    assert report.loo_by_span == report.loo_by_support == 1.0


def test_sparse_tables_are_read_and_bad_ones_refused():
    random = np.random.default_rng(3)
    X = random.standard_normal((30, 3))
    y = X[:, 0] + 0.3 * random.standard_normal(30) > 0.0
    thin = sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
    one, two = (svm_c_path(table, y, gamma=0.5) for table in (thin, thin.toarray()))
    np.testing.assert_allclose(one.margin[-1], two.margin[-1], rtol=1e-9)
    K = RBF(0.5)(X)
    reports = [
        svm_report(SVC(kernel="precomputed", tol=1e-9).fit(table, y), table, y) for table in (K, sparse.csr_array(K))
    ]
    np.testing.assert_allclose(reports[0].margins, reports[1].margins, atol=1e-7)
    assert reports[0].loo_by_span == reports[1].loo_by_span
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        svm_c_path(X, y)
    K[0, 0] = np.inf
    with pytest.raises(ValueError, match="NaN or infinity"):
        kernel_ridge_path(K, np.ones(30), [1.0])
    with pytest.raises(ValueError, match="must be a number > 0"):
        kernel_ridge_path(np.eye(30), np.ones(30), [np.inf])
