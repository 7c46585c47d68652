"""Stepwise selection against its definition step by step, and against R's step() on known tables (L2, MS12)."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import KFold
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.sparse import BestSubset, Stepwise


@pytest.fixture
def data():
    rng = np.random.default_rng(7)
    X = rng.standard_normal((60, 8))
    X[:, 3] += 0.8 * X[:, 2]
    return X, X[:, 0] - 0.7 * X[:, 2] + 0.3 * X[:, 5] + rng.standard_normal(60)


def rss(X, y, columns):
    Z = np.column_stack([X[:, list(columns)], np.ones(len(y))])
    return float(np.sum((y - Z @ np.linalg.lstsq(Z, y, rcond=None)[0]) ** 2))


def by_definition(X, y, price, start, enter, leave):
    """The columns after every move, each move tried out in full."""
    n, inside = len(y), frozenset(start)

    def criterion(columns):
        return n * np.log(rss(X, y, sorted(columns))) + price * len(columns)

    path = [inside]
    while True:
        options = [inside | {j} for j in range(X.shape[1]) if enter and j not in inside]
        options += [inside - {j} for j in inside if leave]
        best = min(options, key=criterion)
        if criterion(best) >= criterion(inside):
            return path
        inside = best
        path.append(inside)


@each("criterion", ["aic", "bic"])
@each("direction", ["forward", "backward", "both"])
def test_every_move_is_the_best_one(data, direction, criterion):
    X, y = data
    model = Stepwise(direction, criterion=criterion).fit(X, y)
    start = range(8) if direction == "backward" else ()
    price = 2.0 if criterion == "aic" else np.log(60)
    path = by_definition(X, y, price, start, direction != "backward", direction != "forward")
    inside = set(start)
    seen = [frozenset(inside)]
    for line in model.log_[1:]:
        inside ^= {line["column"]}
        seen.append(frozenset(inside))
        assert line["rss"] == pytest.approx(rss(X, y, sorted(inside)), rel=1e-9)
    assert seen == path
    assert model.support_.tolist() == sorted(path[-1])
    assert model.certificate_.holds


def test_rss_goes_to_the_size_asked_for(data):
    X, y = data
    for k in (1, 3, 8):
        forward = Stepwise("forward", criterion="rss", k=k).fit(X, y)
        backward = Stepwise("backward", criterion="rss", k=k).fit(X, y)
        assert len(forward.support_) == len(backward.support_) == k
        best = BestSubset(k=k).fit(X, y)
        assert best.rss_ <= min(forward.rss_, backward.rss_) * (1 + 1e-9)
        # The first column in is the best single one.
    assert Stepwise("forward", criterion="rss", k=1).fit(X, y).rss_ == pytest.approx(BestSubset(k=1).fit(X, y).rss_)


def test_cross_validation_chooses_the_size(data):
    X, y = data
    model = Stepwise(criterion="cv", cv=5).fit(X, y)
    assert len(model.support_) == int(np.argmin(model.cv_errors_))
    assert model.certificate_.holds
    # By hand, for one size.
    from sklearn.model_selection import KFold

    total = 0.0
    for train, test in KFold(5).split(X):
        part = Stepwise(criterion="rss", k=2).fit(X[train], y[train])
        total += float(np.sum((y[test] - part.predict(X[test])) ** 2))
    assert model.cv_errors_[2] == pytest.approx(total / 60)


def test_weights_are_repetitions(data):
    X, y = data
    weight = np.random.default_rng(1).integers(1, 4, 60)
    one = Stepwise(criterion="rss", k=3).fit(X, y, sample_weight=weight.astype(float))
    two = Stepwise(criterion="rss", k=3).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(one.coef_, two.coef_, rtol=1e-9, atol=1e-12)


def test_a_tampered_log_is_refused(data):
    X, y = data
    model = Stepwise(criterion="bic").fit(X, y)
    shorter = copy.deepcopy(model)
    shorter.log_ = shorter.log_[:-1]
    assert not certify(shorter, X, y).holds
    swapped = copy.deepcopy(model)
    swapped.log_[1]["column"], swapped.log_[2]["column"] = swapped.log_[2]["column"], swapped.log_[1]["column"]
    assert not certify(swapped, X, y).holds


def test_a_fit_that_stopped_too_early_is_refused(data):
    # The log, the columns and the coefficients all fit together; only one more move was left to make.
    X, y = data
    model = Stepwise(criterion="bic").fit(X, y)
    early = copy.deepcopy(model)
    early.log_ = early.log_[:-1]
    kept = sorted(line["column"] for line in early.log_[1:])
    fit = np.linalg.lstsq(np.column_stack([X[:, kept], np.ones(60)]), y, rcond=None)[0]
    early.coef_ = np.zeros(8)
    early.coef_[kept], early.intercept_ = fit[:-1], fit[-1]
    early.support_, early.rss_, early.n_iter_ = np.array(kept), early.log_[-1]["rss"], len(early.log_)
    failed = [claim for claim in certify(early, X, y) if not claim.holds]
    assert [claim.id for claim in failed] == ["L2"]


def test_what_cannot_be_done_is_said(data):
    X, y = data
    with pytest.raises(ValueError, match="say how many columns"):
        Stepwise(criterion="rss").fit(X, y)
    with pytest.raises(ValueError, match="backward steps need more rows than columns"):
        Stepwise("backward").fit(X[:8], y[:8])
    with pytest.raises(ValueError, match=r"Stepwise\(k=9\): X has 8 columns"):
        Stepwise(k=9).fit(X, y)


def test_repeated_and_constant_columns_never_enter(data):
    X, y = data
    wide = np.column_stack([X, X[:, 0], np.ones(60)])
    model = Stepwise(criterion="aic").fit(wide, y)
    chosen = set(model.support_.tolist())
    assert 9 not in chosen
    assert not {0, 8} <= chosen
    assert model.certificate_.holds


def test_more_columns_than_rows_forward():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 50))
    y = X[:, 3] * 5 + 0.1 * rng.standard_normal(20)
    model = Stepwise(criterion="bic").fit(X, y)
    assert model.certificate_.holds
    assert 3 in model.support_
    assert len(model.support_) <= 18


@each("name", ["mtcars", "swiss", "longley"])
def test_the_choice_of_step(name):
    # R's stats::step on its own tables.
    found = json.loads((Path(__file__).parents[1] / "reference" / "subsets_r.json").read_text())[name]
    X, y = np.array(found["X"]), np.array(found["y"])
    for how, expected in found["step"].items():
        direction, criterion = ("backward", "bic") if how == "bic" else (how, "aic")
        model = Stepwise(direction, criterion=criterion).fit(X, y)
        assert model.support_.tolist() == expected, how
        assert model.certificate_.holds


def test_the_log_and_the_errors_of_the_folds_are_computed_again(data):
    X, y = data
    for options in ({"criterion": "aic"}, {"criterion": "cv"}, {"direction": "backward", "criterion": "cv", "cv": 3}):
        model = Stepwise(**options).fit(X, y)
        assert certify(model, X, y).holds
        forged = []
        for name, value in {"column": 99, "move": "stay", "rss": 0.1, "criterion": -1.0, "size": 3}.items():
            altered = copy.deepcopy(model)
            altered.log_[1][name] = value
            forged.append(altered)
        for name, value in {"support_": model.support_[:-1], "rss_": 0.5 * model.rss_, "n_iter_": 99}.items():
            altered = copy.deepcopy(model)
            setattr(altered, name, value)
            forged.append(altered)
        if model.criterion == "cv":
            # The errors of one size and the fit of that size, which agree with each other.
            size = 1 if len(model.support_) != 1 else 2
            small = Stepwise(model.direction, criterion="rss", k=size).fit(X, y)
            small.set_params(criterion="cv", k=None, cv=model.cv)
            small.cv_errors_ = np.where(np.arange(9) == size, 0.0, model.cv_errors_)
            forged += [small, copy.deepcopy(model).set_params(cv=4)]
        for case, altered in enumerate(forged):
            assert certify(altered, X, y).verdict is Verdict.REFUTED, (options, case)
    assert certify(Stepwise(criterion="cv", cv=iter(list(KFold(3).split(X)))).fit(X, y), X, y).verdict is (
        Verdict.NOTHING_ASSERTED
    )


def test_a_perfect_fit_is_not_improved():
    # Beyond a perfect fit, residual sums are rounding: no criterion may follow them, whatever the units.
    rng = np.random.default_rng(1)
    A = rng.standard_normal((30, 12))
    for unit in (1e-8, 1.0, 1e8):
        for direction in ("forward", "backward", "both"):
            model = Stepwise(direction, criterion="bic").fit(A, unit * (A[:, 2] - 2.0 * A[:, 5] + 3.0))
            assert model.support_.tolist() == [2, 5]
            assert model.certificate_.holds
