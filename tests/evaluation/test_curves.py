"""Curves as data: nested fits, bins that partition the rows, residuals."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from tests.cases import each

from learnable.evaluation import calibration_table, learning_curve, residual_table, wilson_interval

SEED = 20268


def test_learning_curve_scores_nested_fits_on_one_held_out_set():
    X, y = make_classification(400, 8, random_state=SEED)
    curve = learning_curve(GaussianNB(), X, y, sizes=[0.1, 100, 1.0], random_state=3)
    assert curve.sizes == [30, 100, 300]
    train, test = train_test_split(np.arange(400), test_size=0.25, random_state=3, stratify=y)
    for size, training, held_out in zip(*curve):
        fitted = GaussianNB().fit(X[train[:size]], y[train[:size]])
        assert training.estimate == pytest.approx(fitted.score(X[train[:size]], y[train[:size]]))
        assert held_out.estimate == pytest.approx(fitted.score(X[test], y[test]))
        assert (training.n, held_out.n) == (size, 100)
        assert held_out.low < held_out.estimate < held_out.high
    assert curve == learning_curve(GaussianNB(), X, y, sizes=[0.1, 100, 1.0], random_state=3, n_jobs=2)


def test_learning_curve_of_a_regressor_and_of_an_overfitting_tree():
    X, y = make_regression(160, 4, noise=20, random_state=SEED)
    curve = learning_curve(LinearRegression(), X, y, scoring="mean_squared_error", random_state=0)
    assert curve.training[0].estimate < curve.test[0].estimate
    X, y = make_classification(200, 8, flip_y=0.3, random_state=SEED)
    tree = DecisionTreeClassifier(random_state=0)
    assert all(score.estimate == 1 for score in learning_curve(tree, X, y, random_state=0).training)
    assert not hasattr(tree, "tree_")


@each(
    ("sizes", "message"),
    [
        ([0.0], "a size is"),
        ([1], "a size is"),
        ([1000], "a size is"),
        ([2.5], "a size is"),
        ([np.nan], "NaN|size is"),
    ],
)
def test_bad_sizes_are_refused(sizes, message):
    X, y = make_classification(80, random_state=SEED)
    with pytest.raises(ValueError, match=message):
        learning_curve(GaussianNB(), X, y, sizes=sizes)


def test_a_subset_of_one_class_is_refused():
    y = np.repeat([0, 1], [97, 3])
    with pytest.raises(ValueError, match="hold one class"):
        learning_curve(GaussianNB(), np.arange(100.0)[:, None], y, sizes=[2], random_state=0)
    with pytest.raises(ValueError, match="at least two rows"):
        learning_curve(LinearRegression(), [[1.0]], [1.0])


@each("strategy", ["uniform", "quantile"])
def test_calibration_bins_partition_the_rows_and_agree_with_scikit_learn(strategy):
    rng = np.random.default_rng(SEED)
    # Rounded, so that many lie on the edges of the bins.
    probability = (rng.beta(0.5, 0.7, 500) * 16).round() / 16
    y = (rng.random(500) < probability).astype(int)
    table = calibration_table(y, probability, bins=8, strategy=strategy)
    observed, predicted = calibration_curve(y, probability, n_bins=8, strategy=strategy)
    np.testing.assert_allclose([row.observed.estimate for row in table], observed)
    np.testing.assert_allclose([row.predicted for row in table], predicted)
    assert sum(row.observed.n for row in table) == 500
    for row in table:
        assert row.low <= row.predicted <= row.high
        inside = ((probability > row.low) | (row is table[0])) & (probability <= row.high)
        assert row.observed.n == inside.sum()
        ends = wilson_interval(round(row.observed.estimate * row.observed.n), row.observed.n)
        assert row.observed[1:3] == pytest.approx(tuple(map(float, ends)))


def test_calibration_at_the_ends_and_of_one_value():
    table = calibration_table([0, 1, 1], [0.0, 1.0, 1.0], bins=4)
    assert [row.observed.n for row in table] == [1, 2]
    (only,) = calibration_table([0, 1], [0.3, 0.3], strategy="quantile")
    assert only.observed.estimate == 0.5
    (whole,) = calibration_table(["n", "y"], [0.2, 0.9], bins=1, pos_label="y")
    assert (whole.low, whole.high) == (0, 1)


@each(
    ("y", "probability", "keywords", "message"),
    [
        ([0, 1], [0.1, 1.2], {}, r"probability\[1\] is 1.2"),
        ([0, 1], [0.1], {}, "probability has 1 rows"),
        ([], [], {}, "no rows"),
        ([0, 1], [0.1, np.nan], {}, r"probability\[1\] is nan"),
        ([0, 1], [0.1, 0.2], {"bins": 0}, "bins=0"),
        ([0, 1], [0.1, 0.2], {"strategy": "kmeans"}, "choose one of 'uniform'"),
        ([0, 1], [0.1, 0.2], {"level": 2}, "level must be in"),
    ],
)
def test_bad_calibration_input_is_refused(y, probability, keywords, message):
    with pytest.raises(ValueError, match=message):
        calibration_table(y, probability, **keywords)


def test_residuals_and_their_normal_quantiles():
    rng = np.random.default_rng(SEED)
    fitted = rng.normal(size=50)
    table = residual_table(fitted + rng.normal(2, 3, size=50), fitted)
    np.testing.assert_allclose(table.standardized, table.residual / table.residual.std(ddof=1))
    order = np.argsort(table.residual)
    np.testing.assert_allclose(table.normal_quantile[order], norm.ppf((np.arange(50) + 0.5) / 50))
    assert 2 in table.bias
    assert 0 not in table.bias
    equal = residual_table([1.0, 2.0], [0.0, 1.0])
    assert (equal.standardized == 0).all()
    assert equal.bias[:3] == (1, 1, 1)
    with pytest.raises(ValueError, match="y_true has 2 rows, y_pred has 3 rows"):
        residual_table([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="at least two"):
        residual_table([1], [1])


def test_a_positive_class_that_is_none_is_refused():
    """With labels "no" and "yes" the default class 1 would have a frequency of 0 in every bin."""
    with pytest.raises(ValueError, match=r"pos_label=1\): it is not among the classes \['no', 'yes'\]"):
        calibration_table(["yes", "no", "yes"], [0.9, 0.1, 0.8])
    with pytest.raises(ValueError, match="pos_label=1"):
        calibration_table(["no", "no"], [0.9, 0.1])
    (row,) = calibration_table([0, 0], [0.9, 0.1], bins=1)
    assert row.observed.estimate == 0.0
