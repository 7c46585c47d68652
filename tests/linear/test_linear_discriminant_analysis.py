"""Linear discriminant analysis: the same numbers as scikit-learn and R, any source of rows, bad input, tampering."""

import copy
import json
from pathlib import Path

import dask.array
import numpy as np
import pytest
import sklearn.discriminant_analysis
from scipy import sparse
from scipy.special import softmax
from sklearn.covariance import OAS
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.linear import LinearDiscriminantAnalysis
from learnable.rows import ParquetRows
from learnable.solvers.linear import discriminant

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "discriminants_r.json").read_text())
CASES = [("svd", None)] + [(solver, s) for solver in ("lsqr", "eigen") for s in (None, 0.3, "auto")]


def classes_apart(n=240, p=5, K=3, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, K, n)
    y[:K] = np.arange(K)
    mixing = np.eye(p) + 0.4 * random.standard_normal((p, p))
    return random.standard_normal((n, p)) @ mixing + 1.5 * random.standard_normal((K, p))[y] + 3.0, y


@each(("solver", "shrinkage"), CASES)
@each("K", [2, 4])
@each("own_priors", [False, True])
def test_numbers_of_scikit_learn(solver, shrinkage, K, own_priors):
    X, y = classes_apart(K=K)
    priors = np.arange(1.0, K + 1.0) / np.arange(1.0, K + 1.0).sum() if own_priors else None
    options = {"solver": solver, "shrinkage": shrinkage, "priors": priors, "store_covariance": True}
    ours = LinearDiscriminantAnalysis(**options).fit(X, y)
    theirs = sklearn.discriminant_analysis.LinearDiscriminantAnalysis(**options).fit(X, y)
    for name in ("coef_", "intercept_", "means_", "priors_", "covariance_", "explained_variance_ratio_", "xbar_"):
        assert hasattr(ours, name) == hasattr(theirs, name), name
        if hasattr(theirs, name):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, atol=1e-11)
    if solver != "lsqr":
        np.testing.assert_allclose(abs(ours.transform(X)), abs(theirs.transform(X)), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
    assert ours.certificate_.holds, ours.certificate_
    assert certify(theirs, X, y).holds, "the certificate of scikit-learn's fit must hold too"


def test_numbers_of_r():
    X, y, at = (np.array(REFERENCE[name]) for name in ("X", "y", "rows"))
    model = LinearDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(model.means_, REFERENCE["means"], rtol=1e-12)
    np.testing.assert_allclose(abs(model.scalings_), np.abs(REFERENCE["lda_scaling_mle"]), rtol=1e-10)
    np.testing.assert_allclose(model.predict_proba(X[at]), REFERENCE["lda_posterior_mle"], atol=1e-13)
    other = LinearDiscriminantAnalysis(priors=REFERENCE["priors"]).fit(X, y)
    np.testing.assert_allclose(other.predict_proba(X[at]), REFERENCE["lda_posterior_priors"], atol=1e-13)
    # MASS divides by N − K by default.
    by_less = LinearDiscriminantAnalysis(unbiased=True, store_covariance=True).fit(X, y)
    np.testing.assert_allclose(by_less.predict_proba(X[at]), REFERENCE["lda_posterior_moment"], atol=1e-13)
    np.testing.assert_allclose(abs(by_less.scalings_), np.abs(REFERENCE["lda_scaling_moment"]), rtol=1e-10)
    assert by_less.certificate_.holds
    assert model.certificate_.holds


@each(("solver", "shrinkage"), CASES)
def test_discriminants_by_their_formulas(solver, shrinkage):
    """π_k, μ_k, Σ over N or N − K, and δ_k(x) = xᵀΣ⁻¹μ_k − ½ μ_kᵀΣ⁻¹μ_k + log π_k, with nothing else in between."""
    X, y = classes_apart()
    classes, members = np.unique(y, return_counts=True)
    share, N, K = members / len(y), len(y), len(classes)
    means = np.array([X[y == k].mean(axis=0) for k in classes])
    about = X - means[np.searchsorted(classes, y)]
    for unbiased in (False, True):
        options = {"store_covariance": True} if solver == "svd" else {"shrinkage": shrinkage}
        model = LinearDiscriminantAnalysis(solver=solver, unbiased=unbiased, **options).fit(X, y)
        sigma = about.T @ about / (N - K if unbiased else N)
        if shrinkage == 0.3:
            sigma = 0.7 * sigma + 0.3 * np.trace(sigma) / len(sigma) * np.eye(len(sigma))
        if shrinkage == "auto":
            plain = LinearDiscriminantAnalysis(solver=solver, shrinkage="auto").fit(X, y)
            sigma = plain.covariance_ * (N / (N - K) if unbiased else 1.0)
        np.testing.assert_allclose(model.covariance_, sigma, rtol=1e-10, atol=1e-12)
        inverse = np.linalg.inv(sigma)
        delta = X @ inverse @ means.T - 0.5 * np.sum(means @ inverse * means, axis=1) + np.log(share)
        scores = np.atleast_2d(model.decision_function(X).T).T
        scores = scores if K > 2 else np.hstack([np.zeros_like(scores), scores])
        apart = (scores - scores[:, :1]) - (delta - delta[:, :1])
        np.testing.assert_allclose(apart, 0.0, atol=1e-9 * np.abs(delta).max())
        np.testing.assert_allclose(model.predict_proba(X), softmax(delta, axis=1), atol=1e-9)
        assert certify(model, X, y).holds


def test_far_columns_keep_their_digits():
    """Scores about zero would cancel: 10⁹ deviations away they have no digit left."""
    X, y = classes_apart()
    for solver in ("svd", "lsqr", "eigen"):
        near = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
        for offset, digits in ((1e6, 1e-7), (1e9, 1e-4)):
            Z = X + np.array([offset] + [0.0] * (X.shape[1] - 1))
            far = LinearDiscriminantAnalysis(solver=solver).fit(Z, y)
            np.testing.assert_allclose(far.predict_proba(Z), near.predict_proba(X), atol=digits)
            assert far.certificate_.holds, far.certificate_


@each(("solver", "shrinkage"), CASES)
def test_weights_are_repetitions(solver, shrinkage):
    X, y = classes_apart()
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    weight[:3] = 1
    weighted = LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage).fit(X, y, sample_weight=weight)
    repeated = LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage).fit(
        np.repeat(X, weight, axis=0), np.repeat(y, weight)
    )
    for name in ("coef_", "intercept_", "means_", "priors_"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-10, atol=1e-11)
    assert weighted.certificate_.holds


@pytest.mark.parametrize(("solver", "shrinkage"), [("svd", None), ("lsqr", "auto"), ("eigen", 0.2)])
def test_any_source_of_rows_gives_the_same_fit(solver, shrinkage, tmp_path):
    import pyarrow
    from pyarrow import parquet

    X, y = classes_apart(n=3000)
    X[np.abs(X) < 1.0] = 0.0
    model = LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage).fit(X, y)
    table = pyarrow.table({f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y})
    parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=700)
    sources = {
        "dask": (dask.array.from_array(X, chunks=(700, -1)), y),
        "parquet": (ParquetRows(tmp_path / "rows.parquet", target="y"), None),
        "sparse": (sparse.csc_array(X), y),
        "fortran": (np.asfortranarray(X), y),
    }
    for name, (rows, labels) in sources.items():
        other = LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage).fit(rows, labels)
        for attribute in ("coef_", "intercept_"):
            np.testing.assert_allclose(
                getattr(other, attribute), getattr(model, attribute), rtol=1e-10, atol=1e-12, err_msg=name
            )
        assert other.certificate_.holds, name
        assert np.array_equal(np.asarray(other.predict(rows)), model.predict(X)), name
        if solver != "lsqr":
            np.testing.assert_allclose(other.transform(rows), model.transform(X), rtol=1e-7, atol=1e-9, err_msg=name)


def test_string_labels_in_blocks():
    X, y = classes_apart()
    labels = np.array(["ash", "beech", "cedar"])[y]
    model = LinearDiscriminantAnalysis().fit(dask.array.from_array(X, chunks=(100, -1)), labels)
    assert model.classes_.tolist() == ["ash", "beech", "cedar"]
    assert np.array_equal(model.predict(X), LinearDiscriminantAnalysis().fit(X, labels).predict(X))


@each(("solver", "shrinkage"), CASES)
@each("K", [2, 3])
def test_tampering_is_noticed(solver, shrinkage, K):
    X, y = classes_apart(K=K)
    model = LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage, store_covariance=True).fit(X, y)
    assert model.certificate_.holds
    for name in ("coef_", "intercept_", "means_", "priors_", "covariance_", "scalings_"):
        if not hasattr(model, name):
            continue
        for change in (lambda a: a * (1.0 + 1e-5), lambda a: np.roll(a, 1, axis=0), _nudged):
            altered = copy.deepcopy(model)
            setattr(altered, name, change(getattr(model, name)))
            if not np.array_equal(getattr(altered, name), getattr(model, name)):
                assert not certify(altered, X, y).holds, name
    if solver == "eigen" and shrinkage is None:
        altered = copy.deepcopy(model)
        altered.scalings_ = np.roll(model.scalings_, 1, axis=1)
        assert not certify(altered, X, y).holds, "the order of the canonical directions"


def _nudged(answer):
    changed = answer.copy()
    changed.flat[0] += 1e-5 * np.abs(answer).max()
    return changed


def test_orthogonal_route_keeps_the_digits():
    X, y = classes_apart(n=400)
    # A column that is another one but for 1e-3: the within-class correlations have condition 1e6, tol leaves it in.
    X[:, 4] = X[:, 0] + 2e-3 * X[:, 4]
    state = next(discriminant.by_whitening(*_rows(X, y), None, 1e-4))
    assert state.route == "orthogonal"
    # Exactly: the equations in extended precision by iterative refinement.
    Z = (X - state.means[y]).astype(np.longdouble)
    covariance = (Z.T @ Z / len(X)).astype(np.longdouble)
    target = (state.means - state.centre).T.astype(np.longdouble)
    solution = np.zeros_like(target)
    for _ in range(20):
        residual = (target - covariance @ solution).astype(float)
        solution += np.linalg.solve(covariance.astype(float), residual)
    np.testing.assert_allclose(state.coef, solution.T.astype(float), rtol=1e-9, atol=1e-10 * abs(state.coef).max())
    assert LinearDiscriminantAnalysis().fit(X, y).certificate_.holds


def _rows(X, y):
    from learnable.rows import as_rows

    return as_rows(X, y), int(y.max()) + 1


@each("repeat", [1, 40])
def test_collinear_and_constant_columns_are_left_out(repeat):
    X, y = classes_apart(n=240 * repeat)
    full = LinearDiscriminantAnalysis().fit(X, y)
    wide = np.column_stack([X, X[:, 0] + X[:, 1], np.full(len(X), 0.1), np.zeros(len(X))])
    model = LinearDiscriminantAnalysis().fit(wide, y)
    assert model.rank_ == X.shape[1]
    np.testing.assert_allclose(model.predict_proba(wide), full.predict_proba(X), atol=1e-8)
    np.testing.assert_allclose(model.coef_[:, -2:], 0.0, atol=1e-20)
    assert model.certificate_.holds, model.certificate_
    least = LinearDiscriminantAnalysis(solver="lsqr").fit(wide, y)
    np.testing.assert_allclose(least.predict_proba(wide), full.predict_proba(X), atol=1e-8)
    assert least.certificate_.holds, least.certificate_


def test_fewer_rows_than_columns():
    X, y = classes_apart(n=30, p=50, K=3)
    model = LinearDiscriminantAnalysis().fit(X, y)
    theirs = sklearn.discriminant_analysis.LinearDiscriminantAnalysis().fit(X, y)
    assert model.rank_ == 27
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-7, atol=1e-9)
    assert model.certificate_.holds, model.certificate_
    altered = copy.deepcopy(model)
    altered.coef_ = model.coef_ + 0.01 * np.random.default_rng(0).standard_normal(model.coef_.shape)
    assert not certify(altered, X, y).holds


def test_large_offsets_and_extreme_units():
    X, y = classes_apart()
    plain = LinearDiscriminantAnalysis().fit(X, y)
    moved = LinearDiscriminantAnalysis().fit(X + 1e7, y)
    np.testing.assert_allclose(moved.coef_, plain.coef_, rtol=1e-6)
    units = np.array([1e150, 1e-150, 1.0, 1e8, 1e-8])
    scaled = LinearDiscriminantAnalysis().fit(X * units, y)
    np.testing.assert_allclose(scaled.coef_ * units, plain.coef_, rtol=1e-10)
    assert scaled.certificate_.holds, scaled.certificate_
    with pytest.raises(ValueError, match="variance of column 0 exceeds"):
        LinearDiscriminantAnalysis(solver="lsqr").fit(X * np.array([1e200, 1, 1, 1, 1]), y)


def test_float32_stays_float32():
    X, y = classes_apart()
    model = LinearDiscriminantAnalysis().fit(X.astype(np.float32), y)
    assert model.coef_.dtype == model.scalings_.dtype == np.float32
    assert model.certificate_.holds
    np.testing.assert_allclose(model.coef_, LinearDiscriminantAnalysis().fit(X, y).coef_, rtol=1e-4, atol=1e-5)


def test_nearly_collinear_means_lose_the_direction_that_tol_says():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 400)
    noise = random.standard_normal((400, 3))
    # The same scatter in every class, and means on a line but for 1e-6.
    X = np.vstack([noise, noise, noise]) + np.array([[0, 0, 0], [3, 0, 0], [6, 1e-6, 0]])[y]
    model = LinearDiscriminantAnalysis().fit(X, y)
    theirs = sklearn.discriminant_analysis.LinearDiscriminantAnalysis().fit(X, y)
    assert model.scalings_.shape[1] == theirs.scalings_.shape[1] == 1
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    assert model.certificate_.holds, model.certificate_


def test_covariance_estimator():
    X, y = classes_apart()
    for solver in ("lsqr", "eigen"):
        ours = LinearDiscriminantAnalysis(solver=solver, covariance_estimator=OAS()).fit(X, y)
        theirs = sklearn.discriminant_analysis.LinearDiscriminantAnalysis(solver=solver, covariance_estimator=OAS())
        np.testing.assert_allclose(ours.coef_, theirs.fit(X, y).coef_, rtol=1e-9)
        assert ours.certificate_.verdict is Verdict.NOTHING_ASSERTED  # the estimator is the caller's
    with pytest.raises(TypeError, match="array in memory"):
        LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=OAS()).fit(
            dask.array.from_array(X, chunks=(100, -1)), y
        )
    with pytest.raises(ValueError, match="sample_weight"):
        LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=OAS()).fit(X, y, sample_weight=np.ones(len(y)))


def test_log_probabilities_stay_finite():
    X, y = classes_apart(K=3)
    far = 1e4 * X
    for labels in (y, y > 0):
        model = LinearDiscriminantAnalysis().fit(X, labels)
        assert np.all(np.isfinite(model.predict_log_proba(far)))
        np.testing.assert_allclose(model.predict_proba(far).sum(axis=1), 1.0)


def test_priors_that_do_not_sum_to_one_are_scaled_with_a_warning():
    X, y = classes_apart(K=2)
    with pytest.warns(UserWarning, match="do not sum to 1 but to 4"):
        model = LinearDiscriminantAnalysis(priors=[1.0, 3.0]).fit(X, y)
    np.testing.assert_allclose(model.priors_, [0.25, 0.75])
    assert model.certificate_.holds


@each(
    ("options", "match"),
    [
        ({"priors": [0.5, 0.25]}, "one prior for each of the 3 classes"),
        ({"priors": [1.5, -0.25, -0.25]}, "non-negative"),
        ({"priors": [1.0, 0.0, 0.0]}, "class .*1.* has prior 0"),
        ({"priors": [np.nan, 0.5, 0.5]}, "finite"),
        ({"shrinkage": 1.5, "solver": "lsqr"}, "shrinkage"),
        ({"shrinkage": 0.5, "solver": "svd"}, "shrinkage not supported"),
        ({"n_components": 3}, "n_components cannot be larger"),
        ({"solver": "qr"}, "solver"),
        ({"tol": -1.0}, "tol"),
    ],
)
def test_bad_parameters(options, match):
    X, y = classes_apart()
    with pytest.raises(ValueError, match=match):
        LinearDiscriminantAnalysis(**options).fit(X, y)


def test_bad_data():
    X, y = classes_apart()
    with pytest.raises(ValueError, match="only one class"):
        LinearDiscriminantAnalysis().fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="number of samples must be more"):
        LinearDiscriminantAnalysis().fit(X[:3], y[:3])
    with pytest.raises(ValueError, match="no column varies within the classes"):
        LinearDiscriminantAnalysis().fit(np.eye(3)[y], y)
    with pytest.raises(ValueError, match="within-class covariance is singular"):
        LinearDiscriminantAnalysis(solver="eigen").fit(np.column_stack([X, np.ones(len(X))]), y)
    with pytest.raises(ValueError, match=r"sample weights of class .*2.* are all zero"):
        LinearDiscriminantAnalysis().fit(X, y, sample_weight=(y != 2).astype(float))
    lone = LinearDiscriminantAnalysis().fit(X, np.where(np.arange(len(y)) == 0, 9, y))
    assert lone.certificate_.holds, "a class with one member has a mean, and the covariance is that of the others"
