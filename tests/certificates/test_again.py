"""Answers of another problem than the one stated: no parameter, and no count, may be altered after the fit."""

import copy

import numpy as np
import pytest
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.certificates.core.again import again_claim, apart
from learnable.ensembles import (
    AdaBoostClassifier,
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from learnable.graphical import GraphicalLassoCV
from learnable.kernels import Nystroem
from learnable.linear import LogisticRegression, PoissonRegressor, Ridge
from learnable.neural import LinearUnit, MLPRegressor
from learnable.sequences import GaussianHMM
from learnable.trace import Status
from learnable.trees import DecisionTreeClassifier, DecisionTreeRegressor
from learnable.unsupervised import PCA, GaussianMixture, KernelPCA, KMeans, MiniBatchKMeans

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # training that is stopped

random = np.random.default_rng(20)
X = random.standard_normal((60, 3))
y = X[:, 0] - X[:, 1] + 0.3 * random.standard_normal(60)
c, counts = (y > 0.0).astype(int), random.poisson(np.exp(0.5 * X[:, 0])).astype(float)
FOREST = {"n_estimators": 3, "random_state": 0}

# (learner, targets, what it was fitted with, what it says afterwards)
CASES = [
    (BaggingRegressor(**FOREST), y, {"estimator": Ridge(alpha=1.0)}, {"estimator": Ridge(alpha=50.0)}),
    (BaggingRegressor(**FOREST), y, {"n_estimators": 4}, {"n_estimators": 3}),
    (AdaBoostClassifier(random_state=0), c, {"n_estimators": 3}, {"n_estimators": 9}),
    (AdaBoostClassifier(n_estimators=3, random_state=0), c,
     {"estimator": DecisionTreeClassifier(max_depth=2)}, {"estimator": DecisionTreeClassifier(max_depth=1)}),
    (ExtraTreesRegressor(**FOREST), y, {"max_depth": 2}, {"max_depth": None}),
    (RandomForestClassifier(**FOREST), c, {"ccp_alpha": 0.0}, {"ccp_alpha": 0.05}),
    (RandomForestClassifier(**FOREST), c, {"max_features": None}, {"max_features": 1}),
    (RandomForestClassifier(**FOREST), c, {"max_leaf_nodes": 3}, {"max_leaf_nodes": 5}),
    (RandomForestClassifier(**FOREST), c, {"min_impurity_decrease": 0.05}, {"min_impurity_decrease": 0.0}),
    (DecisionTreeRegressor(random_state=0), y, {"max_features": None}, {"max_features": 1}),
    (DecisionTreeRegressor(), y, {"ccp_alpha": 0.0}, {"ccp_alpha": 0.1}),
    (GradientBoostingRegressor(random_state=0), y, {"n_estimators": 3}, {"n_estimators": 6}),
    (GradientBoostingRegressor(n_estimators=3, random_state=0), y, {"max_features": None}, {"max_features": 1}),
    (HistGradientBoostingRegressor(), y, {"max_iter": 3}, {"max_iter": 6}),
    (HistGradientBoostingRegressor(max_iter=4), y, {"early_stopping": True}, {"early_stopping": False}),
    (MLPRegressor(hidden_layer_sizes=(3,), random_state=0), y, {"max_iter": 2}, {"max_iter": 20}),
    (LinearUnit(), y, {"max_iter": 2}, {"max_iter": 50}),
    (PoissonRegressor(), counts, {"fit_intercept": True}, {"fit_intercept": False}),
    (LogisticRegression(), c, {"fit_intercept": True}, {"fit_intercept": False}),
    (GraphicalLassoCV(cv=3), None, {"alphas": [0.05]}, {"alphas": [0.05, 0.9]}),
    (GaussianMixture(tol=1e-8, max_iter=999, random_state=0), None, {"n_components": 2}, {"n_components": 3}),
    (PCA(), None, {"n_components": 2}, {"n_components": 0.99}),
    (KernelPCA(), None, {"n_components": 2}, {"n_components": None}),
    (Nystroem(random_state=0), None, {"n_components": 5}, {"n_components": 6}),
]  # fmt: skip


def test_answers_of_another_problem_are_not_proved():
    for learner, target, fitted_with, says in CASES:
        data = (X,) if target is None else (X, target)
        model = learner.set_params(**fitted_with).fit(*data)
        name = f"{type(model).__name__}, {fitted_with}"
        honest = certify(model, *data)
        assert honest.verdict is Verdict.PROVED, f"{name}\n{honest}"
        other = copy.copy(model).set_params(**says)
        assert certify(other, *data).verdict is Verdict.REFUTED, f"{name} passes as {says}"


def test_numbers_of_its_own_excuse_no_network():
    honest, other = (MLPRegressor(hidden_layer_sizes=(3,), max_iter=5, random_state=seed).fit(X, y) for seed in (0, 1))
    other.random_state = honest.random_state
    assert certify(other, X, y).verdict is Verdict.REFUTED
    del other.objective_
    assert certify(other, X, y).verdict is not Verdict.PROVED
    # Nor must a seed be given: the one that was drawn is kept.
    assert certify(MLPRegressor(hidden_layer_sizes=(3,), max_iter=5).fit(X, y), X, y).verdict is Verdict.PROVED
    assert certify(DecisionTreeRegressor(splitter="random").fit(X, y), X, y).verdict is Verdict.PROVED


def stopped_after(k):
    """A callback that stops a fit after its k-th state."""

    class Enough:
        states = 0

        def setup(self, estimator, context):
            """Nothing to prepare."""

        teardown = on_fit_task_begin = setup

        def on_fit_task_end(self, estimator, context):
            self.states += 1
            return self.states == k

    return Enough()


@each(
    "learner",
    [MLPRegressor(hidden_layer_sizes=(3,), max_iter=9, random_state=0), MiniBatchKMeans(4, random_state=0),
     LinearUnit(max_iter=9)],
)  # fmt: skip
def test_no_word_of_a_stop_proves_an_answer_that_the_fit_passed_on_its_way(learner):
    """Else any answer on the way could be given for the end, with the step at which it stood."""
    data = (X[:30], y[:30])
    ended = copy.deepcopy(learner).fit(*data)
    assert certify(ended, *data).holds
    stopped = copy.deepcopy(learner).set_callbacks(stopped_after(3)).fit(*data)
    for status in (Status.STOPPED, Status.STATIONARY, Status.BUDGET_SPENT):
        stopped.status_ = status
        for certificate in (ended.certificate_, stopped.certificate_):
            forged = copy.deepcopy(stopped)
            forged.certificate_ = certificate
            assert certify(forged, *data).verdict is Verdict.NOTHING_ASSERTED
    assert stopped.certificate_.verdict is Verdict.NOTHING_ASSERTED


def test_what_rounding_alone_may_do_is_left_open():
    class Chaotic(MLPRegressor):
        """A training whose end hangs on the last bits of the rows."""

        def fit(self, X, y):
            super().fit(X, y)
            wild = 1e13 * float(np.sum(X) - np.sum(X.round(6)))
            self.coefs_ = [W * (1.0 + 0.1 * np.sin(wild)) for W in self.coefs_]
            return self

    model = Chaotic(hidden_layer_sizes=(3,), max_iter=3, random_state=0).fit(X, y)
    moved = copy.deepcopy(model)
    moved.coefs_ = [W * 1.01 for W in moved.coefs_]
    assert again_claim("NN3", model, {"coefs_"}, X, y).holds
    assert again_claim("NN3", moved, {"coefs_"}, X, y).verdict is Verdict.NOTHING_ASSERTED
    steady = MLPRegressor(hidden_layer_sizes=(3,), max_iter=3, random_state=0).fit(X, y)
    steady.coefs_ = [W * 1.01 for W in steady.coefs_]
    assert again_claim("NN3", steady, {"coefs_"}, X, y).verdict is Verdict.REFUTED
    assert apart({"a": "x"}, {"a": "y"}) == np.inf


def test_an_intercept_far_from_zero_hides_no_shift():
    """A millionth of what targets are shifted by may be more than they spread."""
    random = np.random.default_rng(12)
    X = random.standard_normal((40, 3))
    y = 1e9 + X @ np.array([1.0, -1.0, 0.5]) + 0.3 * random.standard_normal(40)
    ridge = BaggingRegressor(Ridge(), n_estimators=3, random_state=0).fit(X, y)
    boosted = GradientBoostingRegressor(n_estimators=3, random_state=0).fit(X, y)
    for model in (ridge, boosted):
        assert certify(model, X, y).holds
    for shift in (1.0, -500.0):
        moved, started = copy.deepcopy(ridge), copy.deepcopy(boosted)
        moved.members_[0]["intercept_"] += shift
        started.start_ = started.start_ + shift
        for model in (moved, started):
            assert certify(model, X, y).verdict is Verdict.REFUTED


def test_an_altered_answer_is_not_asked_for_predictions(monkeypatch):
    """Trees whose children stand nowhere would be looked up beyond the end of their arrays."""
    model = ExtraTreesRegressor(3, random_state=0).fit(X, y)
    model.status_ = Status.BUDGET_SPENT
    model.trees_[0].children_left[0] = 10**9
    predict = ExtraTreesRegressor.predict
    asked = []
    monkeypatch.setattr(ExtraTreesRegressor, "predict", lambda self, X: asked.append(self) or predict(self, X))
    assert certify(model, X, y).verdict is Verdict.REFUTED
    assert not any(each is model for each in asked)


def test_runs_from_other_starts_take_steps_of_their_own():
    """Only those of the best run are counted: fits from several starts were refuted for the steps of the others."""
    for model in (
        GaussianMixture(2, n_init=4, tol=1e-8, max_iter=999, random_state=0),
        KMeans(5, n_init=5, init="random", tol=0.0, random_state=0),
        GaussianHMM(2, n_init=3, random_state=0),
    ):
        assert certify(model.fit(X), X).verdict is Verdict.PROVED
