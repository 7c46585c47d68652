"""Squared errors of rows in blocks: a short table with the same means and cross-products, and the in-memory answer."""

import dask.array as da
import numpy as np
import pyarrow
import pytest
from pyarrow import parquet
from sklearn.base import clone
from sklearn.model_selection import KFold

from learnable import certify
from learnable.rows import ParquetRows, as_rows, condensed
from learnable.sparse import (
    AdaptiveLasso,
    ADMMLasso,
    BestSubset,
    BestSubsetMILP,
    DantzigSelector,
    ElasticNet,
    ElasticNetCV,
    GroupLasso,
    Lars,
    Lasso,
    LassoCV,
    LassoLars,
    MCPRegression,
    MultiTaskLasso,
    NuclearNormRegression,
    SCADRegression,
    SparseGroupLasso,
    SplicingSubset,
    lasso_path,
)

RNG = np.random.default_rng(11)
X = RNG.normal(size=(400, 6)) + np.array([3, 0, 0, -50, 0, 1])
Y = X @ [1.0, -2.0, 0.0, 0.0, 0.5, 0.0] + 1 + RNG.normal(size=400)
W = RNG.uniform(size=400)
PAIR = np.column_stack([Y, Y - X[:, 1] + RNG.normal(size=400)])


def chunks(*tables):
    return [None if table is None else da.from_array(table, chunks=(90, *table.shape[1:])) for table in tables]


def test_every_mean_squared_error_is_that_of_the_long_table():
    short, target = condensed(as_rows(*chunks(X, PAIR, W)))
    assert short.shape == (16, 6)
    for B, b in ((RNG.normal(size=(6, 2)), 0.0), (RNG.normal(size=(6, 2)), RNG.normal(size=2))):
        long = W @ (PAIR - X @ B - b) ** 2 / W.sum()
        np.testing.assert_allclose(np.mean((target - short @ B - b) ** 2, axis=0), long, rtol=1e-10)
    with pytest.raises(TypeError, match="no targets"):
        condensed(as_rows(X))


def test_sparse_fits_in_chunks_are_those_of_memory_and_are_proved_on_the_chunks():
    groups = [[0, 1], [2, 3], [4, 5]]
    for model, y, weight in (
        (Lasso(0.1), Y, W), (Lasso(0.1, fit_intercept=False), Y, None), (ElasticNet(0.1), PAIR, W),
        (ElasticNet(0.0), Y, W), (MultiTaskLasso(0.1), PAIR, W), (Lars(), Y, None), (LassoLars(0.1), Y, None),
        (AdaptiveLasso(0.1), Y, W),
        (GroupLasso(groups=groups, alpha=0.1), Y, W), (SparseGroupLasso(groups=groups, alpha=0.1), Y, W),
        (MCPRegression(0.1), Y, W), (SCADRegression(0.1), Y, W), (NuclearNormRegression(0.1), PAIR, W),
        (ADMMLasso(), Y, W), (DantzigSelector(), Y, None),
        (BestSubset(2), Y, W), (SplicingSubset(3), Y, W), (BestSubsetMILP(2), Y, None),
    ):  # fmt: skip
        here = clone(model).fit(X, y, *([] if weight is None else [weight]))
        rows = as_rows(*chunks(X, y, weight))
        there = clone(model).fit(rows)
        np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-7 * np.abs(here.coef_).max(), err_msg=str(model))
        if hasattr(here, "rss_"):
            np.testing.assert_allclose(there.rss_, here.rss_, rtol=1e-7, err_msg=str(model))
        np.testing.assert_allclose(there.intercept_, here.intercept_, atol=1e-6, err_msg=str(model))
        assert there.status_ is here.status_, model
        assert there.certificate_.verdict is here.certificate_.verdict, model
        assert certify(there, X, y, weight).verdict is here.certificate_.verdict, model
        there.coef_ = there.coef_ * 1.01
        assert not certify(there, rows).holds, model
        assert "_long" not in vars(there)


def test_paths_and_files_go_the_same_way(tmp_path):
    for found, expected in zip(lasso_path(*chunks(X, Y)), lasso_path(X, Y)):
        np.testing.assert_allclose(found, expected, atol=1e-7)
    names = [f"x{j}" for j in range(6)]
    parquet.write_table(pyarrow.table({**dict(zip(names, X.T)), "y": Y}), tmp_path / "t.parquet")
    model = Lasso(0.1).fit(ParquetRows(tmp_path / "t.parquet", target="y"))
    np.testing.assert_allclose(model.coef_, Lasso(0.1).fit(X, Y).coef_, atol=1e-9)
    assert model.certificate_.holds


def test_the_folds_of_chunks_are_those_of_memory():
    for model, weight in ((LassoCV(), None), (ElasticNetCV(l1_ratio=[0.3, 0.9], cv=3, alphas=20), W)):
        here = clone(model).fit(X, Y, weight)
        rows = as_rows(*chunks(X, Y, weight))
        there = clone(model).fit(rows)
        np.testing.assert_allclose(there.mse_path_, here.mse_path_, rtol=1e-5)
        np.testing.assert_allclose([there.alpha_, there.alpha_1se_], [here.alpha_, here.alpha_1se_], rtol=1e-9)
        np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-6 * np.abs(here.coef_).max())
        assert certify(there, rows).verdict is certify(here, X, Y, weight).verdict
        there.mse_path_ = there.mse_path_ * 1.01
        assert not certify(there, rows).holds
    with pytest.raises(TypeError, match="the folds are consecutive rows; give their number"):
        LassoCV(cv=KFold(3)).fit(*chunks(X, Y))
