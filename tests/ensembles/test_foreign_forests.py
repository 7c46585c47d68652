"""`certify` on scikit-learn's forests: weights, balanced classes and what is said out of the bag."""

import copy
import warnings

import numpy as np
import sklearn.ensemble as theirs
from sklearn.base import clone
from tests.cases import each

import learnable.certificates.ensembles.forest
from learnable import certify
from learnable.certificates import Verdict

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


KINKED = [
    {"loss": "absolute_error"},
    *({"loss": "quantile", "quantile": level} for level in (0.1, 0.3, 0.5, 0.9)),
]


@each("weight", [None, np.ones(200), np.repeat([1.0, 2.0], 100), WEIGHT], ids=["none", "ones", "counts", "weights"])
@each("asked", KINKED)
def test_boosting_of_losses_with_a_kink_is_proved_and_no_other_values_are(asked, weight):
    """Their percentiles without weights lie between rows, with weights on one; on it the slope is that below."""
    for n in (61, 200):
        rows, y, w = X[:n], NUMBERS[:n], None if weight is None else weight[:n]
        model = theirs.HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=5, early_stopping=False, **asked)
        model.fit(rows, y, sample_weight=w)
        assert certify(model, rows, y, sample_weight=w).holds
        moved, started = copy.deepcopy(model), copy.deepcopy(model)
        nodes = moved._predictors[1][0].nodes
        nodes["value"][-1] += 0.02 * np.abs(nodes["value"]).max()
        started._baseline_prediction = started._baseline_prediction + 0.05 * y.std()
        for altered in (moved, started):
            assert certify(altered, rows, y, sample_weight=w).verdict is Verdict.REFUTED


def test_the_rows_of_a_tree_are_drawn_without_those_of_all_others(monkeypatch):
    draws = []
    check = learnable.certificates.ensembles.forest.check_random_state
    monkeypatch.setattr(
        learnable.certificates.ensembles.forest, "check_random_state", lambda seed: draws.append(seed) or check(seed)
    )
    monkeypatch.setattr(theirs.RandomForestRegressor, "estimators_samples_", property(lambda model: draws.extend([0])))
    for weight in (None, WEIGHT):
        model, y = _fitted(theirs.RandomForestRegressor(8, random_state=0, max_samples=0.5), weight)
        assert certify(model, X, y, sample_weight=weight).holds
    assert len(draws) == 2 * 8


@each("forest", [theirs.ExtraTreesRegressor(3, random_state=0), theirs.RandomForestRegressor(3, random_state=0)])
def test_options_set_after_the_fit_are_not_those_of_its_trees(forest):
    bootstrap = isinstance(forest, theirs.RandomForestRegressor)
    for option, value in ({"max_samples": 0.5} if bootstrap else {"max_depth": 3, "min_samples_split": 20}).items():
        model = clone(forest).set_params(**{option: value}).fit(X, NUMBERS)
        assert certify(model, X, NUMBERS).holds
        model.set_params(**{option: forest.get_params()[option]})
        assert certify(model, X, NUMBERS).verdict is Verdict.REFUTED, option
