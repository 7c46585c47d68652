"""Forests: means of trees, rows out of the bag, any number of threads, scikit-learn's forests judged."""

import copy

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm
from sklearn import ensemble as foreign
from sklearn.base import clone

from learnable import certify
from learnable.ensembles import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from learnable.ensembles.out_of_bag import accuracy, explained


def a_table(seed, n=80):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 4)).astype(np.float32).astype(float)
    return X, X[:, 0] + X[:, 1] * (X[:, 2] > 0) + 0.3 * random.standard_normal(n)


def test_trees_belong_to_their_bags_and_predictions_are_means():
    for kind in (RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier, ExtraTreesRegressor):
        X, y = a_table(0)
        X[::9, 1] = np.nan
        target = (y > 0) if "Classifier" in kind.__name__ else y
        for limits in ({}, {"max_depth": 3, "bootstrap": True, "max_samples": 0.6, "min_samples_leaf": 3}):
            model = kind(n_estimators=3, random_state=0, **limits).fit(X, target)
            found = certify(model, X, target)
            assert found.holds, f"{model}\n{found}"
            if model.bootstrap:
                other = copy.deepcopy(model)
                other.seeds_[1] += np.uint64(1)
                assert not certify(other, X, target).holds
        assert len(model.apply(X)[0]) == 3
        near = model.proximities(X[:20])
        assert np.all(np.diag(near) == 1.0)
        assert np.array_equal(near, near.T)


def test_a_copy_of_a_tree_grows_the_same_tree_on_its_rows():
    """Its seed says which columns and thresholds it draws; whether it draws any, `seeds_` says."""
    X, y = a_table(2)
    for kind in (RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier, ExtraTreesRegressor):
        target = (y > 0) if "Classifier" in kind.__name__ else y
        for bootstrap in (True, False):
            model = kind(n_estimators=3, max_features=0.5, bootstrap=bootstrap).fit(X, target)
            for member, rows in zip(model.estimators_, model.estimators_samples_):
                again = clone(member).fit(X[rows], target[rows])
                np.testing.assert_allclose(again.tree_.value, member.tree_.value, rtol=1e-9, atol=1e-12)
                np.testing.assert_array_equal(again.tree_.threshold, member.tree_.threshold)
            assert certify(model, X, target).holds
            model.seeds_ = model.seeds_ ^ np.uint64(2**40)
            assert not certify(model, X, target).holds
    assert not hasattr(RandomForestRegressor(2, bootstrap=False).fit(X, y), "seeds_")


def test_rows_out_of_the_bag_were_not_in_it():
    X, y = a_table(1, 100)
    for model, target in ((RandomForestClassifier(40, oob_score=True, random_state=0), (y > 0).astype(int)),
                          (RandomForestRegressor(40, oob_score=True, random_state=0), y)):  # fmt: skip
        model.fit(X, target)
        bags = model.estimators_samples_
        i = 7
        outside = [t for t, bag in enumerate(bags) if i not in bag]
        assert 0 < len(outside) < 40
        value = np.mean([model.trees_[t].value[model.apply(X[i : i + 1])[0, t], 0] for t in outside], axis=0)
        stated = model.oob_decision_function_[i] if hasattr(model, "classes_") else model.oob_prediction_[i]
        assert np.allclose(stated, value if hasattr(model, "classes_") else value[0])
        low, high = model.oob_interval_
        assert low < model.oob_score_ < high
        assert model.score(X, target) > model.oob_score_
        assert model.certificate_.holds
    # The fresh error lies in the interval of the classifier, most of the time.
    hits = 0
    for seed in range(6):
        X, y = a_table(10 + seed, 120)
        Xt, yt = a_table(50 + seed, 600)
        model = RandomForestClassifier(40, oob_score=True, random_state=seed).fit(X, y > 0)
        low, high = model.oob_interval_
        hits += low - 0.02 <= model.score(Xt, yt > 0) <= high + 0.02
    assert hits >= 4


def test_intervals_of_scores_out_of_the_bag_cover_as_they_say():
    """Of predictions that are given, so that the truth is known; weights count as fewer rows."""
    generator = np.random.default_rng(0)
    for signal in (0.5, 3.0):
        truth, right, hits = 1.0 - (0.04 * signal**2 + 1.0) / (signal**2 + 1.0), norm.cdf(0.5), np.zeros(4)
        for _ in range(400):
            f = signal * generator.standard_normal((150, 1))
            y, drawn = f + generator.standard_normal((150, 1)), generator.random((150, 1)) < right
            for k, weight in enumerate((np.ones(150), generator.exponential(size=150))):
                low, high = explained(y, 0.8 * f, weight)[1]
                hits[k] += low <= truth <= high
                low, high = accuracy(drawn, np.ones_like(drawn), weight)[1]
                hits[2 + k] += low <= right <= high
        # 0.95 less four standard errors of the count, and what 150 rows leave of the normal law.
        assert np.all(hits / 400 > 0.89), hits / 400
        assert np.all(hits / 400 < 0.985), hits / 400


def test_the_same_forest_for_any_number_of_threads():
    X, y = a_table(2)
    one, two = (RandomForestRegressor(6, n_jobs=jobs, random_state=3).fit(X, y) for jobs in (1, 2))
    assert np.array_equal(one.predict(X), two.predict(X))
    assert not np.array_equal(one.predict(X), RandomForestRegressor(6, random_state=4).fit(X, y).predict(X))


def test_the_forests_of_scikit_learn_are_judged():
    X, y = a_table(3)
    for name, target in (("RandomForestClassifier", (y > 0).astype(int)), ("RandomForestRegressor", y)):
        rival = getattr(foreign, name)(n_estimators=3, random_state=0).fit(X, target)
        found = certify(rival, X, target)
        assert found.holds, found
        rival.estimators_[1].tree_.threshold[0] += 0.5
        assert not certify(rival, X, target).holds


def test_a_threshold_at_random_is_one_that_the_seed_of_its_tree_draws():
    X, y = a_table(4)
    for far in (0.0, 1e9):
        for given in ({}, {"max_features": 1, "bootstrap": True}, {"ccp_alpha": 1e-3}, {"max_leaf_nodes": 5}):
            model = ExtraTreesRegressor(3, random_state=1, **given).fit(X + far, y)
            assert certify(model, X + far, y).holds, certify(model, X + far, y)
            tree = model.trees_[1]
            column = X[:, tree.feature[0]] + far
            gap = column[column > tree.threshold[0]].min() - tree.threshold[0]
            tree.threshold[0] += 0.5 * gap  # the rows go where they went
            assert not certify(model, X + far, y).holds, (far, given)
            tree.threshold[0] -= 0.5 * gap
            model.seeds_ = model.seeds_[::-1]
            assert not certify(model, X + far, y).holds


def test_bagging_lowers_the_variance_of_a_tree():
    truth = a_table(99, 200)
    single, many = [], []
    for seed in range(6):
        X, y = a_table(seed, 100)
        single.append(RandomForestRegressor(1, bootstrap=False, random_state=0).fit(X, y).predict(truth[0]))
        bagged = RandomForestRegressor(12, random_state=0).fit(X, y)
        many.append(bagged.predict(truth[0]))
        places = bagged.apply(truth[0])
        means = [np.mean([tree.value[k].item() for tree, k in zip(bagged.trees_, row)]) for row in places]
        np.testing.assert_allclose(many[-1], means, rtol=1e-12)
    assert np.var(many, axis=0).mean() < 0.7 * np.var(single, axis=0).mean()
    with pytest.raises(ValueError, match="bootstrap"):
        RandomForestRegressor(oob_score=True, bootstrap=False).fit(*a_table(0))


def test_a_leaf_may_stand_where_the_columns_drawn_had_no_cut_that_leaves_enough_rows():
    from sklearn.ensemble import RandomForestClassifier as Theirs

    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=32), rng.integers(12, 30, 32), rng.random(32) < 0.4]).astype(float)
    y = X[:, 0] + X[:, 2] + rng.normal(size=32) > 0.5
    for kind in (RandomForestClassifier, Theirs):
        model = kind(n_estimators=60, min_samples_leaf=5, random_state=0).fit(X, y)
        assert not [claim for claim in certify(model, X, y).claims if claim.holds is False]


def test_forests_of_several_outputs():
    """Two outputs at once: certified, scored out of the bag, the same for any number of threads, refused if altered."""
    random = np.random.default_rng(8)
    X = random.standard_normal((90, 3))
    labels = np.column_stack([X[:, 0] > 0, X[:, 1] + X[:, 2] > 0]).astype(int)
    numbers = np.column_stack([X[:, 0], 100.0 * X[:, 1] ** 2])
    for kind, y, more in (
        (RandomForestClassifier, labels, {"class_weight": "balanced_subsample"}),
        (RandomForestRegressor, numbers, {"oob_score": lambda y, said: -float(np.abs(y - said).mean())}),
    ):
        settings = {"n_estimators": 24, "oob_score": True, "random_state": 0} | more
        one, two = (kind(**settings, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
        assert one.predict(X).shape == y.shape
        assert np.array_equal(one.predict(X), two.predict(X))
        assert one.oob_score_ == two.oob_score_
        assert certify(one, X, y).holds
        for name, altered in (("oob_score_", one.oob_score_ + 1e-4), ("n_outputs_", 1), ("seeds_", one.seeds_[::-1])):
            other = copy.deepcopy(one)
            setattr(other, name, altered)
            assert not certify(other, X, y).holds, name


def test_a_sparse_target_is_refused_with_a_sentence():
    X, y = a_table(0)
    with pytest.raises(ValueError, match=r"sparse multilabel-indicator for y is not supported\. Give y.toarray"):
        RandomForestClassifier().fit(X, sparse.csr_array(y[:, None] > 0))


def test_a_bag_without_weight_is_refused_with_a_sentence():
    X, weight = np.random.default_rng(0).standard_normal((80, 3)), np.zeros(80)
    weight[3] = 1.0
    for forest, y in (
        (RandomForestRegressor(30, random_state=0), X[:, 0]),
        (RandomForestClassifier(30, random_state=0), X[:, 0] > 0),
    ):
        with pytest.raises(ValueError, match="positive weight"):
            forest.fit(X, y, sample_weight=weight)
