"""AdaBoost, stumps, ℓ1 boosting, stagewise models: the theorems round by round."""

import copy

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import AdaBoostClassifier as ForeignAdaBoost
from tests.cases import each

from learnable import certify
from learnable.ensembles import AdaBoostClassifier, DecisionStump, L1AdaBoost, forward_stagewise, stump_pool
from learnable.theory import boosting_margin_loss
from learnable.trees import DecisionTreeClassifier


def overlapping(seed, n=120, p=3):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, p)).round(1)
    return X, np.where(X[:, 0] + X[:, 1] ** 2 + 0.7 * random.standard_normal(n) > 0.8, 1, -1)


def test_the_stump_errs_least_of_all():
    for seed in range(5):
        X, y = overlapping(seed, 50)
        weight = np.random.default_rng(seed).random(50)
        model = DecisionStump().fit(X, y, sample_weight=weight)
        errors = (weight * (stump_pool(X).predict(X) != y)).sum(axis=1) / weight.sum()
        assert model.error_ == pytest.approx(errors.min(), abs=1e-12)
        assert certify(model, X, y, weight).holds


def test_after_its_round_a_hypothesis_is_no_better_than_chance_and_the_bounds_are_ordered():
    for seed in range(3):
        X, y = overlapping(seed)
        model = AdaBoostClassifier(n_estimators=40).fit(X, y)
        D = np.full(len(y), 1 / len(y))
        score, product, exponent = np.zeros(len(y)), 1.0, 0.0
        for h, alpha, error, z in zip(
            model.stumps_.predict(X), model.estimator_weights_, model.estimator_errors_, model.normalizers_
        ):
            assert D[h != y].sum() == pytest.approx(error, abs=1e-10)
            assert alpha == pytest.approx(0.5 * np.log((1 - error) / error))
            assert z == pytest.approx(2 * np.sqrt(error * (1 - error)))
            D = D * np.exp(-alpha * y * h) / z
            assert D[h != y].sum() == pytest.approx(0.5, abs=1e-9)
            score += alpha * h
            product *= z
            exponent += 2 * (0.5 - error) ** 2
            assert np.mean(y * score <= 0) <= product + 1e-12 <= np.exp(-exponent) + 1e-9
        found = certify(model, X, y)
        assert found.holds, found
        margins = y * score / np.abs(model.estimator_weights_).sum()
        assert np.allclose(margins, model.margins_)
        for rho in (0.0, 0.05, 0.2):
            assert np.mean(margins <= rho) <= boosting_margin_loss(model.estimator_errors_, rho) + 1e-9
        *_, last = model.staged_margins(X, y)
        assert np.allclose(last, margins)


def test_the_default_is_the_vote_of_scikit_learn():
    """Trees of depth 1 of least Gini impurity; a tree whose sides say the same is a constant."""
    for seed in range(4):
        X, y = overlapping(seed, 200)
        X += 0.01 * np.random.default_rng(seed).random(X.shape)  # no two cuts are as good
        y[:60] = 1
        weight = np.random.default_rng(seed).random(200)
        model = AdaBoostClassifier(n_estimators=30).fit(X, y, sample_weight=weight)
        theirs = ForeignAdaBoost(n_estimators=30, random_state=0).fit(X, y, sample_weight=weight)
        assert np.allclose(model.estimator_errors_, theirs.estimator_errors_)
        assert np.allclose(2 * model.estimator_weights_, theirs.estimator_weights_)
        assert np.array_equal(model.predict(X), theirs.predict(X))
        assert np.allclose(model.feature_importances_, theirs.feature_importances_)
        assert certify(model, X, y, weight).holds


def test_a_stump_that_is_not_the_purest_is_refuted():
    X, y = overlapping(0)
    model = AdaBoostClassifier(n_estimators=5).fit(X, y)
    assert model.certificate_.holds
    by_error = AdaBoostClassifier(DecisionStump(), n_estimators=5).fit(X, y)
    assert by_error.estimator_errors_[0] <= model.estimator_errors_[0]
    by_error.estimator = None
    assert not certify(by_error, X, y).holds
    model.estimator = DecisionStump()
    assert not certify(model, X, y).holds


def test_both_conventions_vote_alike():
    X, y = overlapping(1)
    half, full = (AdaBoostClassifier(n_estimators=30, convention=c).fit(X, y) for c in ("half", "full"))
    assert np.array_equal(half.predict(X), full.predict(X))
    assert np.allclose(2 * half.estimator_weights_, full.estimator_weights_)
    assert np.allclose(half.predict_proba(X), full.predict_proba(X))
    assert certify(full, X, y).holds
    # The second one by its own recipe: unnormalised weights, those of misses times e^α.
    w = np.ones(len(y))
    for h, alpha in zip(full.stumps_.predict(X), full.estimator_weights_):
        error = w[h != y].sum() / w.sum()
        assert alpha == pytest.approx(np.log((1 - error) / error))
        w = w * np.exp(alpha * (h != y))


def test_the_end_of_boosting():
    X = np.arange(8.0)[:, None]
    perfect = AdaBoostClassifier().fit(X, X[:, 0] > 3)
    assert len(perfect.estimator_weights_) == 1
    assert perfect.score(X, X[:, 0] > 3) == 1.0
    assert perfect.certificate_.holds
    hopeless = AdaBoostClassifier().fit(np.zeros((4, 1)), [0, 1, 0, 1])
    assert hopeless.estimator_weights_.tolist() == [0.0]
    assert hopeless.certificate_.holds
    alone = AdaBoostClassifier().fit(X, ["yes"] * 8)
    assert (alone.predict(X) == "yes").all()
    assert np.array_equal(alone.predict_proba(X), np.ones((8, 1)))
    assert certify(alone, X, ["yes"] * 8).holds
    for bad in (np.full((4, 1), np.nan), np.full((4, 1), np.inf)):
        with pytest.raises(ValueError, match="contains"):
            AdaBoostClassifier().fit(bad, [0, 1, 0, 1])


def test_probabilities_are_those_of_twice_the_score():
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (4000, 1)).astype(float)
    y = np.where(random.random(4000) < np.where(X[:, 0] > 0, 0.8, 0.3), 1, -1)
    model = AdaBoostClassifier(n_estimators=200).fit(X, y)
    for value in (0.0, 1.0):
        share = np.mean(y[X[:, 0] == value] == 1)
        assert model.predict_proba([[value]])[0, 1] == pytest.approx(share, abs=0.01)
    f = model.decision_function([[1.0]])[0]
    assert model.predict_proba([[1.0]])[0, 1] == pytest.approx(1 / (1 + np.exp(-2 * f)))


def test_adaboost_is_stagewise_modelling_with_exponential_loss():
    X, y = overlapping(2, 40)
    model = AdaBoostClassifier(DecisionStump(), n_estimators=4).fit(X, y)
    assert certify(model, X, y).holds
    pool = stump_pool(X).predict(X)
    fit = forward_stagewise(pool, y, lambda y, f: np.exp(-y * f), 4)
    # A stump and its mirror with −β are the same function: compare β G.
    for t in range(4):
        theirs = model.estimator_weights_[t] * model.stumps_.predict(X)[t]
        assert np.allclose(fit.beta[t] * pool[fit.chosen[t]], theirs, atol=1e-5)
    assert np.allclose(fit.losses, np.cumprod(model.normalizers_), atol=1e-9)
    squared = forward_stagewise(pool, y, lambda y, f: (y - f) ** 2, 3)
    assert np.all(np.diff(squared.losses) <= 1e-12)


def test_the_l1_problem_is_solved_over_all_stumps():
    for seed in range(3):
        X, y = overlapping(seed, 60)
        model = L1AdaBoost(penalty=0.03).fit(X, y)
        found = certify(model, X, y)
        assert found.holds, found
        pool = stump_pool(X).predict(X)
        tilted = np.exp(-y * model.decision_function(X)) / len(y)
        edges = pool @ (tilted * y)
        assert edges.max() <= 0.03 * (1 + 1e-6)
        for stump in model.stumps_.predict(X):
            assert stump @ (tilted * y) == pytest.approx(0.03, rel=1e-5)
        other = copy.deepcopy(model)
        other.alpha_ = model.alpha_ * 1.001
        assert not certify(other, X, y).holds
        top = (pool @ (y / len(y))).max()
        assert len(L1AdaBoost(penalty=top * 1.01).fit(X, y).alpha_) == 0


def test_foreign_adaboost_is_judged_and_the_bound_is_valid():
    X, y = overlapping(3)
    foreign = ForeignAdaBoost(n_estimators=15, random_state=0).fit(X, y)
    assert certify(foreign, X, y).holds, certify(foreign, X, y)
    foreign.estimator_weights_[2] *= 1.1
    assert not certify(foreign, X, y).holds
    several = AdaBoostClassifier(n_estimators=10).fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    assert certify(several, X, np.digitize(X[:, 0], [-0.5, 0.5])).holds
    assert several.score(X, np.digitize(X[:, 0], [-0.5, 0.5])) > 0.8


def test_the_generalisation_bound_covers_the_true_error():
    random = np.random.default_rng(0)
    X = random.standard_normal((4000, 2))
    y = np.where(X[:, 0] > 0.1, 1, -1)
    model = AdaBoostClassifier(n_estimators=20).fit(X[:2000], y[:2000])
    terms = model.generalisation_bound(X[:2000], y[:2000], rho=0.9, delta=0.05)
    # Massart over the labellings that stumps give to n rows, brute force on few rows.
    assert len({tuple(row) for row in stump_pool(X[:9]).predict(X[:9])}) <= 2 * 2 * 8 + 2
    assert terms["complexity"] == pytest.approx(2 / 0.9 * np.sqrt(2 * np.log(2 * 2 * 1999 + 2) / 2000))
    assert np.mean(model.predict(X[2000:]) != y[2000:]) <= terms["bound"]
    assert terms["bound"] == pytest.approx(sum(v for k, v in terms.items() if k != "bound"))


def test_a_constant_is_a_stump_that_can_be_proved():
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 1])
    for cells, weight in ((np.ones((4, 1)), None), (X, np.array([0.0, 1.0, 1.0, 1.0]))):
        model = DecisionStump().fit(cells, y, sample_weight=weight)
        assert model.threshold_ == -np.inf
        assert model.certificate_.holds
        assert model.status_ == "optimal"
        for forged in (np.inf, np.nan, 2.0):
            altered = copy.copy(model)
            altered.threshold_ = forged
            assert not certify(altered, cells, y, sample_weight=weight).holds


@each(
    "model",
    [DecisionStump(), L1AdaBoost(penalty=0.01), AdaBoostClassifier(), AdaBoostClassifier(DecisionStump())],
    ids=str,
)
def test_weights_are_repetitions_and_rows_without_weight_are_not_there(model):
    random = np.random.default_rng(0)
    X, Z = random.standard_normal((30, 2)), random.standard_normal((300, 2))
    y = X[:, 0] + 0.8 * random.standard_normal(30) > 0.0
    times = random.integers(0, 3, 30)
    weighted = clone(model).fit(X, y, sample_weight=times.astype(float))
    repeated = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert np.array_equal(weighted.predict(Z), repeated.predict(Z))
    assert certify(weighted, X, y, times.astype(float)).holds


class OfPictures(ClassifierMixin, BaseEstimator):
    """A tree on the cells of tables, one a row."""

    def fit(self, X, y, sample_weight=None):
        self.tree_ = DecisionTreeClassifier(max_depth=1).fit(X.reshape(len(X), -1), y, sample_weight)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X):
        return self.tree_.predict(X.reshape(len(X), -1))


def test_members_may_take_tables_of_more_dimensions():
    X = np.random.default_rng(2).standard_normal((60, 3, 2))
    y = np.where(X[:, 0, 1] + X[:, 2, 0] > 0.0, "up", "down")
    model = AdaBoostClassifier(OfPictures(), n_estimators=6).fit(X, y)
    flat = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=6).fit(X.reshape(60, 6), y)
    np.testing.assert_allclose(model.decision_function(X), flat.decision_function(X.reshape(60, 6)))
    assert model.n_features_in_ == 3
    assert certify(model, X, y).holds
    with pytest.raises(ValueError, match="2 features, but AdaBoostClassifier is expecting 3"):
        model.predict(X[:, :2])
    model.estimator_weights_ = model.estimator_weights_ * 1.01
    assert not certify(model, X, y).holds
    for estimator in (None, DecisionStump(), DecisionTreeClassifier()):
        with pytest.raises(ValueError, match="dim 3"):
            AdaBoostClassifier(estimator).fit(X, y)
    with pytest.raises(ValueError, match="fitted on 6 columns, but X has shape"):
        certify(DecisionTreeClassifier().fit(X.reshape(60, 6), y), X, y)
