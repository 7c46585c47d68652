"""`certify` on scikit-learn's forests: weights, balanced classes and what is said out of the bag."""

import copy
import warnings

import numpy as np
import sklearn.ensemble as theirs
from tests.cases import each

from learnable import certify

rng = np.random.default_rng(1)
X = rng.standard_normal((200, 3))
NUMBERS = 2.0 * X[:, 0] + np.sin(3.0 * X[:, 1]) + 0.3 * rng.standard_normal(200)
CLASSES = np.array(["a", "b", "c"])[np.digitize(NUMBERS, [-1.0, 2.0])]
WEIGHT = rng.random(200)
WEIGHT[:20] = 0.0
FORESTS = [
    theirs.RandomForestClassifier(8, random_state=0, oob_score=True),
    theirs.RandomForestClassifier(2, random_state=0, oob_score=True, class_weight="balanced"),
    theirs.RandomForestClassifier(8, random_state=0, oob_score=True, class_weight="balanced_subsample"),
    theirs.RandomForestRegressor(8, random_state=0, oob_score=True, max_samples=0.5, min_weight_fraction_leaf=0.05),
    theirs.ExtraTreesClassifier(8, random_state=0, class_weight="balanced", min_samples_leaf=0.03),
    theirs.ExtraTreesRegressor(8, random_state=0, oob_score=True, bootstrap=True),
]


def _fitted(forest, weight):
    y = CLASSES if "Classifier" in type(forest).__name__ else NUMBERS
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Some inputs do not have OOB scores")
        return copy.deepcopy(forest).fit(X, y, sample_weight=weight), y


@each("forest", FORESTS)
@each("weight", [None, WEIGHT], ids=["alike", "weighted"])
def test_honest_forests_are_proved(forest, weight):
    model, y = _fitted(forest, weight)
    assert certify(model, X, y, sample_weight=weight).holds


@each("forest", [forest for forest in FORESTS if forest.oob_score])
@each("weight", [None, WEIGHT], ids=["alike", "weighted"])
def test_what_is_said_out_of_the_bag_is_judged(forest, weight):
    model, y = _fitted(forest, weight)
    name = "oob_decision_function_" if hasattr(model, "classes_") else "oob_prediction_"
    for changed in ("oob_score_", name):
        other = copy.deepcopy(model)
        setattr(other, changed, getattr(model, changed) + 0.001)
        assert not certify(other, X, y, sample_weight=weight).holds, changed


@each("forest", FORESTS)
def test_forests_are_proved_for_the_weights_they_were_fitted_with(forest):
    model, y = _fitted(forest, WEIGHT)
    assert not certify(model, X, y, sample_weight=WEIGHT[::-1].copy()).holds


def test_rounded_impurities_of_random_cuts_far_from_zero():
    for seed in range(6):
        random = np.random.default_rng(seed)
        table = random.standard_normal((60, 5))
        y = 1e6 + table @ random.standard_normal(5) + 0.5 * random.standard_normal(60)
        model = theirs.ExtraTreesRegressor(5, random_state=seed).fit(table, y)
        assert certify(model, table, y).holds
