"""A fit that cannot reach a bound says so: not optimal, nothing proved, and nothing refuted until it is altered."""

import copy

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from learnable import certify
from learnable.app.commands.certify import recompute
from learnable.certificates import Verdict
from learnable.certificates.core.admitted import admitted
from learnable.checks import all_estimators
from learnable.checks.kinds.planner import process
from learnable.linear import LogisticRegression
from learnable.reinforcement import GaussSeidelValueIteration
from learnable.sparse import ADMMLasso, Lasso
from learnable.trace import Status
from learnable.unsupervised import KMeans

RNG = np.random.default_rng(0)
X = RNG.standard_normal((150, 120))
Y = X @ RNG.standard_normal(120) + RNG.standard_normal(150)
POINTS = X[:40, :5]  # the bound of a clustering joins every row with every other


def short_fits():
    """Fits that end long before their bounds."""
    with pytest.warns(ConvergenceWarning):
        yield Lasso(alpha=1e-3, max_iter=1, tol=1e-12).fit(X, Y), Y
    with pytest.warns(ConvergenceWarning):
        yield Lasso(alpha=1e-3, max_iter=2, tol=1e-12, fit_intercept=False).fit(X[:20], Y[:20]), Y[:20]


def test_what_a_fit_admits_is_open_until_it_is_altered():
    for model, y in short_fits():
        assert model.status_ is Status.BUDGET_SPENT
        for found in (model.certificate_, certify(model, X[: len(y)], y)):
            assert found.verdict is Verdict.NOTHING_ASSERTED, found
            assert any(claim.open for claim in found), found
        worse, boasting, silent = (copy.deepcopy(model) for _ in range(3))
        worse.coef_ = worse.coef_ * 2.0
        boasting.status_ = Status.OPTIMAL
        del silent.certificate_
        for altered in (worse, boasting, silent):
            assert certify(altered, X[: len(y)], y).verdict is Verdict.REFUTED


def test_a_concept_that_no_hypothesis_fits_is_no_optimum():
    table, label = RNG.integers(0, 2, (40, 4)), RNG.integers(0, 2, 40)
    learners = [kind() for _, kind in all_estimators() if kind.__module__.startswith("learnable.concepts.")]
    assert len(learners) >= 9
    for learner in learners:
        for y, status in ((table[:, 1] * 1, Status.OPTIMAL), (label, Status.INACCURATE)):
            fitted = learner.fit(table, y)
            assert (fitted.status_, fitted.certificate_.holds) == (status, status is Status.OPTIMAL), learner
            assert certify(fitted, table, y).verdict is fitted.certificate_.verdict, learner


def test_no_forged_word_excuses_an_altered_answer():
    honest = Lasso(alpha=0.1).fit(X, Y)
    forged = copy.deepcopy(honest)
    forged.coef_ = -forged.coef_
    del forged.certificate_, forged.status_
    told = certify(forged, X, Y)
    assert told.verdict is Verdict.REFUTED
    forged.certificate_, forged.status_, forged.n_iter_ = admitted(told), Status.BUDGET_SPENT, forged.max_iter
    assert forged.certificate_.verdict is Verdict.NOTHING_ASSERTED
    assert certify(forged, X, Y).verdict is Verdict.REFUTED


def test_no_forged_word_excuses_a_plan():
    mdp = process(0)
    plan = GaussSeidelValueIteration().fit(mdp)
    plan.values_ = np.zeros_like(plan.values_)
    plan.certificate_ = admitted(certify(plan, mdp))
    for ended in (Status.BUDGET_SPENT, Status.STOPPED, Status.DIVERGED):
        plan.status_ = ended
        assert certify(plan, mdp).verdict is Verdict.REFUTED


class Enough:
    """Stops a fit after its second state."""

    def __init__(self):
        self.states = 0

    def setup(self, estimator, context):
        """Nothing to prepare."""

    teardown = setup

    def on_fit_task_begin(self, estimator, context):
        """Nothing to do yet."""

    def on_fit_task_end(self, estimator, context):
        self.states += 1
        return self.states == 2


def test_a_fit_that_a_callback_stopped_is_open_until_it_is_altered():
    label = Y > 0.0
    for model, y in ((ADMMLasso(alpha=0.01), Y), (LogisticRegression(), label), (KMeans(3, random_state=0), None)):
        data = (POINTS,) if y is None else (X, y)
        model.set_callbacks(Enough()).fit(*data)
        assert model.status_ is Status.STOPPED
        assert certify(model, *data).verdict is Verdict.NOTHING_ASSERTED
        answer = "cluster_centers_" if y is None else "coef_"
        setattr(model, answer, -getattr(model, answer))
        assert certify(model, *data).verdict is Verdict.REFUTED


def test_an_answer_stays_open_only_where_the_fit_ends_there_again():
    """Not by a forged stop, a better answer than that of the stop, fresh random numbers or a start of its own."""
    few, label = X[:, :5], Y > 0.0
    honest = LogisticRegression().fit(few, label)
    forged = copy.deepcopy(honest)
    forged.coef_ = forged.coef_ * 1.01
    forged.certificate_, forged.status_ = admitted(certify(forged, few, label)), Status.STOPPED
    for steps in (0, 1, 3):
        for began in ({"stopped": steps}, {"stopped": steps, "start": {"C": 1.1, "coef_": forged.coef_}}):
            forged._began = began
            assert certify(forged, few, label).verdict is Verdict.REFUTED
    many = np.random.default_rng(5).standard_normal((500, 5))  # which no start divides for good in two steps
    for random_state in (None, np.random.RandomState(0)):
        drawn = KMeans(3, n_init=1, random_state=random_state).set_callbacks(Enough()).fit(many)
        assert drawn.get_params()["random_state"] is random_state
        assert certify(drawn, many).verdict is Verdict.NOTHING_ASSERTED
        drawn.cluster_centers_ = drawn.cluster_centers_ * 1.001
        assert certify(drawn, many).verdict is Verdict.REFUTED
    warm = Lasso(alpha=1e-3, max_iter=1, tol=1e-12, warm_start=True)
    for _ in range(2):
        with pytest.warns(ConvergenceWarning):
            warm.fit(X, Y)
    assert certify(warm, X, Y).verdict is Verdict.NOTHING_ASSERTED
    warm.coef_ = warm.coef_ * 1.001
    assert certify(warm, X, Y).verdict is Verdict.REFUTED


def test_the_command_takes_no_fit_s_word():
    for model, y in short_fits():
        claims = recompute(model, X[: len(y)], y)
        assert claims is not None
        assert any(claim.fails for claim in claims)
