"""A real cluster that loses workers, or its scheduler: the same answer, or a sentence, never a fit that hangs."""

import asyncio
import os
import pickle
import signal
import threading
from functools import partial, partialmethod
from types import SimpleNamespace
from typing import ClassVar

import dask
import dask.array as da
import distributed
import numpy as np
import pytest
from distributed.utils import get_mp_context
from sklearn.base import clone

from learnable import config_context
from learnable.bayes import GaussianNB
from learnable.ensembles import HistGradientBoostingClassifier
from learnable.linear import Ridge, SGDRegressor
from learnable.rows import as_rows, checkpointed
from learnable.rows.dask import DaskRows
from learnable.rows.patience import heard_of
from learnable.trace.checkpoint import StateFile
from learnable.unsupervised import PCA

pytestmark = pytest.mark.filterwarnings("default")

RNG = np.random.default_rng(9)
X = RNG.normal(size=(1200, 4))
LABEL = (X @ [1.0, -1.0, 0.5, 0.0] + RNG.logistic(size=1200) > 0).astype(int)
QUIET = {"distributed.logging.distributed": "critical", "logging.distributed": "critical"}


@pytest.fixture(scope="module")
def cluster(a_cluster):
    with a_cluster(2) as client:
        yield client.cluster


def chunked():
    return da.from_array(X, chunks=(100, 4)), da.from_array(LABEL, chunks=100)


class _Deadly:
    """A function of a block whose process dies at the first sight of certain chunks, once for each."""

    def __init__(self, folder, *chunks):
        self.folder, self.chunks = str(folder), chunks

    def __call__(self, block):
        mark = os.path.join(self.folder, str(block.start))
        if block.start // 100 in self.chunks and not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return block.X.T @ block.X


def test_workers_that_die_one_or_all_change_no_bit_and_a_chunk_that_raises_is_named(cluster, tmp_path):
    with config_context(dask_persist=False):
        rows = as_rows(*chunked())
        assert "computed anew in every pass by" in rows.reading()
        whole = rows.reduce(lambda block: block.X.T @ block.X)
    rows = as_rows(*chunked())
    assert "kept in the memory of" in rows.reading()
    np.testing.assert_array_equal(rows.reduce(lambda block: block.X.T @ block.X), whole)
    assert len(rows._plan.held) == 2, "a message to each worker, no tasks"
    np.testing.assert_array_equal(rows.reduce(_Deadly(tmp_path, 6)), whole)
    np.testing.assert_array_equal(rows.reduce(_Deadly(tmp_path, 0, 11)), whole)
    assert sorted(map(int, os.listdir(tmp_path))) == [0, 600, 1100]
    with dask.config.set(scheduler="threads"):
        np.testing.assert_array_equal(as_rows(*chunked()).reduce(lambda block: block.X.T @ block.X), whole)

    def broken(start):
        if start == 300:
            raise RuntimeError("the tape is torn")
        return X[start : start + 100]

    parts = [da.from_delayed(dask.delayed(broken)(start), (100, 4), float) for start in range(0, 1200, 100)]
    with pytest.raises(RuntimeError, match="the tape is torn") as caught:
        Ridge().fit(da.concatenate(parts), LABEL)
    assert "in chunk 3 of the dask array, rows 300 to 399" in caught.value.__notes__


def products(block):
    return block.X.T @ block.X


def test_workers_that_must_not_be_asked_directly_are_asked_by_the_scheduler(cluster):
    found = []
    for direct in (None, False):
        with distributed.Client(cluster, direct_to_workers=direct):
            rows = as_rows(*chunked())
            found += [rows.reduce(products), rows.reduce(products)]
            assert rows._plan.held
            assert rows._plan.directly == (direct is None)
    for result in found:
        np.testing.assert_array_equal(result, found[0])


def test_the_work_of_a_process_that_stands_still_is_done_by_others(a_cluster):
    with a_cluster(3) as client:
        still = list(client.run(os.getpid).items())[:2]
        try:
            # Kept chunks, by messages that the scheduler passes on; then chunks made anew, by tasks.
            client.direct_to_workers = False
            for persist, (worker, process) in zip((True, False), still):
                with config_context(dask_persist=persist):
                    rows = as_rows(*chunked())
                    whole = rows.reduce(products)
                    os.kill(process, signal.SIGSTOP)
                    with config_context(dask_timeout=1.0):
                        np.testing.assert_array_equal(rows.reduce(products), whole)
                    assert worker not in client.nthreads()
        finally:
            for _, process in still:
                os.kill(process, signal.SIGKILL)


def test_fits_of_every_kind_outlive_a_worker_with_the_same_bits(cluster, monkeypatch):
    calls, deadly, plain = [], [None], {name: getattr(DaskRows, name) for name in ("_passed", "fold")}

    def killing(self, name, *given):
        """Before the second pass a worker dies, with the chunks and what was kept beside them."""
        calls.append(name)
        if len(calls) == deadly[0]:
            os.kill(max(distributed.get_client().run(os.getpid).values()), signal.SIGKILL)
        return plain[name](self, *given)

    for name in plain:
        monkeypatch.setattr(DaskRows, name, partialmethod(killing, name))
    trees = HistGradientBoostingClassifier(max_iter=2, max_leaf_nodes=4, early_stopping=False)
    for model, answer in (
        (PCA(2), lambda model: model.components_),
        (SGDRegressor(max_iter=3, tol=None, random_state=0), lambda model: model.coef_),
        (GaussianNB(), lambda model: model.var_),
        (trees, lambda model: np.concatenate([model.trees_.threshold, model.trees_.value])),
    ):
        tables = chunked()[: 1 if isinstance(model, PCA) else 2]
        deadly[0] = None
        undisturbed = answer(clone(model).fit(*tables))
        calls[:], deadly[0] = [], 2
        np.testing.assert_array_equal(answer(clone(model).fit(*tables)), undisturbed, err_msg=type(model).__name__)
        assert len(calls) >= 2, f"{type(model).__name__} has met no death"


def test_a_machine_that_stood_still_as_a_whole_has_lost_no_worker():
    """Silence counts while somebody looks: it is no worker's fault that a laptop was closed."""
    gone: list[str] = []
    clock = [0.0]

    class Scheduler:
        loop = SimpleNamespace(time=lambda: clock[0])
        workers: ClassVar = {"there": SimpleNamespace(last_seen=0.0), "hung": SimpleNamespace(last_seen=0.0)}

        async def remove_worker(self, address, stimulus_id):
            gone.append(address)
            del self.workers[address]

    at_work = Scheduler()

    async def run_function(function, args):
        return {"status": "OK", "result": await pickle.loads(function)(*pickle.loads(args), dask_scheduler=at_work)}

    def looked(now):
        clock[0] = now
        at_work.workers["there"].last_seen = now if 2000.0 < now < 3000.0 else 0.0
        return asyncio.run(heard_of(SimpleNamespace(scheduler=SimpleNamespace(run_function=run_function)), 3.0))

    for now in (0.0, 1.0, 1000.0, 2000.0):
        assert looked(now) == ["there", "hung"]
    for second in range(1, 12):
        looked(2000.0 + second)
    assert gone == ["hung"]
    assert list(at_work.workers) == ["there"]
    heard = [looked(3000.0 + second) for second in range(12)]
    assert heard[0] == ["there"]
    assert heard[-1] == []
    assert gone == ["hung"], "the last one stays: nobody else could do its work"


def test_boosting_on_workers_gives_the_trees_of_arrays_and_outlives_one_of_them(cluster, tmp_path):
    model = HistGradientBoostingClassifier(max_iter=3, early_stopping=False)
    of_arrays = clone(model).fit(X, LABEL).trees_
    trees: list = []

    def same(rows) -> bool:
        """The bits of the first fit on workers; those of arrays, but for the sums of leaves, which chunks order."""
        trees.append(clone(model).fit(rows, chunked()[1]).trees_)
        np.testing.assert_allclose(trees[-1].value, of_arrays.value, rtol=1e-12)
        as_arrays = map(np.array_equal, trees[-1]._replace(value=of_arrays.value), of_arrays)
        return all(as_arrays) and all(map(np.array_equal, trees[-1], trees[0]))

    assert same(chunked()[0]), "two workers"
    killed = tmp_path / "killed"
    assert same(chunked()[0].map_blocks(_die_once, str(killed), dtype=float))
    assert killed.exists()
    cluster.scale(1)
    cluster.sync(_until, cluster, 1)
    assert same(chunked()[0]), "one worker"


def _die_once(cells, mark):
    """The cells; the first process that reads the chunk of row 500 dies."""
    if len(cells) and np.array_equal(cells[0], X[500]) and not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return cells


def test_kernels_travel_by_name(cluster):
    from learnable._jit.core.column_squares import column_squares

    assert distributed.default_client().submit(partial(_is_that_of_the_module, column_squares)).result()


def _is_that_of_the_module(kernel):
    from learnable._jit.core import column_squares

    return kernel is column_squares.column_squares


def test_without_workers_a_fit_ends_with_a_sentence_and_goes_on_when_they_return(cluster, tmp_path):
    rows = checkpointed(*chunked(), path=tmp_path)
    inner, passes = rows._rows.reduce, []

    def losing(*args, **named):
        passes.append(1)
        if len(passes) == 3:
            cluster.scale(0)
            cluster.sync(_until, cluster, 0)
        return inner(*args, **named)

    rows._rows.reduce = losing
    with config_context(dask_timeout=0.5), pytest.raises(TimeoutError, match=r"has had no worker for 0.5 s; start one"):
        Ridge().fit(rows)
    cluster.scale(1)
    again = checkpointed(*chunked(), path=tmp_path)
    model = Ridge().fit(again)
    assert again.found == 2
    with dask.config.set(scheduler="threads"):
        np.testing.assert_array_equal(model.coef_, Ridge().fit(*chunked()).coef_)


def test_chunks_that_only_a_lost_worker_may_compute_end_a_fit_with_a_sentence(cluster):
    cluster.scale(2)
    cluster.sync(_until, cluster, 2)
    client = distributed.get_client()
    lost, pid = next(iter(client.run(os.getpid).items()))
    table, labels = chunked()
    table = client.persist(table, workers=[lost])
    distributed.wait(table)
    before = Ridge().fit(table, labels).coef_
    np.testing.assert_array_equal(Ridge().fit(*chunked()).coef_, before)
    os.kill(pid, signal.SIGKILL)
    with config_context(dask_timeout=0.5), pytest.raises(TimeoutError, match=f"only be computed by {lost}, .*persist"):
        Ridge().fit(table, labels)
    np.testing.assert_array_equal(Ridge().fit(*chunked()).coef_, before)


def test_boosting_without_workers_goes_on_from_its_last_state_when_they_return(cluster, tmp_path, monkeypatch):
    model = HistGradientBoostingClassifier(max_iter=4, early_stopping=False)
    cluster.scale(1)
    cluster.sync(_until, cluster, 1)
    whole = clone(model).fit(*chunked()).trees_
    write, numbers = StateFile.__call__, []

    def losing(self, number, state):
        self._next = 0.0
        write(self, number, state)
        numbers.append(number)
        if numbers == [1, 2, 3]:
            cluster.scale(0)
            cluster.sync(_until, cluster, 0)

    monkeypatch.setattr(StateFile, "__call__", losing)
    with config_context(checkpoint=tmp_path):
        with config_context(dask_timeout=0.5), pytest.raises(TimeoutError, match="has had no worker"):
            clone(model).fit(*chunked())
        cluster.scale(1)
        cluster.sync(_until, cluster, 1)
        found = clone(model).fit(*chunked()).trees_
    assert numbers == [1, 2, 3, 3, 4, 5]
    assert all(map(np.array_equal, found, whole))


async def _until(cluster, n_workers):
    while len(cluster.scheduler_info["workers"]) != n_workers:
        await asyncio.sleep(0.05)


def _scheduler(pipe):
    async def main():
        async with (
            distributed.Scheduler(port=0, dashboard_address=":0", host="127.0.0.1") as scheduler,
            distributed.Worker(scheduler.address, nthreads=1),
        ):
            pipe.send(scheduler.address)
            await scheduler.finished()

    asyncio.run(main())


def test_a_scheduler_that_dies_ends_the_fit_with_a_sentence():
    with dask.config.set(QUIET):
        processes = get_mp_context()
        ours, theirs = processes.Pipe()
        process = processes.Process(target=_scheduler, args=(theirs,))
        process.start()
        try:
            address = ours.recv()
            with distributed.Client(address, timeout=300) as client:
                rows = as_rows(*chunked())
                rows.reduce(lambda block: block.X.sum())
                timer = threading.Timer(0.5, process.kill)
                timer.start()
                with config_context(dask_timeout=5), pytest.raises(ConnectionError, match=r"at tcp.* is gone"):
                    rows.reduce(_slow)
                timer.join()
                client.close(timeout=1)
        finally:
            process.kill()
            process.join()
            process.close()


def _slow(block):
    threading.Event().wait(1.0)
    return block.X.sum()
