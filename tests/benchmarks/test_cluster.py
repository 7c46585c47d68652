"""The table of fits past one machine."""

import io
import sys
from types import ModuleType, SimpleNamespace

import dask.array as da
import numpy as np
from benchmarks.cluster import Timing, cluster_table
from rich.console import Console

from benchmarks import cluster


def test_ratios_stand_where_both_ways_were_run():
    page = Console(file=io.StringIO(), width=200)
    seconds = {"memory": 2.0, "dask kept": 3.0}
    page.print(
        cluster_table([Timing("ridge", seconds, {}), Timing("lasso", {"memory": 1.0}, {}, "dask-ml: ImportError")])
    )
    lines = page.file.getvalue().splitlines()
    assert any("ridge" in line and " 1.50 " in line for line in lines)
    assert any("lasso" in line and "dask-ml: ImportError" in line for line in lines)


def test_a_rival_that_only_plans_its_answer_is_timed_until_it_is_there(monkeypatch):
    class Planning:
        def fit(self, X):
            self.theta_, self.classes_ = X.mean(axis=0), [0, 1]
            return self

    monkeypatch.setitem(sys.modules, "dask_ml", ModuleType("dask_ml"))
    monkeypatch.setitem(sys.modules, "dask_ml.planning", SimpleNamespace(Planning=Planning))
    model = cluster._dask_ml("planning", "Planning")(da.ones((6, 2), chunks=(3, 2)), None)
    assert isinstance(model.theta_, np.ndarray)
    assert model.classes_ == [0, 1]
