"""Searches choose as scikit-learn's do, and certify what they keep."""

import numpy as np
import pytest
from sklearn import model_selection
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.linear import Ridge
from learnable.selection import GridSearchCV, RandomizedSearchCV

X, y = (part[:120] for part in load_diabetes(return_X_y=True))
ALPHAS = {"alpha": [0.01, 0.1, 1.0, 10.0]}
SEARCHES = [
    (GridSearchCV, model_selection.GridSearchCV, {}),
    (RandomizedSearchCV, model_selection.RandomizedSearchCV, {"n_iter": 3, "random_state": 0}),
]


@each("ours, theirs, drawn", SEARCHES, ids=["grid", "randomized"])
def test_the_choice_is_that_of_scikit_learn(ours, theirs, drawn):
    found, expected = (kind(Ridge(), ALPHAS, cv=3, **drawn).fit(X, y) for kind in (ours, theirs))
    assert found.best_params_ == expected.best_params_
    np.testing.assert_array_equal(found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
    assert clone(found).get_params(deep=False).keys() == expected.get_params(deep=False).keys()


@each("ours, theirs, drawn", SEARCHES, ids=["grid", "randomized"])
def test_only_the_fit_that_is_kept_is_certified(ours, theirs, drawn):
    verdicts = []

    def scorer(model, X, y):
        verdicts.append(model.certificate_.verdict)
        return model.score(X, y)

    search = ours(Ridge(), ALPHAS, cv=3, scoring=scorer, **drawn).fit(X, y)
    assert len(verdicts) >= 9
    assert set(verdicts) == {Verdict.NOTHING_ASSERTED}
    assert search.best_estimator_.certificate_.verdict is Verdict.PROVED
    assert certify(search, X, y).holds
    search.best_estimator_.coef_ = search.best_estimator_.coef_ * 1.01
    assert not certify(search, X, y).holds


def test_a_search_that_fails_leaves_later_fits_certified():
    with pytest.raises(ValueError, match="alpha"):
        GridSearchCV(Ridge(), {"alpha": [-1.0]}, error_score="raise").fit(X, y)
    assert Ridge().fit(X, y).certificate_.holds
