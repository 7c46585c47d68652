"""What scikit-learn's ensembles offer: more members by a warm start, members, stages, paths, sparse tables."""

import copy

import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.random_projection import GaussianRandomProjection
from tests.cases import each

from learnable import certify, ensembles
from learnable.ensembles import HistGradientBoostingClassifier, RandomForestClassifier
from learnable.seeds import generator_from
from learnable.trees import DecisionTreeClassifier, ID3Classifier


def a_table(seed=0, n=120):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 4))
    return X, (X[:, 0] + 0.4 * random.standard_normal(n) > 0).astype(int), random.random(n)


def test_a_warm_start_ends_where_a_cold_one_does():
    X, y, _ = a_table()
    for name, few, many in (
        ("RandomForestClassifier", {"n_estimators": 3}, {"n_estimators": 6}),
        ("ExtraTreesRegressor", {"n_estimators": 3}, {"n_estimators": 6}),
        ("BaggingRegressor", {"n_estimators": 3}, {"n_estimators": 6}),
        ("GradientBoostingClassifier", {"n_estimators": 3, "subsample": 0.7}, {"n_estimators": 6}),
    ):
        kind = getattr(ensembles, name)
        warm = kind(**few, warm_start=True, random_state=0).fit(X, y).set_params(**many).fit(X, y)
        cold = kind(**(few | many), random_state=0).fit(X, y)
        assert np.array_equal(warm.predict(X), cold.predict(X)), name
        assert certify(warm, X, y).holds, name
        with pytest.raises(ValueError, match="n_estimators=2"):
            warm.set_params(n_estimators=2).fit(X, y)


def test_members_stages_and_paths_agree_with_the_whole():
    X, y, _ = a_table()
    forest = ensembles.RandomForestClassifier(5, random_state=0).fit(X, y)
    assert np.allclose(np.mean([tree.predict_proba(X) for tree in forest], axis=0), forest.predict_proba(X))
    paths, first = forest.decision_path(X)
    leaves = forest.apply(X) + first[:-1]
    assert all(paths[i, leaves[i, t]] == 1 for i in range(0, len(X), 7) for t in range(5))
    for model in (
        ensembles.AdaBoostClassifier(n_estimators=5),
        ensembles.AdaBoostClassifier(LogisticRegression(), n_estimators=4),
        ensembles.GradientBoostingClassifier(n_estimators=4),
        ensembles.HistGradientBoostingClassifier(max_iter=4),
    ):
        for target in (y, np.digitize(X[:, 0], [-0.5, 0.5])):
            model.fit(X, target)
            assert np.array_equal(list(model.staged_predict(X))[-1], model.predict(X))
            assert np.allclose(list(model.staged_predict_proba(X))[-1], model.predict_proba(X))
    stumps = ensembles.AdaBoostClassifier(n_estimators=5).fit(X, y)
    votes = sum(a * (2.0 * h.predict(X) - 1.0) for a, h in zip(stumps.estimator_weights_, stumps.estimators_))
    assert np.allclose(votes, stumps.decision_function(X))
    assert np.argmax(stumps.feature_importances_) == 0


def test_a_sparse_table_is_the_dense_one():
    X, y, _ = a_table()
    dense = np.where(np.abs(X) > 0.6, X, 0.0)
    table = sparse.csc_array(dense)
    for model in (
        DecisionTreeClassifier(max_depth=3),
        ensembles.RandomForestClassifier(3, random_state=0),
        ensembles.BaggingClassifier(n_estimators=3, random_state=0),
        ensembles.AdaBoostClassifier(n_estimators=3),
        ensembles.GradientBoostingClassifier(n_estimators=3),
    ):
        said = copy.deepcopy(model).fit(dense, y).predict_proba(dense)
        assert np.array_equal(model.fit(table, y).predict_proba(table), said)
        assert certify(model, table, y).holds
    with pytest.raises(MemoryError, match="dense"):
        DecisionTreeClassifier().fit(sparse.csr_array((10**7, 10**7)), np.zeros(10**7))


class TypedRegression(LogisticRegression):
    """Says what kind of table it was given."""

    def fit(self, X, y, sample_weight=None):
        self.given_ = type(X)
        return super().fit(X, y, sample_weight)


def test_members_that_take_sparse_tables_are_given_them():
    X, y, _ = a_table()
    dense = np.where(np.abs(X) > 0.6, X, 0.0)
    for kind in (ensembles.BaggingClassifier, ensembles.AdaBoostClassifier):
        for table in (sparse.csc_array(dense), sparse.csr_matrix(dense)):
            model = kind(TypedRegression(), n_estimators=3, random_state=0).fit(table, y)
            assert {member.given_ for member in model.estimators_} == {type(table)}
            assert certify(model, table, y).holds
            said = copy.deepcopy(model).fit(dense, y).predict_proba(dense)
            assert np.allclose(model.predict_proba(table), said, rtol=0.0, atol=1e-9)


def test_the_seed_of_a_bag_reaches_what_its_members_are_made_of():
    X, y, _ = a_table()
    member = make_pipeline(GaussianRandomProjection(2), LogisticRegression())
    one, two = (ensembles.BaggingClassifier(member, 3, random_state=0).fit(X, y) for _ in range(2))
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))
    first, rows = one.estimators_[0], one.estimators_samples_[0]
    coef = first[-1].coef_.copy()
    assert np.array_equal(first.fit(X[rows], y[rows])[-1].coef_, coef)
    assert certify(one, X, y).holds


def test_bags_of_rows_and_columns_are_certified_and_altered_ones_refuted():
    X, y, weight = a_table()
    for model, w in (
        (ensembles.BaggingClassifier(n_estimators=24, oob_score=True, max_features=0.5), None),
        (ensembles.BaggingClassifier(n_estimators=3, max_samples=0.7), weight),
        (ensembles.BaggingClassifier(LogisticRegression(), 3, max_samples=0.5, bootstrap=False), None),
        (ensembles.BaggingRegressor(n_estimators=24, oob_score=True, bootstrap_features=True, n_jobs=2), weight),
    ):
        model.set_params(random_state=0).fit(X, y, sample_weight=w)
        found = certify(model, X, y, w)
        assert found.holds, found
        stated = ("oob_score_", "oob_interval_", "oob_prediction_", "oob_decision_function_")
        for name in ("seeds_", "n_rows_", "n_drawn_", "row_shares_", *stated):
            if hasattr(model, name):
                other, value = copy.deepcopy(model), np.asarray(getattr(model, name))
                setattr(other, name, value + np.ones((), value.dtype) if value.dtype.kind == "u" else value * 2)
                assert not certify(other, X, y, w).holds, name


class Noting(BaseEstimator):
    """Keeps the rows and weights that it is given."""

    def fit(self, X, y, sample_weight=None):
        self.rows_, self.weight_ = X[:, 0], sample_weight
        return self

    def predict(self, X):
        return X[:, 0]


class NotingRows(Noting):
    """The same, without weights."""

    def fit(self, X, y):
        return super().fit(X, y)


def test_a_row_of_weight_two_counts_as_two_rows_in_bags():
    """Rows come in proportion to their weights, a share of their sum of them; members that can are told how often."""
    X, weight = np.arange(90.0)[:, None], np.tile([0.0, 1.0, 5.0], 30)
    for kind in (Noting, NotingRows):
        model = ensembles.BaggingRegressor(kind(), 40, max_samples=0.5, random_state=0).fit(X, X[:, 0], weight)
        assert model.n_drawn_ == 90  # half of the weight
        for member, rows in zip(model.estimators_, model.estimators_samples_):
            if kind is Noting:
                np.testing.assert_array_equal(member.rows_, X[:, 0])
                np.testing.assert_array_equal(member.weight_, np.bincount(rows, minlength=90))
            else:
                np.testing.assert_array_equal(member.rows_, X[rows, 0])
        often = np.bincount(np.concatenate(model.estimators_samples_) % 3, minlength=3) / (40 * 90)
        np.testing.assert_allclose(often, [0.0, 1 / 6, 5 / 6], atol=0.03)
    assert ensembles.BaggingRegressor(max_samples=0.5).fit(X, X[:, 0]).n_drawn_ == 45
    with pytest.warns(UserWarning, match=r"low number \(1\) of bootstrap samples"):
        ensembles.BaggingRegressor(max_samples=0.5).fit(X, X[:, 0], np.full(90, 1e-3))
    with pytest.warns(UserWarning, match="recommended to use bootstrap=True"):
        ensembles.BaggingRegressor(bootstrap=False).fit(X, X[:, 0], np.ones(90))
    with (
        pytest.warns(UserWarning, match="bootstrap=True"),
        pytest.raises(ValueError, match="max_samples=180 must be <= n_samples=90 to be able to sample without"),
    ):
        ensembles.BaggingRegressor(bootstrap=False, max_samples=1.0).fit(X, X[:, 0], weight)


def test_rows_in_every_bag_are_warned_of():
    X, y, _ = a_table()
    for kind in ("RandomForestClassifier", "ExtraTreesRegressor", "BaggingClassifier", "BaggingRegressor"):
        model = getattr(ensembles, kind)(n_estimators=2, bootstrap=True, oob_score=True, random_state=0)
        words = rf"{kind}: Some inputs do not have OOB scores.* of 120 rows.*n_estimators"
        with pytest.warns(UserWarning, match=words):
            model.fit(X, y)


def _error(tree, X, y):
    said = tree.predict(X)
    return np.mean(said != y) if hasattr(tree, "classes_") else np.mean((said - y) ** 2)


def test_permutation_importance_finds_the_column_that_matters():
    X, y, _ = a_table(3, 300)
    for kind in (ensembles.RandomForestClassifier, ensembles.RandomForestRegressor):
        forest = kind(40, random_state=0).fit(X, y)
        found = forest.permutation_importances(X, y, random_state=0)
        assert found.low[0] > max(found.high[1:])
        assert np.all((found.low <= found.mean) & (found.mean <= found.high))
        # Breiman's rise of the error, for one tree and column by hand.
        tree, bag = forest.estimators_[0], forest.estimators_samples_[0]
        out = np.setdiff1d(np.arange(len(X)), bag)
        assert 0.2 * len(X) < len(out) < 0.6 * len(X)
        assert found.each.shape == (40, 4)
        rng = generator_from(0, kind.__name__)
        shuffled, rise = X[out].copy(), np.zeros(4)
        for j in np.unique(tree.tree_.feature[tree.tree_.feature >= 0]):
            shuffled[:, j] = rng.permutation(X[out, j])
            rise[j] = _error(tree, shuffled, y[out]) - _error(tree, X[out], y[out])
            shuffled[:, j] = X[out, j]
        assert np.allclose(found.each[0], rise)
        for wrong, match in ((y[:-1], "inconsistent"), (np.column_stack([y, y]), "1d array")):
            with pytest.raises(ValueError, match=match):
                forest.permutation_importances(X, wrong)
        with pytest.raises(ValueError, match=r"no class of the fit|NaN"):
            forest.permutation_importances(X, np.where(y == y[0], np.nan, y))
        with pytest.raises(ValueError, match="level"):
            forest.permutation_importances(X, y, level=2.0)
    with pytest.raises(ValueError, match="bootstrap"):
        ensembles.ExtraTreesClassifier(2).fit(X, y).permutation_importances(X, y)


@each(
    "model",
    [
        HistGradientBoostingClassifier(max_iter=4),
        HistGradientBoostingClassifier(max_iter=4, categorical_features=["kind"]),
        DecisionTreeClassifier(categorical_features=["kind"], max_depth=3),
        ID3Classifier(),
    ],
    ids=repr,
)
def test_truth_values_beside_categories_are_zeros_and_ones(model):
    rng = np.random.default_rng(3)
    size, kind, new = rng.integers(0, 6, 120), rng.choice(["x", "y", "z"], 120), rng.random(120) < 0.5
    frame = pandas.DataFrame({"size": size, "kind": pandas.Categorical(kind), "new": new})
    y = np.where((kind == "x") ^ new, "yes", "no")
    numbers = frame.assign(new=frame["new"].astype(int))
    fitted = clone(model).fit(frame, y)
    assert fitted.certificate_.holds
    assert certify(fitted, frame, y).holds
    assert np.array_equal(fitted.predict(frame), clone(model).fit(numbers, y).predict(numbers))
    with pytest.raises(ValueError, match=r"X holds .[xyz]. in column 'kind', row 0"):
        RandomForestClassifier(2).fit(frame, y)
