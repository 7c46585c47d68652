"""Tables outside memory give the bits they give in memory, within a few blocks of memory."""

import itertools
import threading

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from learnable.rows import ParquetRows, as_rows, moments, triangular_factor

RNG = np.random.default_rng(20240614)
X = RNG.normal(size=(7000, 30))
Y = RNG.normal(size=7000)
W = RNG.uniform(size=7000)
NAMES = [f"x{j}" for j in range(30)]


def assert_same_moments(a, b):
    for left, right in zip(a, b):
        np.testing.assert_array_equal(left, right)


@pytest.fixture
def memmap(tmp_path):
    X.tofile(tmp_path / "table.bin")
    return np.memmap(tmp_path / "table.bin", dtype=float, mode="r", shape=X.shape)


def write(path, row_groups=(0, 3000, 3100, 3101, 7000)):
    table = pyarrow.table({**{name: X[:, j] for j, name in enumerate(NAMES)}, "y": Y, "w": W})
    with parquet.ParquetWriter(path, table.schema) as writer:
        for start, stop in itertools.pairwise(row_groups):
            writer.write_table(table.slice(start, stop - start), row_group_size=stop - start)
    return path


@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_a_memory_mapped_file_gives_the_bits_of_the_array(memmap, n_jobs):
    rows = as_rows(memmap, Y, W)
    assert len(rows.cuts) > 2
    assert_same_moments(moments(rows, n_jobs=n_jobs), moments(as_rows(X, Y, W)))
    block = next(rows.blocks())()
    assert type(block.X) is np.ndarray
    assert not np.shares_memory(block.X, memmap)


@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_row_groups_of_any_size_give_the_bits_of_the_array(tmp_path, n_jobs):
    path = write(tmp_path / "table.parquet")
    assert parquet.read_metadata(path).num_row_groups == 4
    rows = ParquetRows(path, target="y", weight="w")
    assert (rows.n_rows, rows.n_columns, rows.dtype, rows.columns) == (7000, 30, np.float64, NAMES)
    assert_same_moments(moments(rows, n_jobs=n_jobs), moments(as_rows(X, Y, W)))
    np.testing.assert_array_equal(triangular_factor(as_rows(rows), n_jobs=n_jobs), triangular_factor(as_rows(X, Y, W)))


def test_a_folder_is_its_files_in_the_order_of_their_names(tmp_path):
    write(tmp_path / "1.parquet", row_groups=(3000, 7000))
    write(tmp_path / "0.parquet", row_groups=(0, 3000))
    rows = ParquetRows(tmp_path, target=["y", "x0"], columns=["x2", "x1"])
    np.testing.assert_array_equal(rows.concatenate(lambda block: block.X), X[:, [2, 1]])
    np.testing.assert_array_equal(rows.concatenate(lambda block: block.y), np.column_stack([Y, X[:, 0]]))


def test_parquet_number_types(tmp_path):
    table = pyarrow.table(
        {
            "flag": [True, False],
            "count": pyarrow.array([3, 4], pyarrow.int16()),
            "real": pyarrow.array([0.5, 1.5], pyarrow.float32()),
        }
    )
    parquet.write_table(table, tmp_path / "t.parquet")
    np.testing.assert_array_equal(
        ParquetRows(tmp_path / "t.parquet").concatenate(lambda b: b.X), [[1, 3, 0.5], [0, 4, 1.5]]
    )
    assert ParquetRows(tmp_path / "t.parquet", columns=["real"]).dtype == np.float32
    labels = ParquetRows(tmp_path / "t.parquet", target="count").concatenate(lambda b: b.y)
    assert labels.dtype == np.int16


def test_bad_parquet_is_refused_with_the_column_named(tmp_path):
    path = tmp_path / "bad.parquet"
    parquet.write_table(pyarrow.table({"a": [1.0, None, 3.0], "name": ["u", "v", "w"], "b": [1, 2, 3]}), path)
    with pytest.raises(TypeError, match="column 'name' has type string"):
        ParquetRows(path)
    with pytest.raises(ValueError, match=r"missing value \(null\) in column 'a', row 1 \(row 1 of row group 0 of bad"):
        ParquetRows(path, columns=["a"]).reduce(lambda block: block.X.sum())
    with pytest.raises(ValueError, match="no column 'c'"):
        ParquetRows(path, columns=["c"])
    with pytest.raises(ValueError, match=r"\['b'\] are asked for twice"):
        ParquetRows(path, columns=["b"], target="b")
    with pytest.raises(TypeError, match="give a list"):
        ParquetRows(path, columns="b")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        ParquetRows(tmp_path / "nowhere.parquet")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="no file named"):
        ParquetRows(tmp_path / "empty")
    parquet.write_table(pyarrow.table({"a": pyarrow.array([], pyarrow.float64())}), path)
    with pytest.raises(ValueError, match="no rows"):
        ParquetRows(path)


def test_leaving_early_closes_the_file_and_the_reader(tmp_path):
    path = write(tmp_path / "table.parquet")
    rows = ParquetRows(path, target="y", weight="w")
    with pytest.raises(ZeroDivisionError):
        rows.reduce(lambda block: 1 / 0)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("learnable")]
    assert rows.reduce(lambda block: len(block.X)) == 7000


MEMORY = """
import resource, tracemalloc
import numpy as np
from learnable.rows import ParquetRows, as_rows, moments
source, path = {source!r}, {path!r}
moments(as_rows(np.ones((3000, 50))))
if source == "memmap":
    rows = as_rows(np.memmap(path, dtype=float, mode="r").reshape(-1, 50))
else:
    rows = ParquetRows(path)
    import pyarrow
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
if source == "memmap":  # pages of a mapped file are resident but the system's to take back: the heap counts
    tracemalloc.start()
moments(rows, n_jobs=2)
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 2**10
print(tracemalloc.get_traced_memory()[1] / 2**20 if source == "memmap" else grown)
"""


@pytest.mark.parametrize("source", ["memmap", "parquet"])
def test_200_megabytes_pass_through_less_than_100(tmp_path, source, said):
    n, path = 500_000, tmp_path / "large"
    if source == "memmap":
        np.memmap(path, dtype=float, mode="w+", shape=(n, 50))[::1000] = 1.0
    else:
        column = pyarrow.array(RNG.normal(size=n))
        table = pyarrow.table({f"x{j}": column for j in range(50)})
        parquet.write_table(table, path, row_group_size=n, compression="none", use_dictionary=False)
        assert path.stat().st_size > 190e6
    assert float(said(MEMORY.format(source=source, path=str(path)))) < 100
