"""Honest fits on awkward data are proved; answers in disguise are not."""

import copy
import warnings

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.certificates.linear.least_squares import orthogonality
from learnable.concepts import DisjunctionLearner
from learnable.ensembles import DecisionStump, RandomForestRegressor
from learnable.graphical import GraphicalLasso, NodewiseRegression
from learnable.kernels import SVR, KernelRidge, NuSVC, NuSVR, Nystroem
from learnable.linear import GammaRegressor, LinearDiscriminantAnalysis, LinearRegression, Ridge, SGDRegressor
from learnable.rows import as_rows
from learnable.sparse import (
    BestSubset,
    Lars,
    LassoCV,
    LassoLars,
    ReducedRankRegression,
    SparsePoissonRegressor,
    Stepwise,
)
from learnable.unsupervised import SpectralClustering

RNG = np.random.default_rng(5)
X = RNG.standard_normal((60, 3))
Y = X @ [1.0, -2.0, 0.5] + 0.3 * RNG.standard_normal(60)
SINGLE = X.astype(np.float32)
COUNTS = RNG.poisson(np.exp(0.3 * Y)).astype(float)
CONSTANT = np.full(60, 0.1)
FOREST = RandomForestRegressor(24, oob_score=True, random_state=0)
HONEST = [
    (Lars(), X + 1e9, Y), (LassoLars(alpha=0.01), X + 1e9, Y), (Lars(), X, CONSTANT), (LassoLars(), X, CONSTANT),
    (BestSubset(k=2), X, CONSTANT), (LassoCV(cv=3), SINGLE, Y.astype(np.float32)),
    (LassoCV(cv=3), X, Y + 1e8),
    (SparsePoissonRegressor(), X, 1e8 * COUNTS), (SparsePoissonRegressor(), X, 1e8 + COUNTS),
    (NodewiseRegression(), X[:, :1], None), (GraphicalLasso(), np.hstack([X, X, X]), None),
    (SpectralClustering(3, random_state=0), SINGLE, None), (SpectralClustering(3, random_state=0), 1e3 * X, None),
    (Nystroem(n_components=20, random_state=0), 1e-6 * X, None), (DecisionStump(), X[:2] * 0.0, np.array([0, 1])),
    (FOREST, X, CONSTANT), (SpectralClustering(3, random_state=0), 1e8 * X, None),
    (Stepwise(), X, CONSTANT), (Stepwise(direction="backward"), X, 0.0 * Y), (ReducedRankRegression(), X, CONSTANT),
    (ReducedRankRegression(2), X, np.outer(CONSTANT, [0.0, 1.0])),
    (NuSVR(), X, CONSTANT), (NuSVR(kernel="linear", C=10.0), X, 0.0 * Y), (SVR(), X, CONSTANT),
    (LinearDiscriminantAnalysis(), np.repeat(X[:6], 3, axis=0), np.tile([0, 1, 2], 6)),
]  # fmt: skip


def test_honest_fits_are_proved():
    for model, table, y in HONEST:
        data = (table,) if y is None else (table, y)
        model.fit(*data)
        found = certify(model, *data)
        assert model.certificate_.holds, (model, model.certificate_)
        assert found.holds, (model, found)


def _nested(model):
    """Trees with an undefined impurity at a root."""
    tree = model.trees_[0]
    impurity = tree.impurity.copy()
    impurity[0] = np.nan
    return [tree._replace(impurity=impurity), *model.trees_[1:]]


def _wider(model):
    changed = copy.deepcopy(model.hypothesis_)
    object.__setattr__(changed, "n_variables", changed.n_variables + 1)
    return changed


ALTERED = [
    (GammaRegressor(), X, COUNTS + 1.0, "coef_", lambda m: m.coef_ + 1j),
    (KernelRidge(kernel="rbf"), X, Y, "dual_coef_", lambda m: m.dual_coef_[None]),
    (KernelRidge(kernel="rbf"), X, Y, "dual_coef_", lambda m: m.dual_coef_.astype(str)),
    (SGDRegressor(random_state=0), X, Y, "intercept_", lambda m: np.repeat(m.intercept_, 2)),
    (GraphicalLasso(), X, None, "covariance_", lambda m: m.covariance_[None]),
    (SpectralClustering(3, random_state=0), X, None, "labels_", lambda m: m.labels_ * 0),
    (SpectralClustering(3, random_state=0), X, None, "labels_", lambda m: m.labels_ + 0.3),
    (NuSVC(), X, Y > 0.0, "n_support_", lambda m: m.n_support_.astype(float)),
    (RandomForestRegressor(4, random_state=0), X, Y, "trees_", _nested),
    (DisjunctionLearner(), X > 0.0, (X > 0.0)[:, 0] | (X > 0.0)[:, 1], "hypothesis_", _wider),
]  # fmt: skip


def test_answers_in_disguise_are_not_proved():
    for model, table, y, attribute, altered in ALTERED:
        data = (table,) if y is None else (table, y)
        model.fit(*data)
        assert not any(claim.verdict == "refuted" for claim in certify(model, *data)), model
        forged = copy.copy(model)
        setattr(forged, attribute, altered(model))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert not certify(forged, *data).holds, (model, attribute)


def test_a_nu_machine_of_nothing_is_not_proved():
    model = NuSVC().fit(X, Y > 0.0)
    model.dual_coef_, model.intercept_ = 0.0 * model.dual_coef_, 0.0 * model.intercept_
    assert not certify(model, X, Y > 0.0).holds


def test_normal_equations_of_few_rows_are_exact_about_a_column_far_from_zero():
    """Sums about zero would leave eight digits: the means that they show are taken off, and the rows read again."""
    rng = np.random.default_rng(0)
    near = rng.standard_normal((150, 4))
    X, y = near + np.array([1e9, 0.0, 0.0, 0.0]), near @ [0.5, 1.0, 2.0, 3.0] + rng.standard_normal(150)
    for model in (LinearRegression().fit(X, y), Ridge().fit(X, y)):
        assert model.certificate_.holds
        alpha = getattr(model, "alpha", 0.0)
        found = orthogonality(as_rows(X, y), model.coef_[:, None], np.array([model.intercept_]), alpha, True)
        assert np.abs(found.slopes).max() < 1e-13
        model.coef_ = model.coef_ * [1.0, 1.0 + 1e-6, 1.0, 1.0]
        assert not certify(model, X, y).holds


@each("targets", [0.1, 0.3, 1.0 / 3.0, 1e8 + 0.1, 7e-10])
def test_weighted_trees_of_one_target_are_pure(targets):
    """A mean beyond all numbers, by rounding, would leave an impurity where there is none."""
    for n, scale in ((3, 1.0), (6, 1.0), (8, 1e-9)):
        for seed in range(3):
            weight = scale * np.random.default_rng(seed).uniform(0.2, 2.0, n)
            y = np.full(n, targets)
            model = RandomForestRegressor(5, random_state=0).fit(X[:n], y, sample_weight=weight)
            assert model.certificate_.holds
            assert certify(model, X[:n], y, weight).holds, (n, seed)
