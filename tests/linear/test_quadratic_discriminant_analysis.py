"""Quadratic discriminant analysis: the same numbers as scikit-learn and R, any source of rows, bad input, tampering."""

import copy
import json
from pathlib import Path

import dask.array
import numpy as np
import pytest
import sklearn.discriminant_analysis
from scipy import sparse
from scipy.stats import multivariate_normal
from sklearn.covariance import OAS
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.linear import QuadraticDiscriminantAnalysis

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "discriminants_r.json").read_text())
CASES = [
    {},
    {"reg_param": 0.2},
    {"solver": "eigen"},
    {"solver": "eigen", "shrinkage": 0.3},
    {"solver": "eigen", "shrinkage": "auto"},
]


def classes_apart(n=300, p=4, K=3, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, K, n)
    mixing = np.eye(p) + 0.4 * random.standard_normal((K, p, p))
    return np.einsum("ij,ijk->ik", random.standard_normal((n, p)), mixing[y]) + random.standard_normal((K, p))[y], y


@each("options", CASES)
@each("K", [2, 3])
@each("own_priors", [False, True])
def test_numbers_of_scikit_learn(options, K, own_priors):
    X, y = classes_apart(K=K)
    priors = np.arange(1.0, K + 1.0) / np.arange(1.0, K + 1.0).sum() if own_priors else None
    options = options | {"priors": priors, "store_covariance": True}
    ours = QuadraticDiscriminantAnalysis(**options).fit(X, y)
    theirs = sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis(**options).fit(X, y)
    for name in ("means_", "priors_", "scalings_", "covariance_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(np.abs(ours.rotations_), np.abs(theirs.rotations_), rtol=1e-8, atol=1e-9)
    for method in ("decision_function", "predict_log_proba"):
        np.testing.assert_allclose(getattr(ours, method)(X), getattr(theirs, method)(X), rtol=1e-9, atol=1e-10)
    assert ours.certificate_.holds, ours.certificate_
    assert certify(theirs, X, y).holds


def test_numbers_of_r():
    X, y, at = (np.array(REFERENCE[name]) for name in ("X", "y", "rows"))
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    log_det = [np.sum(np.log(scaling)) for scaling in model.scalings_]
    np.testing.assert_allclose(log_det, REFERENCE["qda_log_det_mle"], rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X[at]), REFERENCE["qda_posterior_mle"], atol=1e-13)
    other = QuadraticDiscriminantAnalysis(priors=REFERENCE["priors"]).fit(X, y)
    np.testing.assert_allclose(other.predict_proba(X[at]), REFERENCE["qda_posterior_priors"], atol=1e-13)
    # MASS divides by n_k − 1 by default: every class has 50 members here.
    np.testing.assert_allclose(np.array(log_det) + 4 * np.log(50 / 49), REFERENCE["qda_log_det_moment"], rtol=1e-12)
    assert model.certificate_.holds


def test_posteriors_are_bayes_rule_of_the_densities():
    X, y = classes_apart()
    model = QuadraticDiscriminantAnalysis(store_covariance=True, priors=[0.2, 0.3, 0.5]).fit(X, y)
    joint = np.stack(
        [
            prior * multivariate_normal(mean, covariance).pdf(X)
            for prior, mean, covariance in zip(model.priors_, model.means_, model.covariance_)
        ],
        axis=1,
    )
    np.testing.assert_allclose(model.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), atol=1e-12)


@each("options", CASES)
def test_weights_are_repetitions(options):
    X, y = classes_apart()
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = QuadraticDiscriminantAnalysis(**options).fit(X, y, sample_weight=weight)
    repeated = QuadraticDiscriminantAnalysis(**options).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    for name in ("means_", "priors_", "scalings_"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-10)
    assert weighted.certificate_.holds


@each("options", [{}, {"solver": "eigen", "shrinkage": "auto"}])
def test_any_source_of_rows_gives_the_same_fit(options):
    X, y = classes_apart(n=3000)
    X[np.abs(X) < 0.5] = 0.0
    model = QuadraticDiscriminantAnalysis(**options).fit(X, y)
    for rows in (dask.array.from_array(X, chunks=(700, -1)), sparse.csr_array(X), np.asfortranarray(X)):
        other = QuadraticDiscriminantAnalysis(**options).fit(rows, y)
        np.testing.assert_allclose(other.scalings_, model.scalings_, rtol=1e-10)
        np.testing.assert_allclose(other.predict_proba(rows), model.predict_proba(X), atol=1e-10)
        assert other.certificate_.holds


@each("options", CASES)
def test_tampering_is_noticed(options):
    X, y = classes_apart()
    model = QuadraticDiscriminantAnalysis(**options).fit(X, y)
    for name in ("means_", "priors_", "scalings_", "rotations_"):
        answer = np.array(getattr(model, name))
        for changed in (answer * (1.0 + 1e-5), np.roll(answer, 1, axis=-1), np.roll(answer, 1, axis=0)):
            altered = copy.deepcopy(model)
            setattr(altered, name, changed if answer.ndim == 1 else list(changed))
            assert not certify(altered, X, y).holds, name


@each("kind", [QuadraticDiscriminantAnalysis, sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis])
@each("options", [{}, {"solver": "eigen"}])
@each("dtype, most", [(np.float64, 6), (np.float32, 3)])
def test_axes_of_short_columns_are_seen_beside_a_long_one(kind, options, dtype, most):
    for digits in range(most + 1):
        X, y = classes_apart(K=2)
        X = (X * np.array([10.0**digits, 1.0, 1.0, 1.0])).astype(dtype)
        model = kind(**options).fit(X, y)
        assert certify(model, X, y).holds
        for name, forged in (
            ("rotations_", model.rotations_[::-1]),
            ("scalings_", [scaling * np.array([1.0, 1.0, 1.0, 1.3]) for scaling in model.scalings_]),
        ):
            altered = copy.deepcopy(model)
            setattr(altered, name, forged)
            assert not certify(altered, X, y).holds, (digits, name)


def test_ill_conditioned_class_keeps_its_small_variance():
    X, y = classes_apart()
    # Variances from 1e14 to 1e-2 along directions that are no columns: cross-products would lose the smallest.
    turn, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((4, 4)))
    turned = (X * np.array([1e7, 1e3, 1.0, 1e-1])) @ turn
    model = QuadraticDiscriminantAnalysis(tol=1e-12).fit(turned, y)
    plain = QuadraticDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(model.predict_log_proba(turned), plain.predict_log_proba(X), rtol=1e-5, atol=1e-5)
    assert model.certificate_.holds, model.certificate_


def test_float32_stays_float32():
    X, y = classes_apart()
    model = QuadraticDiscriminantAnalysis().fit(X.astype(np.float32), y)
    assert model.scalings_[0].dtype == model.means_.dtype == np.float32
    assert model.certificate_.holds


def test_covariance_estimator():
    X, y = classes_apart()
    ours = QuadraticDiscriminantAnalysis(solver="eigen", covariance_estimator=OAS()).fit(X, y)
    theirs = sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis(solver="eigen", covariance_estimator=OAS())
    np.testing.assert_allclose(ours.predict_proba(X), theirs.fit(X, y).predict_proba(X), atol=1e-12)
    assert ours.certificate_.verdict is Verdict.NOTHING_ASSERTED  # the estimator is the caller's


@each("solver", ["svd", "eigen"])
def test_classes_without_a_density_are_refused_by_name(solver):
    X, y = classes_apart()
    labels = np.array(["ash", "beech", "cedar"])[y]
    model = QuadraticDiscriminantAnalysis(solver=solver)
    with pytest.raises(ValueError, match="only 1 sample in class yew"):
        model.fit(X, np.where(np.arange(len(y)) == 0, "yew", labels))
    with pytest.raises(np.linalg.LinAlgError, match="class ash is not full rank"):
        model.fit(np.column_stack([X, np.ones(len(X))]), labels)
    with pytest.raises(np.linalg.LinAlgError, match="class cedar is not full rank"):
        model.fit(np.where((y == 2)[:, None], X[:, :1], X), labels)
    few = np.concatenate([np.flatnonzero(y == 0)[:3], np.flatnonzero(y != 0)])
    with pytest.raises(np.linalg.LinAlgError, match="class ash is not full rank"):
        model.fit(X[few], labels[few])
    assert not hasattr(model, "means_")


def test_bad_parameters():
    X, y = classes_apart(K=2)
    for options, match in [
        ({"priors": [0.5]}, "one prior for each of the 2 classes"),
        ({"priors": [1.5, -0.5]}, "non-negative"),
        ({"reg_param": 1.5}, "reg_param"),
        ({"solver": "eigen", "shrinkage": -0.1}, "shrinkage"),
        ({"shrinkage": 0.5}, "shrinkage not supported"),
        ({"solver": "lsqr"}, "solver"),
    ]:
        with pytest.raises(ValueError, match=match):
            QuadraticDiscriminantAnalysis(**options).fit(X, y)
    with pytest.warns(UserWarning, match="do not sum to 1"):
        model = QuadraticDiscriminantAnalysis(priors=[2.0, 2.0]).fit(X, y)
    np.testing.assert_allclose(model.priors_, 0.5)
    with pytest.raises(ValueError, match="variance of column 0 exceeds"):
        QuadraticDiscriminantAnalysis().fit(X * np.array([1e200, 1, 1, 1]), y)
    with pytest.raises(ValueError, match="only one class"):
        QuadraticDiscriminantAnalysis().fit(X, np.zeros(len(y)))


@each("options", [{}, {"reg_param": 1e-12}])
@each("log_condition", [8, 12, 16])
def test_the_certificate_sees_the_smallest_scaling_of_any_condition(log_condition, options):
    random = np.random.default_rng(2)
    y = random.integers(0, 2, 400)
    spread = np.logspace(0, -log_condition / 2, 5)
    turn, _ = np.linalg.qr(random.standard_normal((5, 5)))
    X = (random.standard_normal((400, 5)) * spread * (1 + y[:, None])) @ turn + 3.0
    model = QuadraticDiscriminantAnalysis(tol=0.0, **options).fit(X, y)
    assert model.certificate_.holds, model.certificate_
    assert all(claim.bound is not None and claim.bound < 0.011 for claim in model.certificate_.claims)
    for k, factor in ((0, 1.05), (1, 0.95)):
        tampered = copy.deepcopy(model)
        tampered.scalings_[k][-1] *= factor
        assert not certify(tampered, X, y).holds
    tampered = copy.deepcopy(model)
    # The last two axes, turned by a little: at the scale of the larger of the two this is no rounding.
    a, b = tampered.rotations_[0][:, -2:].T
    tampered.rotations_[0][:, -2:] = np.column_stack([a + 0.2 * b, b - 0.2 * a]) / np.sqrt(1.04)
    assert not certify(tampered, X, y).holds


def test_units_of_the_columns_change_no_fit():
    """Whether a class has a density is asked of its correlations: small columns are not tied together, twins are."""
    rng = np.random.default_rng(11)
    X, y = rng.standard_normal((90, 4)), np.repeat([0, 1, 2], 30)
    X[y == 1] += 1.0
    expected = QuadraticDiscriminantAnalysis().fit(X, y).predict_proba(X)
    for units in (1e-12, 1e9, np.array([1e-12, 1.0, 1.0, 1.0])):
        model = QuadraticDiscriminantAnalysis().fit(X * units, y)
        np.testing.assert_allclose(model.predict_proba(X * units), expected, atol=1e-9)
        assert certify(model, X * units, y).holds
    for tied in (np.column_stack([X, X[:, 0]]), np.column_stack([X, np.ones(90)])):
        with pytest.raises(np.linalg.LinAlgError, match="not full rank"):
            QuadraticDiscriminantAnalysis().fit(1e-12 * tied, y)
