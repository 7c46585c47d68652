"""What a contributor writes: two learners without a target, on the public floor alone, pass the house checks.

They also show that a certifier can be registered for a class that lives in another package.
"""

from typing import NamedTuple

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from learnable.base import Fitting, Learner, validate_data
from learnable.certificates import Claim, Ledger, certifies, certify
from learnable.checks import HOUSE_CHECKS, kind_of, register
from learnable.seeds import generator_from
from learnable.trace import Status, budget, to_the_end

ROUNDING = 1e-9


class Lloyd(NamedTuple):
    objective: float
    centres: np.ndarray
    labels: np.ndarray


class StrangersKMeans(ClusterMixin, Learner):
    """Centres that are the means of the rows nearest to them."""

    def __init__(self, n_clusters=3, max_iter=300, random_state=None):
        self.n_clusters, self.max_iter, self.random_state = n_clusters, max_iter, random_state

    def fit(self, X, y=None, sample_weight=None):
        return self._learn(X, sample_weight=sample_weight)

    def predict(self, X):
        check_is_fitted(self)
        return distances(validate_data(self, X, reset=False), self.cluster_centers_).argmin(axis=1)

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        data = self._validated(X, sample_weight=sample_weight, blocks=False, dtype=np.float64)
        return Fitting(
            self._rounds(data),
            budget(self.max_iter),
            lambda state: {"cluster_centers_": state.centres, "labels_": state.labels, "inertia_": state.objective},
            data,
            ended=Status.STATIONARY,
            max_steps=self.max_iter,
        )

    def _rounds(self, data):
        generator = generator_from(self.random_state, "StrangersKMeans")
        weight = np.ones(len(data.X)) if data.sample_weight is None else data.sample_weight
        distinct = np.unique(data.X, axis=0)
        centres = distinct[generator.permutation(len(distinct))[: self.n_clusters]]
        labels = distances(data.X, centres).argmin(axis=1)
        while True:
            members = np.eye(len(centres))[labels] * weight[:, None]
            mass = members.sum(axis=0)
            centres = np.where(mass[:, None] > 0, members.T @ data.X / np.maximum(mass, 1e-300)[:, None], centres)
            before, labels = labels, distances(data.X, centres).argmin(axis=1)
            yield Lloyd(float(weight @ distances(data.X, centres).min(axis=1)), centres, labels)
            if np.array_equal(before, labels):
                return


def distances(X, centres):
    return ((X[:, None, :] - centres) ** 2).sum(axis=2)


@certifies(StrangersKMeans, ledger=Ledger(verified=("cluster_centers_",), derived=("labels_", "inertia_")))
def k_means_claims(model, X, y=None, sample_weight=None):
    weight = np.ones(len(X)) if sample_weight is None else sample_weight
    spread = np.sqrt(X.var(axis=0).sum()) + 1e-300
    off = [
        np.linalg.norm(np.average(X[model.labels_ == k], axis=0, weights=weight[model.labels_ == k]) - centre)
        for k, centre in enumerate(model.cluster_centers_)
        if weight[model.labels_ == k].sum() > 0
    ]
    far = distances(X, model.cluster_centers_)
    own = far[np.arange(len(X)), model.labels_]
    inertia = float(weight @ own)
    return [
        Claim.at_most(
            "U2", "centres are means of their rows (largest distance, of the spread)", max(off) / spread, 1e-9
        ),
        Claim.at_most(
            "U2", "no row is nearer to another centre", float((own - far.min(axis=1)).max()) / spread**2, 1e-9
        ),
        Claim.at_most("U2", "the inertia is as stated", abs(model.inertia_ - inertia) / (inertia + 1e-300), ROUNDING),
    ]


class Axes(NamedTuple):
    objective: float
    mean: np.ndarray
    axes: np.ndarray
    lengths: np.ndarray


class StrangersPCA(TransformerMixin, Learner):
    """The directions along which the rows differ most."""

    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit(self, X, y=None):
        return self._learn(X)

    def transform(self, X):
        check_is_fitted(self)
        return (validate_data(self, X, reset=False) - self.mean_) @ self.components_.T

    def _pose(self, X, y=None) -> Fitting:
        data = self._validated(X, blocks=False, dtype=np.float64)

        def decomposed():
            mean = data.X.mean(axis=0)
            _, lengths, axes = np.linalg.svd(data.X - mean, full_matrices=False)
            k = min(self.n_components, len(axes))
            yield Axes(float((lengths[k:] ** 2).sum()), mean, axes[:k], lengths[:k])

        return Fitting(
            decomposed(),
            to_the_end,
            lambda state: {"mean_": state.mean, "components_": state.axes, "singular_values_": state.lengths},
            data,
            ended=Status.OPTIMAL,
        )


@certifies(StrangersPCA, ledger=Ledger(verified=("mean_", "components_"), derived=("singular_values_",)))
def pca_claims(model, X, y=None, sample_weight=None):
    V, centred = model.components_, X - model.mean_
    scatter = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    size, kept = np.trace(scatter) + 1e-300, np.linalg.eigvalsh(scatter)[::-1][: len(V)]
    return [
        Claim.at_most("U7", "rows are centred", np.abs(centred.mean(axis=0)).max() / np.sqrt(size), ROUNDING),
        Claim.at_most("U7", "components are orthonormal", np.abs(V @ V.T - np.eye(len(V))).max(), ROUNDING),
        Claim.at_most("U7", "they leave out least", (kept.sum() - np.trace(V @ scatter @ V.T)) / size, 1e-9),
        Claim.at_most("U7", "they are axes", np.abs(V @ scatter - kept[:, None] * V).max() / size, ROUNDING),
        Claim.at_most("U7", "lengths", np.abs(model.singular_values_ - np.sqrt(np.maximum(kept, 0))).max() / size, 1e-6),
    ]  # fmt: skip


# An axis and its opposite are the same axis; a centre moved to another place in the list is the same centre.
register(StrangersPCA, harmless=(("components_", "a sign flip of the largest entry"),))


@pytest.mark.parametrize("estimator", [StrangersKMeans(random_state=0), StrangersPCA()], ids=lambda e: type(e).__name__)
def test_two_learners_of_a_stranger_pass_the_house_checks(estimator):
    for check in HOUSE_CHECKS:
        check(type(estimator)(**estimator.get_params()))


def test_kinds_of_the_stranger():
    assert type(kind_of(StrangersKMeans())).__name__ == "Clusterer"
    assert type(kind_of(StrangersPCA())).__name__ == "Transformer"


def test_a_class_that_nobody_registered_is_refused_by_name():
    class Unknown(BaseEstimator):
        def fit(self, X, y=None):
            self.answer_ = 1.0
            return self

    X = np.zeros((3, 1))
    with pytest.raises(TypeError, match=r"no certificate is known for .*Unknown"):
        certify(Unknown().fit(X), X)
