"""Rows in single precision, sparse or weighted in double: `certify` reads what the fit read, and proves the same."""

import copy

import numpy as np
from scipy import sparse
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.kernels import SVC, SVR, HardMarginSVC, NadarayaWatson, NuSVC, NuSVR, OneClassSVM
from learnable.linear import LinearRegression, LogisticRegression, Ridge
from learnable.sparse import ElasticNet, ElasticNetCV, Lasso, LassoCV, SparsePoissonRegressor
from learnable.unsupervised import PCA, KMeans

RNG = np.random.default_rng(3)
X = RNG.standard_normal((80, 4)).astype(np.float32)
Y = X[:, 0] + 0.3 * RNG.standard_normal(80)
APART = (X + 3.0 * np.sign(X[:, :1])).astype(np.float32)
WEIGHT = RNG.uniform(0.1, 3.0, 80)


@each("form", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array])
@each(
    "model, table, y",
    [
        (NuSVR(), X, Y), (SVR(), X, Y), (NadarayaWatson(), X, Y), (NuSVC(), X, Y > 0.0), (SVC(), X, Y > 0.0),
        (OneClassSVM(), X, None), (HardMarginSVC(), APART, X[:, 0] > 0.0), (KMeans(3, random_state=0), X[:30], None),
        (PCA(2), X, None),
    ],
)  # fmt: skip
def test_sparse_rows_in_single_precision_are_proved(model, table, y, form):
    data = (form(table),) if y is None else (form(table), y)
    model.fit(*data)
    assert model.certificate_.holds, model.certificate_
    found = certify(model, *data)
    assert found.holds, found


@each("size", [1e-8, 1.0, 1e8])
@each(
    "model, y",
    [
        (LassoCV(cv=3), Y), (ElasticNetCV(cv=3), Y), (Ridge(), Y), (LogisticRegression(), Y > 0.0),
        (SparsePoissonRegressor(), np.floor(np.exp(Y))),
    ],
)  # fmt: skip
def test_weights_keep_their_digits_beside_rows_in_single_precision(model, y, size):
    model.fit(X, y, sample_weight=size * WEIGHT)
    found = certify(model, X, y, size * WEIGHT)
    assert found.verdict == model.certificate_.verdict == "proved", (found, model.certificate_)


@each("far", [1e4, 1e5, 1e6])
@each("model", [LinearRegression(), Ridge(0.1), Ridge(1e-3, positive=True), Lasso(0.01), ElasticNet(0.01)], ids=repr)
def test_rounding_beside_a_far_column_excuses_no_other_intercept(model, far):
    """What the intercept is rounded to in single precision is known; predictions off by more are another answer's."""
    draw = np.random.default_rng(77)
    rows = draw.standard_normal((40, 5))
    y = 3.0 * rows[:, 0] - rows[:, 1] + 0.5 * draw.standard_normal(40)
    rows[:, 0] += far
    rows = rows.astype(np.float32)
    fitted = copy.copy(model).fit(rows, y)
    assert certify(fitted, rows, y).verdict is not Verdict.REFUTED
    assert far > 1e4 or certify(fitted, rows, y).holds
    fitted.intercept_ = type(fitted.intercept_)(fitted.intercept_ + 0.05 * np.std(y))
    assert not certify(fitted, rows, y).holds
