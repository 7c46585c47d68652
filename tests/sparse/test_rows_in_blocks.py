"""Sparse likelihoods, reduced rank, stepwise selection, graphs chosen on folds: blocks give the answer of memory."""

import dask.array as da
import numpy as np
import pyarrow
import pytest
from pyarrow import parquet
from sklearn.base import clone

from learnable.certificates import certify
from learnable.graphical import GraphicalLassoCV
from learnable.linear import LogisticRegression
from learnable.rows import ParquetRows
from learnable.sparse import (
    ReducedRankRegression,
    SparseLogisticRegression,
    SparsePoissonRegressor,
    Stepwise,
    sparse_logistic_path,
)

N, P = 900, 5
RNG = np.random.default_rng(5)
X = RNG.normal(size=(N, P)) + RNG.normal(size=(N, 1))
SCORE = X @ [0.8, -0.5, 0.0, 0.0, 0.1]
WEIGHT = RNG.uniform(0.0, 2.0, size=N) * (RNG.random(N) > 0.1)
TARGETS = {
    "two": np.where(SCORE + RNG.logistic(size=N) > 0.3, "yes", "no"),
    "three": np.digitize(SCORE + RNG.logistic(size=N), [-0.7, 0.8]),
    "count": RNG.poisson(np.exp(0.5 * SCORE)).astype(float),
    "number": SCORE + RNG.normal(size=N),
    "several": np.outer(SCORE, [1.0, -2.0, 0.0]) + X[:, 1:4] + RNG.normal(size=(N, 3)),
}
FITS = (
    (SparseLogisticRegression(0.03, tol=1e-10), "two"),
    (SparseLogisticRegression(0.03, tol=1e-10, fit_intercept=False), "three"),
    (LogisticRegression(C=0.05, l1_ratio=1.0, tol=1e-10), "three"),
    (LogisticRegression(C=0.05, l1_ratio=0.4, tol=1e-10), "two"),
    (SparsePoissonRegressor(0.1, tol=1e-10), "count"),
    (SparsePoissonRegressor(0.1, tol=1e-10, fit_intercept=False), "count"),
    (Stepwise(criterion="bic"), "number"),
    (Stepwise(criterion="cv", direction="both"), "number"),
    (ReducedRankRegression(1), "several"),
    (ReducedRankRegression(2, weight="inverse_covariance"), "several"),
    (ReducedRankRegression(1, fit_intercept=False), "several"),
)


def chunked(part):
    return da.from_array(part, chunks=((400, 1, 499), *part.shape[1:]))


def in_blocks(model, X, y, weight):
    return model.fit(*map(chunked, (X, y, weight)))


@pytest.mark.parametrize("far", [0.0, 1e6])
def test_blocks_give_the_answer_of_memory_and_its_certificate(far):
    for model, target in FITS:
        if far and not model.fit_intercept:
            continue
        y = TARGETS[target]
        memory = clone(model).fit(X + far, y, WEIGHT)
        blocks = in_blocks(clone(model), X + far, y, WEIGHT)
        rounding = 1e-7 if far else 1e-8
        size = np.abs(memory.coef_).max()
        np.testing.assert_allclose(blocks.coef_, memory.coef_, rtol=0, atol=rounding * size, err_msg=repr(model))
        room = rounding * size * (1.0 + far * P)
        np.testing.assert_allclose(blocks.intercept_, memory.intercept_, rtol=0, atol=room, err_msg=repr(model))
        assert blocks.certificate_.holds, (model, blocks.certificate_)
        if isinstance(model, Stepwise):
            assert [line["column"] for line in blocks.log_] == [line["column"] for line in memory.log_]


def test_a_path_over_blocks_is_that_of_memory():
    y = TARGETS["three"]
    memory, blocks = (sparse_logistic_path(*data, alphas=4, tol=1e-10) for data in ((X, y), (chunked(X), chunked(y))))
    np.testing.assert_allclose(blocks.alphas, memory.alphas, rtol=1e-12)
    np.testing.assert_allclose(blocks.coefs, memory.coefs, atol=1e-8)


def test_an_answer_from_blocks_that_is_altered_is_refuted():
    for model, target in FITS[:1] + FITS[4:5] + FITS[6:7] + FITS[8:]:
        y = TARGETS[target]
        rows = [*map(chunked, (X, y, WEIGHT))]
        fitted = clone(model).fit(*rows)
        assert certify(fitted, *rows).holds
        fitted.coef_ = fitted.coef_ * 1.01
        assert not certify(fitted, *rows).holds, model


def test_a_file_gives_the_folds_and_the_graph_of_memory(tmp_path):
    names = [f"x{j}" for j in range(P)]
    parquet.write_table(pyarrow.table(dict(zip(names, X.T))), tmp_path / "x.parquet", row_group_size=200)
    memory = GraphicalLassoCV(cv=4).fit(X)
    blocks = GraphicalLassoCV(cv=4).fit(ParquetRows(tmp_path / "x.parquet"))
    np.testing.assert_allclose(blocks.alpha_, memory.alpha_, rtol=1e-10)
    np.testing.assert_allclose(blocks.precision_, memory.precision_, atol=1e-9)
    np.testing.assert_allclose(blocks.cv_results_["mean_test_score"], memory.cv_results_["mean_test_score"], rtol=1e-9)
    assert blocks.certificate_.holds


def test_what_blocks_cannot_be_fitted_to_is_said():
    y = TARGETS["count"].copy()
    y[700] = -1.0
    with pytest.raises(ValueError, match=r"y\[700\] is -1, but PoissonLog needs"):
        in_blocks(SparsePoissonRegressor(), X, y, WEIGHT)
    with pytest.raises(ValueError, match="every y that counts is 0"):
        in_blocks(SparsePoissonRegressor(), X, 0.0 * y, WEIGHT)
    with pytest.raises(TypeError, match=r"GraphicalLassoCV\(cv=.*give their number"):
        GraphicalLassoCV(cv=[(np.arange(5), np.arange(5, 9))]).fit(da.from_array(X, chunks=(100, P)))
