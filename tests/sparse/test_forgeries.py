"""Sparse answers under attack: every number of a fit altered, every parameter forged, awkward but honest data."""

import copy
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from tests.cases import each

from learnable import certify, sparse
from learnable.certificates import Verdict
from learnable.certificates.core.certify import ledger_of

RNG = np.random.default_rng(3)
N, P = 60, 6
X = RNG.standard_normal((N, P)) + np.array([0.0, 1.0, -2.0, 5.0, 0.0, 0.0])
SCORE = X @ [2.0, -1.5, 0.0, 1.0, 0.0, 0.0]
Y = SCORE + 0.5 * RNG.standard_normal(N) + 3.0
SEVERAL = np.outer(SCORE, [1.0, -0.5, 2.0]) + 0.3 * RNG.standard_normal((N, 3))
NOISY = SCORE - SCORE.mean() + 2.0 * RNG.logistic(size=N)
TWO, THREE = (NOISY > 0).astype(int), np.digitize(NOISY, np.quantile(NOISY, [0.3, 0.7]))
COUNTS = RNG.poisson(np.exp(0.3 * X[:, 0] - 0.2 * X[:, 1] + 0.5)).astype(float)

MODELS = [
    (sparse.Lasso(0.1), Y), (sparse.ElasticNet(0.1), Y), (sparse.LassoCV(cv=3, alphas=8), Y),
    (sparse.ElasticNetCV(cv=3, alphas=6, l1_ratio=[0.3, 0.9]), Y), (sparse.AdaptiveLasso(0.1), Y),
    (sparse.Lars(), Y), (sparse.LassoLars(0.1), Y), (sparse.GroupLasso(2, alpha=0.1), Y),
    (sparse.SparseGroupLasso(2, alpha=0.1), Y), (sparse.MCPRegression(0.2), Y), (sparse.SCADRegression(0.2), Y),
    (sparse.BridgeRegression(0.1), Y), (sparse.BridgeRegression(0.1, q=1.5), Y), (sparse.DantzigSelector(0.1), Y),
    (sparse.BestSubset(2), Y), (sparse.BestSubsetMILP(2), Y), (sparse.SplicingSubset(2), Y), (sparse.ADMMLasso(0.1), Y),
    (sparse.MultiTaskLasso(0.2), SEVERAL), (sparse.NuclearNormRegression(0.2), SEVERAL),
    (sparse.ReducedRankRegression(1), SEVERAL), (sparse.Stepwise(), Y), (sparse.PenalizedRegressor(alpha=0.1), Y),
    (sparse.SparseLogisticRegression(0.02), TWO), (sparse.SparseLogisticRegression(0.02), THREE),
    (sparse.SparsePoissonRegressor(0.05), COUNTS), (sparse.SparseLDA(0.1), TWO), (sparse.SparseLDADantzig(0.1), TWO),
]  # fmt: skip
# The parameters that say which problem was solved; each other value is another problem.
PROBLEM = {
    "alpha": 3.0, "gamma": 2.0, "l1_ratio": 0.05, "q": 1.9, "k": 1, "rho": 7.0, "eps": 0.1, "fit_intercept": False,
    "groups": 3, "alphas": 5, "cv": 4, "n_nonzero_coefs": 2, "initial": np.ones(P), "criterion": "bic",
    "class_weight": {1: 3.0}, "penalty_factor": np.arange(1.0, P + 1.0), "rank": 2, "positive": True,
}  # fmt: skip
# Settings of these names that scikit-learn has and nothing here depends on, or with which the answer stays right.
HARMLESS = {("Lars", "eps"), ("LassoLars", "eps"), ("Stepwise", "cv"), ("Stepwise", "criterion")}


def altered(value):
    """Values that somebody might put in place of a fitted attribute."""
    if isinstance(value, float | np.floating):
        return [value + 1.0, float("nan"), 1e9]
    if isinstance(value, int | np.integer):
        return [value + 1, -value - 1]
    if isinstance(value, dict):
        return [{**value, key: other} for key, part in value.items() for other in altered(part)]
    if isinstance(value, list):
        return [value[:-1], value[::-1]] if len(value) > 1 else [[]]
    value = np.asarray(value)
    if value.dtype.kind not in "biuf" or not value.size:
        return []
    spoilt = value.astype(float)
    spoilt.flat[0] = np.nan
    changed = [1.1 * value, value + 1, -value, 0 * value, spoilt, value[:-1], value[..., :-1], value[::-1]]
    return [other for other in changed if other.shape != value.shape or not np.array_equal(other, value)]


@each(("model", "y"), MODELS, ids=lambda case: type(case).__name__)
def test_no_alteration_is_proved(model, y):
    fitted = copy.deepcopy(model).fit(X, y)
    name, found = type(model).__name__, certify(fitted, X, y)
    assert found.holds, f"{name}:\n{found}"
    ledger = ledger_of(type(model))
    assert not ledger.missing_from(vars(fitted))
    for attribute in (*ledger.verified, *ledger.derived):
        for case, value in enumerate(altered(vars(fitted).get(attribute))):
            other = copy.copy(fitted)
            setattr(other, attribute, value)
            assert certify(other, X, y).verdict is Verdict.REFUTED, (name, attribute, case)
    for parameter, value in PROBLEM.items():
        if parameter in fitted.get_params() and (name, parameter) not in HARMLESS:
            other = copy.copy(fitted)
            setattr(other, parameter, value)
            assert certify(other, X, y).verdict is Verdict.REFUTED, (name, parameter)
    # A tolerance of the model's own loosens nothing.
    for factor in (-1.0, 0.0, 1.05):
        other = copy.copy(fitted)
        other.coef_, other.tol = factor * fitted.coef_, 1e6
        assert not certify(other, X, y).holds, (name, factor)


def awkward():
    """(what is awkward, X, factor of the penalty, factor of y, weights or None): the same problem in other clothes."""
    far = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    yield "far", X + 1e6 * far, 1.0, 1.0, None
    yield "very far", X + 1e9 * far, 1.0, 1.0, None
    yield "small columns", 1e-8 * X, 1e-8, 1.0, None
    yield "large columns", 1e8 * X, 1e8, 1.0, None
    yield "small targets", X, 1e-8, 1e-8, None
    yield "large targets", X, 1e8, 1e8, None
    yield "single precision", X.astype(np.float32), 1.0, 1.0, None
    yield "twice", np.column_stack([X[:, :5], X[:, 0]]), 1.0, 1.0, None
    yield "constant", np.column_stack([X[:, :5], np.full(N, 3.0)]), 1.0, 1.0, None
    yield "few rows", X[:8], 1.0, 1.0, None
    yield "weights", X, 1.0, 1.0, np.where(np.arange(N) % 3 == 0, 0.0, 1e6 * RNG.uniform(0.2, 2.0, N))


@each(("model", "y"), MODELS, ids=lambda case: type(case).__name__)
def test_awkward_fits_are_not_called_wrong(model, y):
    name = type(model).__name__
    for what, Z, penalty, unit, weight in awkward():
        if (unit != 1.0 and y.dtype.kind == "i") or (name == "SparsePoissonRegressor" and unit != 1.0):
            continue
        if weight is not None and name in ("Lars", "LassoLars", "SparseLDA", "SparseLDADantzig"):
            continue
        if name == "BridgeRegression" and penalty != 1.0:
            continue  # its penalty has other units
        fit, target = copy.deepcopy(model), unit * y[: len(Z)] if unit != 1.0 else y[: len(Z)]
        if hasattr(fit, "alpha"):
            fit.alpha = fit.alpha * penalty
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fit.fit(Z, target, **({} if weight is None else {"sample_weight": weight}))
        found = certify(fit, Z, target, weight)
        assert found.verdict is not Verdict.REFUTED, f"{name}, {what}:\n{found}"
        assert fit.certificate_.verdict is found.verdict, (name, what)
        assert found.holds or name.startswith("BestSubset"), f"{name}, {what}:\n{found}"


@each("alpha", [1e-20, 1e-6, 1e-2])
def test_columns_of_lengths_far_apart_lend_each_other_no_room(alpha):
    # Rounding one coefficient of a short column may move the gap by more than all of what is explained.
    random = np.random.default_rng(0)
    Z = random.standard_normal((40, 4))
    y = Z @ [1.0, -1.0, 0.5, 0.7] + 0.3 * random.standard_normal(40)
    table = Z * [1e-9, 1e12, 1.0, 1e3]
    for model in (sparse.Lasso(alpha), sparse.ElasticNet(alpha), sparse.GroupLasso(2, alpha=alpha)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(table, y)
        assert certify(model, table, y).verdict is not Verdict.REFUTED
        spread = np.std(model.predict(table))
        for column in range(4):
            forged = copy.deepcopy(model)
            forged.coef_ = model.coef_ + 0.1 * spread * np.eye(4)[column] / table[:, column].std()
            forged.intercept_ = model.intercept_ - table.mean(axis=0) @ (forged.coef_ - model.coef_)
            assert not certify(forged, table, y).holds, (model, column)
