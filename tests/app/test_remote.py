"""The panel on a Dask cluster: the same answer as on this machine, and plain words where there is no cluster."""

import sys
import warnings

import numpy as np
import pytest

from learnable import config_context
from learnable.app import learn as job
from learnable.app.errors import TimeUp, UserError
from learnable.app.progress import Silent
from learnable.app.trials.remote import Remote, cluster_at, run_anywhere
from learnable.app.trials.workers import Deadline

QUICK = {"DummyRegressor", "Ridge", "LinearRegression"}


@pytest.fixture
def cluster():
    from distributed import LocalCluster

    with (
        warnings.catch_warnings(),
        LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as found,
    ):
        warnings.simplefilter("ignore")
        yield found


def test_the_same_result_as_here_and_the_work_is_done_there(cluster, monkeypatch, table_file):
    few = [one for one in job.candidates("regression", 0) if one.name in QUICK]
    monkeypatch.setattr(job, "candidates", lambda *given: few)
    sent = []
    original = Remote.run
    monkeypatch.setattr(Remote, "run", lambda self, tasks, *rest: sent.extend(tasks) or original(self, tasks, *rest))
    given = {"data": str(table_file), "target": "price", "drop": ("sold",)}
    here, there = (
        job.learn(job.Options(**given, dask=address), Silent()).result for address in (None, cluster.scheduler_address)
    )
    assert len(sent) >= sum(len(one.settings) for one in few) * here.folds
    assert here.chosen == there.chosen
    for one, other in zip(here.learners, there.learners, strict=True):
        assert one.label == other.label
        np.testing.assert_array_equal(one.cv_scores, other.cv_scores)


def test_the_time_limit_holds_there_too(cluster):
    from functools import partial

    with cluster_at(cluster.scheduler_address):
        assert run_anywhere([partial(divmod, 7, 2), partial(divmod, 9, 4)], 1, Deadline(None)) == [(3, 1), (2, 1)]
        with pytest.raises(TimeUp):
            run_anywhere([partial(divmod, 7, 2)], 1, Deadline(0.0))
        with pytest.raises(ZeroDivisionError):
            run_anywhere([partial(divmod, 7, 0)], 1, Deadline(None))
    assert run_anywhere([partial(divmod, 7, 2)], 1, Deadline(None)) == [(3, 1)]


def test_where_the_last_worker_goes_or_no_scheduler_answers_one_line_says_so_soon(cluster, monkeypatch):
    from functools import partial

    with cluster_at(cluster.scheduler_address), config_context(dask_timeout=0.2):
        cluster.sync(cluster.workers[0].close)
        with pytest.raises(UserError, match=r"--dask: the dask cluster at .* has had no worker for 0.2 s; start one"):
            run_anywhere([partial(divmod, 7, 2)], 1, Deadline(None))
    monkeypatch.setattr("learnable.app.trials.remote.SECONDS_TO_CONNECT", 1)
    monkeypatch.setattr(job, "_ready", lambda *given: pytest.fail("the table is read before anybody answers"))
    with pytest.raises(UserError, match="no scheduler answers"):
        job.learn(job.Options("no.csv", dask="tcp://127.0.0.1:9"), Silent())


def test_without_a_cluster_one_line_says_so(monkeypatch):
    monkeypatch.setattr("learnable.app.trials.remote.SECONDS_TO_CONNECT", 1)
    with (
        pytest.raises(UserError, match=r"--dask tcp://127.0.0.1:9: no scheduler answers there"),
        cluster_at("tcp://127.0.0.1:9"),
    ):
        pass
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError, match="needs dask and distributed"), cluster_at("tcp://127.0.0.1:9"):
        pass
