"""The table of fits past one machine."""

import io

from benchmarks.cluster import Timing, cluster_table
from rich.console import Console


def test_ratios_stand_where_both_ways_were_run():
    page = Console(file=io.StringIO(), width=200)
    seconds = {"memory": 2.0, "dask kept": 3.0}
    page.print(
        cluster_table([Timing("ridge", seconds, {}), Timing("lasso", {"memory": 1.0}, {}, "dask-ml: ImportError")])
    )
    lines = page.file.getvalue().splitlines()
    assert any("ridge" in line and " 1.50 " in line for line in lines)
    assert any("lasso" in line and "dask-ml: ImportError" in line for line in lines)
