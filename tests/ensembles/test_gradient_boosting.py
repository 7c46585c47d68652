"""Gradient boosting with exact trees: every loss certified, scikit-learn's scores, draws, stopping."""

import copy

import numpy as np
import pytest
from sklearn import ensemble as foreign
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.ensembles import GradientBoostingClassifier, GradientBoostingRegressor
from learnable.trace import Status


def a_table(seed, n=90):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 3)).astype(np.float32).astype(float)
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * random.standard_normal(n), random.random(n) + 0.1


def test_every_loss_is_certified_and_falls():
    X, y, weight = a_table(0)
    cases = [
        (GradientBoostingRegressor(loss=loss), y) for loss in ("squared_error", "absolute_error", "huber", "quantile")
    ]
    cases += [
        (GradientBoostingClassifier(), y > 0),
        (GradientBoostingClassifier(loss="exponential"), y > 0),
        (GradientBoostingClassifier(max_depth=2), np.digitize(y, [-0.5, 0.5])),
        (GradientBoostingRegressor(subsample=0.5, max_features=2), y),
        (GradientBoostingRegressor(n_iter_no_change=2), y),
    ]
    for model, target in cases:
        model.set_params(n_estimators=5, random_state=0).fit(X, target, sample_weight=weight)
        found = certify(model, X, target, weight)
        assert found.holds, f"{model}\n{found}"
        if getattr(model, "loss", "") in ("squared_error", "absolute_error", "quantile") and model.subsample == 1.0:
            assert np.all(np.diff(model.train_loss_) <= 1e-12)
        other = copy.deepcopy(model)
        leaf = np.flatnonzero(other.trees_[-1].is_leaf)[0]
        other.steps_[-1][leaf] += 0.05
        assert not certify(other, X, target, weight).holds


def test_scores_are_those_of_scikit_learn():
    X, y, weight = a_table(1, 150)
    Xt, _, _ = a_table(2, 150)
    rival = foreign.GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X, y, weight)
    ours = GradientBoostingRegressor(n_estimators=20).fit(X, y, weight)
    assert np.allclose(rival.predict(Xt), ours.predict(Xt), atol=1e-6)
    rival = foreign.GradientBoostingClassifier(n_estimators=15, random_state=0).fit(X, y > 0)
    ours = GradientBoostingClassifier(n_estimators=15).fit(X, y > 0)
    assert np.mean(np.abs(rival.predict_proba(Xt) - ours.predict_proba(Xt))) < 0.02
    with pytest.raises(ValueError, match=r"binary classification.*3 classes"):
        GradientBoostingClassifier(loss="exponential").fit(X, np.digitize(y, [-0.5, 0.5]))


def test_boosting_starts_where_it_is_told_and_judges_rows_left_out():
    """From an estimator, from zero; losses out of the bag; an altered start, score or estimator is refuted."""
    random = np.random.default_rng(3)
    X = random.standard_normal((70, 2))
    y = 3.0 * X[:, 0] + np.sin(3.0 * X[:, 1])
    few = {"n_estimators": 4, "subsample": 0.6, "random_state": 0}
    for model, target in (
        (GradientBoostingRegressor(init=LinearRegression(), loss="absolute_error", **few), y),
        (GradientBoostingRegressor(init="zero", **few), y),
        (GradientBoostingClassifier(init=LogisticRegression(), **few), np.where(y > 0, "up", "down")),
        (GradientBoostingClassifier(init=LogisticRegression(), **few), np.digitize(y, [-2.0, 2.0])),
    ):
        model.fit(X, target)
        assert certify(model, X, target).holds
        alterations = {"start_": model.start_ + 1e-3, "oob_score_": model.oob_score_ * 1.01}
        if hasattr(model, "init_"):
            other = copy.deepcopy(model.init_)
            other.coef_ = 1.001 * other.coef_
            alterations["init_"] = other
        for name, altered in alterations.items():
            changed = copy.deepcopy(model)
            setattr(changed, name, altered)
            assert not certify(changed, X, target).holds, name
        with pytest.raises(ValueError, match=r"init was .*, and is None; .*warm_start=False"):
            model.set_params(warm_start=True, init=None, n_estimators=6).fit(X, target)


@each("loss", ["squared_error", "absolute_error", "huber"])
def test_a_warm_start_with_other_trees_goes_on_from_the_scores_there_are(loss):
    """As boosting from the model there was; each tree is judged by the parameters that it was grown with."""
    X, y, _ = a_table(5, n=80)
    few, many = {"max_depth": 1, "learning_rate": 0.5}, {"max_depth": 3, "min_samples_leaf": 7, "learning_rate": 0.1}
    first = GradientBoostingRegressor(n_estimators=5, loss=loss, **few)
    model = clone(first).set_params(warm_start=True).fit(X, y).set_params(n_estimators=9, **many).fit(X, y)
    beside = GradientBoostingRegressor(n_estimators=4, loss=loss, init=first, **many).fit(X, y)
    np.testing.assert_allclose(model.predict(X), beside.predict(X), rtol=1e-10)
    assert [each.max_depth for each in model.estimators_[:, 0]] == [1] * 5 + [3] * 4
    leaves = model.start_ + sum(
        rate * each.predict(X) for rate, each in zip([0.5] * 5 + [0.1] * 4, model.estimators_[:, 0])
    )
    np.testing.assert_allclose(leaves, model.predict(X))
    assert certify(model, X, y).holds
    (rounds, named), *_ = model.grown_before_
    for altered in ([], [(4, named)], [(6, named)], [(rounds, named | {"learning_rate": 0.4})], [(9, named)],
                    [(rounds, named | {"max_depth": 2})], [(rounds, named), (3, named)]):  # fmt: skip
        changed = copy.deepcopy(model)
        changed.grown_before_ = altered
        assert not certify(changed, X, y).holds, altered


def test_rows_may_be_left_out_from_some_round_on():
    X, y, _ = a_table(6, n=80)
    for kind, target in ((GradientBoostingRegressor, y), (GradientBoostingClassifier, y > 0)):
        model = kind(n_estimators=3, warm_start=True, random_state=0).fit(X, target)
        assert not hasattr(model, "oob_scores_")
        for rounds, share in ((5, 0.5), (6, 0.5), (8, 0.7)):
            model.set_params(n_estimators=rounds, subsample=share).fit(X, target)
            assert len(model.oob_scores_) == len(model.oob_improvement_) == rounds
            assert not model.oob_scores_[:3].any()
            assert not model.oob_improvement_[:3].any()
            assert model.oob_scores_[3:].all()
            assert model.oob_score_ == model.oob_scores_[-1]
            assert certify(model, X, target).holds
        assert [(until, named["subsample"]) for until, named in model.grown_before_] == [(3, 1.0), (6, 0.5)]
        for name in ("oob_scores_", "oob_improvement_"):
            for place in (1, 4):
                changed = copy.deepcopy(model)
                getattr(changed, name)[place] += 0.01
                assert not certify(changed, X, target).holds
        with pytest.raises(ValueError, match=r"subsample was 0.7 .*, and is 1.0"):
            model.set_params(n_estimators=9, subsample=1.0).fit(X, target)


def test_a_monitor_sees_the_model_after_every_round_and_stops_it():
    """A fit that was stopped is that of as many rounds; nothing is asserted of it, and an altered one is refuted."""
    random = np.random.default_rng(3)
    X = random.standard_normal((80, 3))
    y = X[:, 0] + random.standard_normal(80)
    for kind, target in ((GradientBoostingRegressor, y), (GradientBoostingClassifier, y > 0)):
        seen = []

        def stop_after_four(round_, model, numbers, seen=seen):
            seen.append((round_, model.n_estimators_, len(model.predict(X)), len(numbers["losses"])))
            return round_ == 3

        asked = {"subsample": 0.5, "random_state": 0}
        stopped = kind(n_estimators=9, **asked).fit(X, target, monitor=stop_after_four)
        assert seen == [(k, k + 1, 80, k + 2) for k in range(4)]
        assert stopped.status_ is Status.STOPPED
        np.testing.assert_array_equal(stopped.predict(X), kind(n_estimators=4, **asked).fit(X, target).predict(X))
        assert certify(stopped, X, target).verdict is Verdict.NOTHING_ASSERTED
        stopped.trees_ = [stopped.trees_[0], *stopped.trees_[:-1]]
        assert certify(stopped, X, target).verdict is Verdict.REFUTED
    with pytest.raises(TypeError, match="monitor=3"):
        GradientBoostingRegressor().fit(X, y, monitor=3)


def columns_told(capsys):
    """The headings, and the numbers of all lines without the time that is left."""
    headings, *lines = capsys.readouterr().out.splitlines()
    return headings.split(), np.array([line.split()[:-1] for line in lines], dtype=float)


def test_verbose_tells_the_losses_of_rounds_as_scikit_learn_does(capsys):
    X, y, _ = a_table(3, n=60)
    quiet = GradientBoostingRegressor(n_estimators=35, max_depth=1).fit(X, y)
    assert capsys.readouterr().out == ""
    model = GradientBoostingRegressor(n_estimators=35, max_depth=1, verbose=1).fit(X, y)
    assert np.array_equal(model.predict(X), quiet.predict(X))
    headings, told = columns_told(capsys)
    foreign.GradientBoostingRegressor(n_estimators=35, max_depth=1, verbose=1).fit(X, y)
    their_headings, theirs = columns_told(capsys)
    assert headings == their_headings
    assert np.array_equal(told, theirs)
    assert told[:, 0].tolist() == [*range(1, 11), 20, 30]
    assert certify(model, X, y).holds
    assert capsys.readouterr().out == ""

    model = GradientBoostingClassifier(n_estimators=12, subsample=0.5, random_state=0, warm_start=True, verbose=2)
    for rounds, first in ((12, 0), (15, 12)):
        model.set_params(n_estimators=rounds).fit(X, y > 0)
        headings, told = columns_told(capsys)
        assert headings == ["Iter", "Train", "Loss", "OOB", "Improve", "Remaining", "Time"]
        stated = np.column_stack([np.arange(rounds) + 1.0, model.train_score_, model.oob_improvement_])
        assert np.allclose(told, stated[first:], rtol=0.0, atol=5.1e-5)


@pytest.mark.filterwarnings("error")
def test_a_criterion_has_no_effect_and_is_warned_about_once():
    X, y, _ = a_table(4, n=40)
    for kind, target in ((GradientBoostingRegressor, y), (GradientBoostingClassifier, y > 0)):
        plain = kind(n_estimators=3).fit(X, target)
        for criterion in ("friedman_mse", "squared_error"):
            model = kind(n_estimators=3, criterion=criterion)
            with pytest.warns(FutureWarning, match="parameter `criterion` is deprecated") as said:
                model.fit(X, target)
            assert [one.filename for one in said] == [__file__]
            assert np.array_equal(model.predict(X), plain.predict(X))
            assert certify(model, X, target).holds


@pytest.mark.parametrize("n", [90, 1100])
def test_all_trees_at_once_say_what_they_say_in_turn(n):
    random = np.random.default_rng(4)
    X = random.standard_normal((n, 3))
    y = X[:, 0] + np.where(X[:, 1] > 0.3, X[:, 2], 0.0) + 0.1 * random.standard_normal(n)
    holes = np.where(random.random(X.shape) < 0.1, np.nan, X)
    for model, table, target in (
        (GradientBoostingRegressor(n_estimators=9, max_depth=None, min_samples_leaf=3), X, y),
        (GradientBoostingRegressor(n_estimators=9), holes, y),
        (GradientBoostingClassifier(n_estimators=5, max_depth=2), X, np.digitize(y, [-0.5, 0.5])),
    ):
        model.set_params(random_state=0).fit(table, target)
        *_, last = model.staged_predict(table)
        np.testing.assert_array_equal(model.predict(table), last)
        *_, scores = model._staged_raw(table)
        np.testing.assert_array_equal(model._raw_predict(table), scores)
