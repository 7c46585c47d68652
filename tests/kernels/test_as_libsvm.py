"""What users of LIBSVM count on: sparse tables as arrays, rows without a positive weight left out, weights to read."""

import copy

import numpy as np
import pytest
from scipy import sparse
from tests.cases import each

from learnable import certify
from learnable.kernels import SVC, SVR, HardMarginSVC, NuSVC, NuSVR, OneClassSVM, svm_report
from learnable.kernels.cost import without_negative

random = np.random.default_rng(7)
X = np.round(random.standard_normal((90, 3)), 1)
Y = X[:, 0] - 0.3 * X[:, 1] ** 2 + 0.2 * random.standard_normal(90)
CLASSES = np.digitize(Y, np.quantile(Y, [0.33, 0.66]))
MACHINES = [
    (SVC, {}, CLASSES), (NuSVC, {"nu": 0.6}, CLASSES), (SVR, {}, Y), (NuSVR, {}, Y), (OneClassSVM, {}, None),
]  # fmt: skip


@each(("kind", "given", "y"), MACHINES, ids=lambda value: getattr(value, "__name__", ""))
@each("kernel", ["linear", "poly", "rbf", "laplacian"])
def test_a_full_sparse_table_is_fitted_in_the_steps_of_the_same_array(kind, given, y, kernel):
    one, two = (kind(kernel=kernel, coef0=0.1, **given).fit(table, y) for table in (X, sparse.csr_matrix(X)))
    assert sparse.issparse(two.support_vectors_)
    assert sparse.issparse(two.dual_coef_)
    np.testing.assert_array_equal(two.dual_coef_.toarray(), one.dual_coef_)
    np.testing.assert_array_equal(two.support_, one.support_)
    np.testing.assert_array_equal(two.intercept_, one.intercept_)
    assert two.gamma_ == one.gamma_
    assert certify(two, sparse.csr_matrix(X), y).verdict == certify(one, X, y).verdict
    score = "predict" if kind in (SVR, NuSVR) else "decision_function"
    for model in (one, two):
        for rows in (X[::2], sparse.csr_matrix(X[::2]), sparse.lil_array(X[::2])):
            np.testing.assert_array_equal(getattr(model, score)(rows), getattr(one, score)(X[::2]))


def test_a_thin_sparse_table_stays_sparse():
    thin = sparse.random(60, 400, 0.02, format="csr", random_state=3)
    model = SVC(kernel="linear")
    assert model._to_solve(thin) is thin
    assert isinstance(model._to_solve(sparse.csr_matrix(X)), np.ndarray)
    y = np.arange(60) % 2
    scores = [SVC(kernel="linear", tol=1e-9).fit(table, y).decision_function(table) for table in (thin, thin.toarray())]
    np.testing.assert_allclose(*scores, atol=1e-7)


@each(("kind", "given", "y"), MACHINES, ids=lambda value: getattr(value, "__name__", ""))
def test_rows_without_a_positive_weight_are_left_out(kind, given, y):
    weight = random.uniform(0.5, 2.0, len(X))
    weight[5::7] *= -1.0
    kept = weight > 0.0
    # The width of the kernel is that of all rows.
    model = kind(tol=1e-8, gamma=0.3, **given).fit(X, y, sample_weight=weight)
    without = kind(tol=1e-8, gamma=0.3, **given).fit(
        X[kept], None if y is None else y[kept], sample_weight=weight[kept]
    )
    answer = kind.predict if kind in (SVR, NuSVR) else kind.decision_function
    np.testing.assert_allclose(answer(model, X), answer(without, X), atol=1e-5)
    assert not np.any(np.isin(np.flatnonzero(~kept), model.support_))
    assert certify(model, X, y, weight).holds
    # A row that is left out has no coefficient.
    altered = copy.deepcopy(model)
    altered.support_[0] = np.flatnonzero(~kept)[0]
    altered.support_vectors_[0] = X[altered.support_[0]]
    assert str(certify(altered, X, y, weight).verdict) == "refuted"
    assert str(certify(model, X, y, np.abs(weight)).verdict) == "refuted"


@each(("kind", "given", "y"), MACHINES, ids=lambda value: getattr(value, "__name__", ""))
def test_weights_that_leave_nothing_to_fit_are_refused(kind, given, y):
    for weight in (np.zeros(len(X)), np.full(len(X), -0.3)):
        with pytest.raises(ValueError, match=f"{kind.__name__}: Invalid input - all samples have zero or negative"):
            kind(**given).fit(X, y, sample_weight=weight)
    with pytest.raises(ValueError, match="all samples with positive weights belong to the same class"):
        SVC().fit(X, CLASSES, sample_weight=np.where(CLASSES == 1, 1.0, -1.0))
    with pytest.raises(ValueError, match="NaN"):
        kind(**given).fit(X, y, sample_weight=np.append(np.ones(len(X) - 1), np.nan))
    assert without_negative("SVC", None) is None
    assert without_negative("SVC", 2.0) == 2.0


@each("kind", [SVC, NuSVC, SVR, NuSVR, OneClassSVM])
@each("table", [X, sparse.csr_matrix(X)], ids=["array", "sparse"])
def test_weights_of_columns_are_to_read_and_not_to_write(kind, table):
    y = None if kind is OneClassSVM else CLASSES > 0
    model = kind(kernel="linear", **({"nu": 0.6} if kind is NuSVC else {})).fit(table, y)
    with pytest.raises(AttributeError):
        model.coef_ = np.arange(3)
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 0.0


def test_an_infinite_cost_allows_no_slack_and_is_certified_so():
    y = np.sign(X[:, 0] + X[:, 1] ** 2 - 0.5 + 1e-3)
    weight = random.choice([0.0, 0.5, 2.0], len(X))
    model = SVC(C=np.inf, gamma=2.0, tol=1e-8).fit(X, y, sample_weight=weight)
    counted = weight > 0.0
    hard = HardMarginSVC(gamma=2.0).fit(X[counted], y[counted])
    np.testing.assert_allclose(model.decision_function(X), hard.decision_function(X), atol=1e-4)
    assert certify(model, X, y, weight).holds
    report = svm_report(model, X, y, weight)
    assert set(report.support_class[counted]) == {"none", "free"}
    altered = copy.deepcopy(model)
    altered.dual_coef_ *= 1.2
    assert str(certify(altered, X, y, weight).verdict) == "refuted"
    # With slack that costs something the answer is another, and no longer that of C=inf.
    slack = SVC(C=1.0, gamma=2.0).fit(X, y, sample_weight=weight)
    assert str(certify(slack.set_params(C=np.inf), X, y, weight).verdict) == "refuted"
    tube = SVR(C=np.inf, gamma=20.0, epsilon=0.05).fit(X, np.sin(X[:, 0]))
    assert np.abs(tube.predict(X) - np.sin(X[:, 0])).max() < 0.0501
    assert certify(tube, X, np.sin(X[:, 0])).holds
    flat = SVR(C=np.inf).fit(X, np.ones(len(X)))
    assert flat.certificate_.holds
    altered = copy.deepcopy(flat)
    altered.intercept_ = altered.intercept_ + 0.5
    assert str(certify(altered, X, np.ones(len(X))).verdict) == "refuted"


def test_an_infinite_cost_is_refused_where_some_row_needs_slack():
    both = np.vstack([X, X[:1]])
    y = np.append(X[:, 0] > 0.0, X[0, 0] <= 0.0)
    with pytest.raises(ValueError, match=r"SVC\(C=inf\): .* finite C"):
        SVC(C=np.inf).fit(both, y)
    with pytest.raises(ValueError, match=r"SVR\(C=inf\): .* finite C"):
        SVR(C=np.inf).fit(both, y.astype(float))
    with pytest.raises(ValueError, match=r"NuSVR\(C=inf\)"):
        NuSVR(C=np.inf).fit(both, y.astype(float))
