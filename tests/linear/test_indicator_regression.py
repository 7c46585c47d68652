"""Indicator regression: least squares on one-hot targets, masking, sources of rows, tampering."""

import copy

import dask.array
import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression
from tests.cases import each

from learnable import certify
from learnable.linear import IndicatorRegression


def classes_apart(n=240, p=5, K=3, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, K, n)
    return random.standard_normal((n, p)) + 1.5 * random.standard_normal((K, p))[y], y


@each("fit_intercept", [True, False])
@each("K", [2, 4])
def test_it_is_least_squares_on_indicators(fit_intercept, K):
    X, y = classes_apart(K=K)
    weight = np.random.default_rng(1).uniform(0.1, 2.0, len(y))
    model = IndicatorRegression(fit_intercept=fit_intercept).fit(X, y, sample_weight=weight)
    plain = LinearRegression(fit_intercept=fit_intercept).fit(X, np.eye(K)[y], sample_weight=weight)
    np.testing.assert_allclose(model.fitted_values(X), plain.predict(X), atol=1e-12)
    assert np.array_equal(model.predict(X), plain.predict(X).argmax(axis=1))
    assert model.certificate_.holds, model.certificate_


def test_fitted_values_sum_to_one_anywhere():
    X, y = classes_apart()
    model = IndicatorRegression().fit(X, y)
    far = 100.0 * np.random.default_rng(2).standard_normal((50, X.shape[1]))
    np.testing.assert_allclose(model.fitted_values(far).sum(axis=1), 1.0, atol=1e-11)
    assert model.fitted_values(far).max() > 1.0, "single fitted values are no probabilities"


def test_the_middle_class_of_three_on_a_line_is_masked():
    random = np.random.default_rng(0)
    y = np.repeat(["left", "middle", "right"], [200, 100, 200])
    X = random.standard_normal((500, 2)) + np.repeat([[-6.0, -6.0], [0.0, 0.0], [6.0, 6.0]], [200, 100, 200], axis=0)
    report = IndicatorRegression().fit(X, y).masking_report()
    assert report.masked.tolist() == ["middle"]
    assert np.isnan(report.interval[1]).all()
    assert "classes never predicted: middle" in str(report)
    np.testing.assert_allclose(abs(report.direction), np.sqrt(0.5), atol=0.05)
    # On the line the middle class has the flat fitted value of about its share, below another everywhere.
    np.testing.assert_allclose(report.fitted[:, 1], 0.2, atol=0.05)
    np.testing.assert_allclose(report.fitted.sum(axis=1), 1.0)


def test_no_class_is_masked_in_a_triangle():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 200)
    X = random.standard_normal((600, 2)) + np.repeat([[-6.0, 0.0], [6.0, 0.0], [0.0, 8.0]], 200, axis=0)
    report = IndicatorRegression().fit(X, y).masking_report()
    assert len(report.masked) == 0
    np.testing.assert_allclose(report.members, 200.0)
    assert report.predicted.sum() == 600.0


def test_intervals_are_the_upper_envelope():
    X, y = classes_apart(K=5, seed=3)
    model = IndicatorRegression().fit(X, y)
    report = model.masking_report()
    t = np.linspace(-20.0, 20.0, 4001)
    best = model.fitted_values(report.origin + np.multiply.outer(t, report.direction)).argmax(axis=1)
    for k, (low, high) in enumerate(report.interval):
        inside = (t > low) & (t < high)
        assert np.array_equal(inside, best == k), k


def test_any_source_of_rows_gives_the_same_fit():
    X, y = classes_apart(n=3000)
    X[np.abs(X) < 0.5] = 0.0
    labels = np.array(["ash", "beech", "cedar"])[y]
    model = IndicatorRegression().fit(X, labels)
    for rows in (dask.array.from_array(X, chunks=(700, -1)), sparse.csc_array(X)):
        other = IndicatorRegression().fit(rows, labels)
        np.testing.assert_allclose(other.coef_, model.coef_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(other.class_means_, model.class_means_, rtol=1e-12)
        assert np.array_equal(other.predicted_weight_sums_, model.predicted_weight_sums_)
        assert other.certificate_.holds


def test_collinear_columns_get_least_norm():
    X, y = classes_apart()
    model = IndicatorRegression().fit(np.column_stack([X, X[:, :1]]), y)
    assert model.rank_ == X.shape[1]
    np.testing.assert_allclose(model.coef_[:, 0], model.coef_[:, -1], atol=1e-12)
    assert model.certificate_.holds, model.certificate_
    altered = copy.deepcopy(model)
    altered.coef_[:, 0] += 0.1
    altered.coef_[:, -1] -= 0.1
    assert not certify(altered, np.column_stack([X, X[:, :1]]), y).holds, "same fitted values, but a longer solution"


def test_tampering_is_noticed():
    X, y = classes_apart()
    model = IndicatorRegression().fit(X, y)
    for name in ("coef_", "intercept_"):
        for change in (lambda a: a * (1.0 + 1e-6), lambda a: np.roll(a, 1, axis=0)):
            altered = copy.deepcopy(model)
            setattr(altered, name, change(getattr(model, name)))
            assert not certify(altered, X, y).holds


def test_bad_data():
    X, y = classes_apart()
    with pytest.raises(ValueError, match="only one class"):
        IndicatorRegression().fit(X, np.ones(len(y)))
    with pytest.raises(ValueError, match="Unknown label type"):
        IndicatorRegression().fit(X, np.linspace(0.0, 1.0, len(y)))


def test_how_much_is_predicted_in_a_class_is_counted_row_by_row():
    X, y = classes_apart(n=4000)
    model = IndicatorRegression().fit(X, y)
    assert certify(model, X, y).holds
    model.predicted_weight_sums_ = model.predicted_weight_sums_ + np.array([1.0, -1.0, 0.0])
    assert not certify(model, X, y).holds


@each("size", [1.0, 1e6, 1e12])
def test_means_of_a_class_are_seen_in_units_of_each_column(size):
    X, y = classes_apart()
    X[:, 0] *= size
    model = IndicatorRegression().fit(X, y)
    assert certify(model, X, y).holds
    altered = copy.deepcopy(model)
    altered.class_means_[1, 2] += 1e-3
    assert not certify(altered, X, y).holds
