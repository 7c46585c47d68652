"""Machines on rows that are no numbers, with a function that compares them."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from tests.cases import each

from learnable import certify
from learnable.kernels import SVC, SVR, NuSVC, NuSVR, OneClassSVM, svm_report

random = np.random.default_rng(3)
WORDS = ["".join(random.choice(list("abc"), size=random.integers(2, 9))) for _ in range(60)]
COUNTS = np.array([[word.count(letter) for letter in "abc"] for word in WORDS], dtype=float)
TARGET = COUNTS @ [1.0, -2.0, 0.5] + 0.3 * random.standard_normal(60)
CLASSES = np.digitize(TARGET, np.quantile(TARGET, [0.33, 0.66]))
MACHINES = [
    (SVC, {}, CLASSES), (SVC, {"probability": True}, CLASSES), (NuSVC, {"nu": 0.3}, CLASSES == 1), (SVR, {}, TARGET),
    (NuSVR, {}, TARGET), (OneClassSVM, {}, None),
]  # fmt: skip


def same_letters(one, two):
    """How often two words have the same letters, e to a tenth of that."""
    assert all(isinstance(word, str) for word in [*one, *two])
    counts = [[[word.count(letter) for letter in "abc"] for word in words] for words in (one, two)]
    return np.exp(0.1 * np.array(counts[0]) @ np.array(counts[1]).T)


@each(("kind", "given", "y"), MACHINES, ids=lambda value: getattr(value, "__name__", ""))
def test_objects_are_fitted_as_the_table_of_their_values(kind, given, y):
    model = kind(kernel=same_letters, **given).fit(WORDS, y)
    told = kind(kernel="precomputed", **given).fit(same_letters(WORDS, WORDS), y)
    np.testing.assert_array_equal(model.dual_coef_, told.dual_coef_)
    np.testing.assert_array_equal(model.intercept_, told.intercept_)
    others = ["abc", "aab", "ccccb"]
    table = same_letters(others, WORDS)
    np.testing.assert_array_equal(model.predict(others), told.predict(table))
    if "probability" in given:
        np.testing.assert_allclose(model.predict_proba(others), told.predict_proba(table))
    for form in (np.array(WORDS), pd.Series(WORDS), tuple(WORDS)):
        np.testing.assert_array_equal(kind(kernel=same_letters, **given).fit(form, y).dual_coef_, model.dual_coef_)
        assert certify(model, form, y).holds
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(others), model.predict(others))


@each(("kind", "given", "y"), MACHINES, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_proved_of_them_is_about_these_objects(kind, given, y):
    model = kind(kernel=same_letters, **given).fit(WORDS, y)
    assert model.certificate_.holds
    for alter in (
        lambda one: one.objects_.__setitem__((0, 0), "abcabc"),
        lambda one: setattr(one, "dual_coef_", 1.1 * one.dual_coef_),
        lambda one: setattr(one, "support_", (one.support_ + 1) % 60),
    ):
        altered = copy.deepcopy(model)
        alter(altered)
        assert str(certify(altered, WORDS, y).verdict) == "refuted"
    assert str(certify(model, WORDS[::-1], y).verdict) == "refuted"
    # A table beside objects that predict something else.
    table = kind(kernel=lambda one, two: np.exp(0.1 * one @ two.T), **given).fit(COUNTS, y)
    table.objects_ = model.objects_
    assert str(certify(table, COUNTS, y).verdict) == "refuted"


def test_objects_without_numbers_between_them_are_refused():
    model = SVC(kernel=same_letters).fit(WORDS, CLASSES)
    with pytest.raises(ValueError, match=r"SVC: fitted on objects \(str\); give a list"):
        model.predict(COUNTS)
    with pytest.raises(ValueError, match="for 60 and 60 objects it returned shape"):
        SVC(kernel=lambda one, two: np.eye(2)).fit(WORDS, CLASSES)
    with pytest.raises(ValueError, match="no numbers"):
        SVC(kernel=lambda one, two: np.full((60, 60), np.nan)).fit(WORDS, CLASSES)
    with pytest.raises(ValueError, match="could not convert string"):
        SVC(kernel="rbf").fit([[word] for word in WORDS], CLASSES)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SVC(kernel=same_letters).fit(WORDS, CLASSES[1:])
    two = SVC(kernel=same_letters).fit(WORDS, CLASSES == 1)
    assert svm_report(two, two.objects_, CLASSES == 1).alpha.shape == (60,)
