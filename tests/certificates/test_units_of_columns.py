"""What one column's or the target's unit or origin must not hide: alterations that move predictions all the same."""

import copy

import numpy as np
from sklearn.base import clone
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.kernels import LinearSVC, LinearSVR
from learnable.linear import LinearRegression, Ridge

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((40, 3))
SCORE = X @ [1.0, 0.3, -1.0] + 0.3 * RANDOM.standard_normal(40)
CLASSES = np.digitize(SCORE, [-0.7, 0.7])


@each("size", [1.0, 1e3, 1e5])
@each(
    ("machine", "y"),
    [
        (LinearSVC(C=0.02), CLASSES),
        (LinearSVC(C=0.02, loss="hinge"), CLASSES),
        (LinearSVC(C=0.02, multi_class="crammer_singer"), CLASSES),
        (LinearSVR(C=0.02, epsilon=0.1), SCORE),
        (LinearSVR(C=0.02, epsilon=0.1, loss="squared_epsilon_insensitive"), SCORE),
    ],
    ids=str,
)
def test_small_weights_of_a_column_of_large_numbers_are_seen(machine, y, size):
    Z = X * [1.0, size, 1.0]
    model = clone(machine).fit(Z, y)
    assert certify(model, Z, y).verdict is not Verdict.REFUTED
    altered = copy.deepcopy(model)
    altered.coef_[..., 1] *= 1.05
    assert not certify(altered, Z, y).holds


@each("model", [LinearRegression(), Ridge(alpha=0.1), LinearRegression(positive=True)], ids=str)
@each("far", [0.0, 1e6, 1e9])
@each("level", [0.0, 1e6])
def test_an_intercept_is_seen_beside_columns_and_targets_far_from_zero(model, far, level):
    Z, y = X + np.array([0.0, far, 0.0]), SCORE + level
    model = clone(model).fit(Z, y)
    assert certify(model, Z, y).holds
    altered = copy.deepcopy(model)
    altered.intercept_ += 1e-3 * np.std(y)
    assert not certify(altered, Z, y).holds
