"""What certifying costs is set by the data and by what the model holds, never by a number that anyone may write."""

import copy
import warnings

import numpy as np
import pytest
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.certificates.core import again
from learnable.certificates.trees import optimal
from learnable.certificates.trees.least_mistakes import OutOfWork, least_mistakes
from learnable.ensembles import AdaBoostClassifier, BaggingClassifier, HistGradientBoostingClassifier
from learnable.graphical import GraphicalLassoCV
from learnable.neural import MLPRegressor
from learnable.sparse import LassoCV
from learnable.trees import DecisionTreeClassifier, OptimalTreeClassifier

RNG = np.random.default_rng(14)
X = RNG.standard_normal((150, 4))
Y = X[:, 0] * X[:, 1] + 0.5 * RNG.standard_normal(150)


def test_a_forged_depth_is_refuted_by_a_smaller_tree():
    """A tree of one level more makes fewer mistakes: no tree of the depth that is claimed need be looked for."""
    model = OptimalTreeClassifier(2, max_thresholds=6).fit(X, Y > 0.0)
    assert certify(model, X, Y > 0.0).holds
    for depth in (3, 20, 10**9):
        forged = copy.deepcopy(model).set_params(max_depth=depth)
        assert certify(forged, X, Y > 0.0).verdict is Verdict.REFUTED


def test_a_search_that_is_given_up_proves_nothing_and_says_what_helps(monkeypatch):
    model = OptimalTreeClassifier(3, max_thresholds=6).fit(X, Y > 0.0)
    monkeypatch.setattr(optimal, "MOST_WORK", 1e6)
    found = certify(model, X, Y > 0.0)
    assert found.verdict is Verdict.NOTHING_ASSERTED
    assert "lower max_depth" in found[-1].statement
    # What refutes without a search is still refuted.
    model.mistakes_ += 1
    assert certify(model, X, Y > 0.0).verdict is Verdict.REFUTED


def test_mistakes_that_no_depth_avoids_end_the_search():
    """Rows alike in every answer but of other classes bound the mistakes of every tree from below."""
    answers = RNG.random((40, 8)) < 0.5
    onehot = np.eye(2)[np.r_[np.zeros(40, int), np.ones(40, int)]]
    assert least_mistakes(np.vstack([answers, answers]), onehot, 10**9, work=1e6) == 40
    with pytest.raises(OutOfWork):
        least_mistakes(RNG.random((300, 40)) < 0.5, np.eye(2)[RNG.integers(0, 2, 300)], 20, below=1, work=1e7)


@each(
    "model, altered",
    [
        (AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=4), {"n_estimators": 10**12}),
        (HistGradientBoostingClassifier(max_iter=4), {"max_iter": 10**12}),
        (BaggingClassifier(n_estimators=3, random_state=0), {"max_samples": 10**12}),
        (BaggingClassifier(n_estimators=3, random_state=0), {"max_features": 1}),
        (GraphicalLassoCV(), {"alphas": 10**12}),
        (LassoCV(cv=3), {"alphas": 10**12}),
        (MLPRegressor(hidden_layer_sizes=4, max_iter=5, random_state=0), {"max_iter": 10**12}),
    ],
)
def test_forged_budgets_are_refuted(model, altered):
    y = Y > 0.0 if hasattr(model, "predict_proba") else Y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the budget of the network is small on purpose
        model = copy.deepcopy(model).fit(X, y)
    assert certify(model, X, y).verdict is not Verdict.REFUTED
    assert certify(model.set_params(**altered), X, y).verdict is Verdict.REFUTED


def test_a_finer_grid_ends_where_nothing_finer_is_left():
    model = GraphicalLassoCV(n_refinements=10**12).fit(X)
    assert certify(model, X).holds


def test_a_fit_that_says_it_took_too_many_steps_is_not_done_again(monkeypatch):
    """Neither proved nor refuted: nobody waits for it. With its own count of steps it is refuted."""
    with pytest.warns():
        model = MLPRegressor(hidden_layer_sizes=4, max_iter=5, random_state=0).fit(X, Y)
    model.coefs_[0] = 1.01 * model.coefs_[0]
    model.max_iter = 10**12
    assert certify(model, X, Y).verdict is Verdict.REFUTED
    monkeypatch.setattr(again, "MOST_STEPS", 200)
    model._began["steps"] = 10**12
    assert certify(model, X, Y).verdict is Verdict.NOTHING_ASSERTED
