"""Scalings of tables in blocks: those of memory, and features that are made when they are asked for."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from tests.cases import each

from learnable.features import NormScaler, PolynomialBasis, Standardizer
from learnable.linear import Ridge
from learnable.rows import as_rows

RNG = np.random.default_rng(4)
X = RNG.normal(size=(90, 4)) * [1.0, 1e-3, 1e200, 0.0] + [1e8, 0.0, 0.0, 7.25]
X[:, 1] += RNG.normal(size=90)
WEIGHT = RNG.integers(0, 3, size=90).astype(float)
ORDINARY = RNG.normal(size=(90, 3))


def spread(values):
    return da.from_array(values, chunks=(40, *values.shape[1:]))


@each("weight", [None, WEIGHT], ids=["rows", "weights"])
@each("ddof", [0, 1])
def test_means_and_deviations_are_those_of_memory(weight, ddof):
    here = Standardizer(ddof).fit(X, sample_weight=weight)
    for table in (spread(X), as_rows(X), dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=4)):
        if weight is not None and isinstance(table, type(as_rows(X))):
            table = as_rows(X, None, weight)
            found = Standardizer(ddof).fit(table)
        else:
            found = Standardizer(ddof).fit(table, sample_weight=weight)
        np.testing.assert_allclose(found.mean_, here.mean_, rtol=1e-14, atol=1e-13)
        np.testing.assert_allclose(found.scale_, here.scale_, rtol=1e-9)
        assert found.scale_[3] == 1.0
        assert found.mean_[3] == 7.25
        assert found.n_features_in_ == 4


@each("norm", ["unit", "sqrt_n"])
def test_norms_are_those_of_memory(norm):
    table = np.where(np.arange(4) == 3, 0.0, X)
    here, found = NormScaler(norm).fit(table), NormScaler(norm).fit(spread(table))
    np.testing.assert_allclose(found.scale_, here.scale_, rtol=1e-14)
    assert found.scale_[3] == 1.0


def test_features_are_made_when_they_are_asked_for():
    read = []
    table = spread(ORDINARY).map_blocks(lambda chunk: (read.append(1), chunk)[1], meta=np.empty((0, 0)))
    for model in (Standardizer(), NormScaler(), PolynomialBasis(2)):
        model.fit(ORDINARY)
        for method in ("transform", "inverse_transform"):
            if hasattr(model, method):
                lazy = getattr(model, method)(table)
                assert isinstance(lazy, da.Array)
                assert not read
                np.testing.assert_array_equal(lazy.compute(), getattr(model, method)(ORDINARY))
                read.clear()
    PolynomialBasis(2).fit(table)
    assert not read, "only the number of columns counts"


def test_a_pipeline_reads_blocks_from_end_to_end():
    y = ORDINARY @ [1.0, -2.0, 0.5] + RNG.normal(size=90)
    pipeline = make_pipeline(Standardizer(), PolynomialBasis(2, constant=False), Ridge())
    here = pipeline.fit(ORDINARY, y).predict(ORDINARY)
    lazy = pipeline.fit(spread(ORDINARY), spread(y)).predict(spread(ORDINARY))
    assert isinstance(lazy, da.Array)
    np.testing.assert_allclose(lazy.compute(), here, rtol=1e-10)
    frame = dd.from_pandas(pd.DataFrame(ORDINARY, columns=list("abc")), npartitions=3)
    scaled = Standardizer().fit(frame).transform(frame)
    np.testing.assert_allclose(scaled.compute(), Standardizer().fit_transform(ORDINARY), atol=1e-14)


def test_bad_cells_and_weights_are_named_with_their_place():
    bad = ORDINARY.copy()
    bad[50, 1] = np.nan
    with pytest.raises(
        ValueError, match=r"Standardizer: Input X contains NaN in column 1, row 50 \(row 10 of chunk 1\)"
    ):
        Standardizer().fit(spread(bad))
    with pytest.raises(ValueError, match=r"Negative values in data passed to `sample_weight`: -1 in row 0"):
        Standardizer().fit(spread(ORDINARY), sample_weight=np.where(np.arange(90) == 0, -1.0, 1.0))
    with pytest.raises(ValueError, match=r"the weights sum to 0\.5; more than ddof=1 is needed"):
        Standardizer(1).fit(spread(ORDINARY), sample_weight=np.where(np.arange(90) == 0, 0.5, 0.0))
    with pytest.raises(ValueError, match=r"X has 1 rows; at least 2 are needed"):
        Standardizer(1).fit(spread(ORDINARY[:1]))
    lazy = Standardizer().fit(ORDINARY).transform(spread(bad))
    with pytest.raises(ValueError, match=r"contains NaN in column 1, row 50"):
        lazy.compute()
