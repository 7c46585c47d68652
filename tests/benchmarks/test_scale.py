"""The scale benchmark: its arithmetic of bytes, its design, its table."""

import numpy as np
from benchmarks.scale import bytes_of_design, design, scale_figures, scale_table
from rich.console import Console


def test_bytes_are_those_of_the_arrays():
    X, y = design(5000, 200, 20_000)
    told = bytes_of_design(*X.shape, X.nnz)
    assert told["values"] + told["places"] + told["starts"] == X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    assert told["vectors over rows (target, residual, prediction)"] == 3 * y.nbytes


def test_the_design_has_the_entries_asked_for_in_distinct_places():
    X, y = design(5000, 200, 20_000)
    assert X.nnz == 20_000
    assert X.has_canonical_format
    assert set(np.diff(X.indptr)) == {100}
    assert y.shape == (5000,)
    again = design(5000, 200, 20_000)[0]
    assert (again != X).nnz == 0


def test_every_figure_is_measured_and_told():
    rows = list(scale_figures(0.001))
    assert {row.unit for row in rows} == {"MiB", "s"}
    assert all(row.figure > 0.0 for row in rows)
    assert sum("optimal" in row.note for row in rows) == 2
    console = Console(width=160)
    with console.capture() as printed:
        console.print(scale_table(rows))
    assert "1.14 GiB" in printed.get()
