"""Boosting on Parquet files and dask arrays: the trees of arrays, bit for bit, and claims that can fail."""

from copy import copy

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dask import array

from learnable.certificates import certify
from learnable.ensembles import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from learnable.rows import ParquetRows


def table(n: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    y = 2.0 * X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.standard_normal(n)
    X[rng.random(X.shape) < 0.03] = np.nan
    return X, y


def parquet(folder, X: np.ndarray, y: np.ndarray) -> ParquetRows:
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y}
    pq.write_table(pa.table(columns), folder / "rows.parquet")
    return ParquetRows(folder / "rows.parquet", target="y")


def same(one, other) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one.trees_, other.trees_)) and np.array_equal(
        one.train_score_, other.train_score_
    )


def test_files_and_chunks_give_the_trees_of_arrays(tmp_path):
    X, y = table()
    rows = parquet(tmp_path, X, y)
    for options in (
        {"early_stopping": False},
        {"early_stopping": True, "random_state": 0},
        {"early_stopping": False, "loss": "absolute_error"},
        {"early_stopping": False, "monotonic_cst": [1, 0, 0]},
    ):
        model = HistGradientBoostingRegressor(max_iter=3, **options)
        whole = copy(model).fit(X, y)
        from_file = copy(model).fit(rows)
        assert same(whole, from_file), options
        assert from_file.certificate_.holds
        assert certify(from_file, rows).holds, options
        assert np.array_equal(from_file.predict(rows), whole.predict(X))
        for chunk in (700, 3000):
            in_chunks = copy(model).fit(array.from_array(X, chunks=(chunk, 3)), array.from_array(y, chunks=chunk))
            assert same(whole, in_chunks), (options, chunk)
            assert in_chunks.certificate_.holds
    model = HistGradientBoostingClassifier(max_iter=3, early_stopping=False, class_weight="balanced")
    chunks = array.from_array(X, chunks=(900, 3))
    assert same(copy(model).fit(X, y > 1.0), copy(model).fit(chunks, y > 1.0))


def test_claims_about_files_can_fail(tmp_path):
    X, y = table(600)
    rows = parquet(tmp_path, X, y)
    model = HistGradientBoostingRegressor(max_iter=3, early_stopping=False).fit(rows)
    trees = model.trees_
    leaf = int(np.flatnonzero(trees.children_left < 0)[-1])
    cut = int(np.flatnonzero((trees.children_left >= 0) & np.isfinite(trees.threshold))[-1])
    edges = model.bin_thresholds_
    other_edge = edges[trees.feature[cut]][np.argmin(np.abs(edges[trees.feature[cut]] - trees.threshold[cut])) - 1]

    def with_entry(name: str, place: int, value: float):
        array = getattr(trees, name).copy()
        array[place] = value
        return {"trees_": trees._replace(**{name: array})}

    for change in (
        with_entry("value", leaf, 1.01 * trees.value[leaf]),
        with_entry("threshold", cut, trees.threshold[cut] + 1e-9),
        with_entry("threshold", cut, other_edge),
        {"bin_thresholds_": [*edges[:2], edges[2] + 1e-9]},
        {"baseline_": model.baseline_ + 0.01},
        {"train_score_": model.train_score_ * 1.001},
    ):
        altered = copy(model)
        altered.__dict__.update(change)
        assert not certify(altered, rows).holds, list(change)


def test_what_needs_memory_is_refused_with_a_sentence(tmp_path):
    X, y = table(200)
    chunks = array.from_array(X, chunks=(50, 3))
    with pytest.raises(ValueError, match="categorical_features needs all rows in memory"):
        HistGradientBoostingRegressor(categorical_features=[0]).fit(chunks, y)
    with pytest.raises(ValueError, match="infinity in column 1"):
        HistGradientBoostingRegressor().fit(array.from_array(np.where(np.arange(3) == 1, np.inf, X), chunks=(50, 3)), y)
    with pytest.raises(ValueError, match="requires y to be passed"):
        HistGradientBoostingRegressor().fit(chunks)
    model = HistGradientBoostingRegressor(max_iter=2, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="continued on arrays only"):
        model.fit(chunks, y)
