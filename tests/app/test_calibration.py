"""The probabilities of a calibrated learner in a saved model are found again."""

import copy

import numpy as np
from tests.cases import each

from learnable.app.model_files.calibration_claims import calibrated_in, calibration_claims
from learnable.app.trials.blend import blend_of
from learnable.app.trials.calibrated import Calibrated
from learnable.kernels import LinearSVC
from learnable.linear import IndicatorRegression, LogisticRegression
from learnable.trees import DecisionTreeClassifier

RNG = np.random.default_rng(4)
X = RNG.standard_normal((90, 3))
Y = np.array(["a", "b", "c"])[np.argmax(X + 0.5 * RNG.standard_normal((90, 3)), axis=1)]
WEIGHT = RNG.uniform(0.5, 2.0, 90)


def reverse_classes(model):
    model.classes_ = model.classes_[::-1]


def reverse_classes_of_the_learner(model):
    model.estimator_.classes_ = model.estimator_.classes_[::-1]


def move_the_centre(model):
    model.centre_ = model.centre_ + 0.01 * model.scale_


def stretch_the_scale(model):
    model.scale_ = 1.01 * model.scale_


def sharpen(model):
    model.calibrator_.coef_ = 1.05 * model.calibrator_.coef_


def favour_a_class(model):
    model.calibrator_.intercept_ = model.calibrator_.intercept_ + np.array([0.1, 0.0, 0.0])


def penalise_less(model):
    model.calibrator_ = LogisticRegression(C=100.0).fit((model.raw - model.centre_) / model.scale_, Y)


FORGERIES = [reverse_classes, reverse_classes_of_the_learner, move_the_centre, stretch_the_scale, sharpen,
             favour_a_class, penalise_less]  # fmt: skip


@each("forge", FORGERIES)
@each("weight", [None, WEIGHT], ids=["", "weighted"])
def test_an_altered_calibration_is_refuted(forge, weight):
    model = Calibrated(IndicatorRegression()).fit(X, Y, sample_weight=weight)
    assert all(claim.holds for claim in calibration_claims(model, X, Y, weight))
    model.raw = model.cross_fitted(X, Y, weight)
    forge(forged := copy.deepcopy(model))
    assert any(claim.fails for claim in calibration_claims(forged, X, Y, weight))


def test_rows_too_few_to_calibrate_on_are_a_claim_that_fails():
    model = Calibrated(LinearSVC()).fit(X, Y)
    for few in ([0], [np.argmax(Y == "a"), np.argmax(Y == "b"), np.argmax(Y == "c")]):
        assert [claim.fails for claim in calibration_claims(model, X[few], Y[few])] == [True]


def test_calibrated_members_of_a_blend_are_found():
    calibrated, plain = Calibrated(IndicatorRegression()).fit(X, Y), LogisticRegression().fit(X, Y)
    assert calibrated_in(blend_of([calibrated, plain], ["one", "other"], [0.5, 0.5])) == [calibrated]
    assert calibrated_in(plain) == []


def test_weights_that_add_up_to_one_but_for_rounding_make_no_probability_above_it():
    tree = DecisionTreeClassifier().fit(X, Y)
    blend = blend_of([tree, tree], ["one", "other"], [0.5, 0.5 + 2.0**-52])
    assert tree.predict_proba(X).max() == blend.predict_proba(X).max() == 1.0
