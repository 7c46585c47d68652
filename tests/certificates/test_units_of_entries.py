"""A fit done again is compared entry by entry: those of a column of large numbers excuse no other's."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.tree import ExtraTreeRegressor

from learnable import certify, unsupervised
from learnable.certificates import Verdict
from learnable.linear import Ridge

RNG = np.random.default_rng(0)
X = np.column_stack([1.7e9 + 1e7 * RNG.random(60), RNG.standard_normal(60)])  # seconds, and what happened at them
Y = X[:, 1] + 0.1 * RNG.standard_normal(60)


def test_what_stands_for_a_missing_cell_is_compared_in_its_own_unit():
    model = make_pipeline(SimpleImputer(), Ridge()).fit(X, Y)
    assert certify(model, X, Y).holds
    model[0].statistics_ += np.array([0.0, 10.0])
    assert not certify(model, X, Y).holds


def test_thresholds_are_compared_in_the_unit_of_their_column():
    y = Y + X[:, 0] / 1e7
    model = ExtraTreeRegressor(max_depth=3, max_features=None, random_state=0).fit(X, y)
    assert certify(model, X, y).holds
    tree = model.tree_
    assert tree.threshold.max() > 1e9
    node = int(np.flatnonzero(tree.feature == 1)[0])
    values = np.sort(X[model.decision_path(X).toarray()[:, node] > 0, 1])
    k = np.searchsorted(values, tree.threshold[node])
    ends = values[k - 1 : k + 1]  # nothing is between these: every training row goes the way it went
    tree.threshold[node] = ends.mean() + 0.25 * np.ptp(ends) * np.sign(ends.mean() - tree.threshold[node])
    assert not certify(model, X, y).holds


@pytest.mark.filterwarnings("ignore")
def test_clusters_without_rows_stand_where_others_do():
    points = RNG.standard_normal((4, 2))[RNG.integers(0, 4, 20)]
    for seed in (0, None):
        model = KMeans(6, random_state=seed, n_init=1).fit(points)
        lone = np.setdiff1d(np.arange(6), model.labels_)
        assert len(lone) == 2
        assert certify(model, points).holds
        model.cluster_centers_[lone[0]] = 5.0
        assert not certify(model, points).holds


@pytest.mark.filterwarnings("ignore")
def test_shares_of_no_variance_are_open():
    alike = np.full((20, 1), 3.0)
    model = PCA(random_state=0).fit(alike)
    assert certify(model, alike).verdict is Verdict.NOTHING_ASSERTED
    model.explained_variance_ = model.explained_variance_ + 1.0
    assert certify(model, alike).verdict is Verdict.REFUTED


def test_means_and_variances_beside_a_large_column_are_judged_in_their_own_unit():
    table = np.column_stack([X, 0.01 * RNG.standard_normal(60)])
    for kind in (unsupervised.PCA, PCA):
        for name, place, off in (("mean_", 1, 0.3), ("mean_", 2, 0.003), ("explained_variance_", 2, 1e-5)):
            model = kind().fit(table)
            assert certify(model, table).holds
            getattr(model, name)[place] += off
            assert not certify(model, table).holds, (kind.__module__, name, place)
