"""A Parquet file that is replaced, or damaged, while it is read."""

import os

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from learnable.linear import LogisticRegression
from learnable.rows import ParquetRows

RNG = np.random.default_rng(5)


def write(path, n, columns=("a", "b", "y"), **options):
    table = {name: RNG.normal(size=n) for name in columns}
    parquet.write_table(pyarrow.table(table | {columns[-1]: RNG.integers(0, 2, n)}), path, **options)
    return path


def test_a_file_that_changes_is_refused_whatever_became_of_it(tmp_path):
    changes = {
        "shorter": lambda path: write(path, 500),
        "longer": lambda path: write(path, 5000),
        "schema": lambda path: write(path, 2000, ("a", "c", "y")),
        "as long": lambda path: write(path, 2000),
        "gone": os.unlink,
        "no Parquet": lambda path: path.write_bytes(b"PAR1 was here"),
    }
    for name, change in changes.items():
        path = write(tmp_path / f"{name}.parquet", 2000)
        rows = ParquetRows(path, target="y")

        def changing(block, path=path, change=change):
            change(path)
            return block.X.sum(axis=0)

        rows.reduce(lambda block: block.X.sum(axis=0))
        with pytest.raises(ValueError, match=r"the file was changed while it was read \(\d+ bytes.*make `ParquetRows`"):
            rows.reduce(changing)
        with pytest.raises(ValueError, match="was changed while it was read"):
            LogisticRegression().fit(rows)


def test_pages_are_held_against_their_checksums(tmp_path):
    path = write(tmp_path / "t.parquet", 3000, write_page_checksum=True, compression="none", use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1  # in the middle of the numbers
    path.write_bytes(content)
    with pytest.raises(OSError, match=r"cannot be read: .*[Cc][Rr][Cc]"):
        ParquetRows(path, target="y").reduce(lambda block: block.X.sum())


def test_no_altered_byte_changes_what_is_read(tmp_path):
    path = write(tmp_path / "t.parquet", 60, write_page_checksum=True, row_group_size=20, use_dictionary=False)
    content = path.read_bytes()
    here = ParquetRows(path, target="y").concatenate(lambda block: block.X)
    said = []
    for place in range(4, len(content), 3):
        altered = bytearray(content)
        altered[place] ^= 16
        path.write_bytes(altered)
        try:
            rows = ParquetRows(path, target="y")
            found = rows.concatenate(lambda block: block.X)
        except (OSError, ValueError) as error:  # ValueError where names of columns are other ones
            said.append(str(error))
        else:
            np.testing.assert_array_equal(found, here)
    assert len(said) > len(content) / 3 / 2
    assert all(str(path) in each for each in said)
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(OSError, match=r"t.parquet: the Parquet file cannot be read"):
        ParquetRows(path)


def test_a_file_whose_row_groups_hold_other_rows_than_it_promises_is_refused(tmp_path, monkeypatch):
    from types import SimpleNamespace

    path = write(tmp_path / "t.parquet", 60, row_group_size=20)
    said = SimpleNamespace(num_rows=52, num_row_groups=3, row_group=lambda _: SimpleNamespace(num_rows=20))
    monkeypatch.setattr(parquet, "read_metadata", lambda _: said)
    with pytest.raises(OSError, match="damaged: it promises 52 rows, its row groups 60"):
        ParquetRows(path, target="y")
