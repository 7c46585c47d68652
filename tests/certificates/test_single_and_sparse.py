"""Rows in single precision, sparse or weighted in double: `certify` reads what the fit read, and proves the same."""

import numpy as np
from scipy import sparse
from tests.cases import each

from learnable import certify
from learnable.kernels import SVC, SVR, HardMarginSVC, NadarayaWatson, NuSVC, NuSVR, OneClassSVM
from learnable.linear import LogisticRegression, Ridge
from learnable.sparse import ElasticNetCV, LassoCV, SparsePoissonRegressor
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
