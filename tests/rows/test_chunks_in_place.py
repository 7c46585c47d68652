"""Chunks that live on workers already, as after `persist`: passes without any task, the same bits, nothing held."""

import os
import signal

import dask
import dask.array as da
import distributed
import numpy as np
import pytest

from learnable import config_context
from learnable.linear import LogisticRegression, Ridge
from learnable.rows import as_rows

pytestmark = pytest.mark.filterwarnings("default")

RNG = np.random.default_rng(3)
X = RNG.normal(size=(1200, 4))
Y = X @ [1.0, -1.0, 0.5, 0.0] + RNG.normal(size=1200)


def sums(block):
    return block.X.T @ block.X, block.X.T @ block.y


@pytest.fixture(scope="module")
def client(a_cluster):
    with a_cluster(2) as client:
        yield client


def persisted(client, places):
    """X and Y in the memory of workers, each half of them where `places` has it."""
    client.wait_for_workers(2)  # one may have died in the last test
    workers = sorted(client.scheduler_info()["workers"])
    halves = []
    for values, homes in zip((X, Y), places):
        table = da.from_array(values, chunks=(100, *values.shape[1:]), name=False)
        parts = [
            client.persist(table.blocks[a : a + 6], workers=[workers[w]], allow_other_workers=True)
            for a, w in zip((0, 6), homes)
        ]
        distributed.wait(parts)
        halves.append(da.concatenate(parts))
    return halves


def assert_same(found, expected):
    for one, other in zip(found, expected):
        np.testing.assert_array_equal(one, other)


def test_no_task_is_planned_and_the_bits_are_those_of_any_other_way(client):
    with dask.config.set(scheduler="threads"):
        expected = as_rows(da.from_array(X, chunks=(100, 4)), da.from_array(Y, chunks=100)).reduce(sums)
    for places, in_place in ((((0, 1), (0, 1)), True), (((0, 0), (0, 0)), True), (((0, 1), (1, 0)), False)):
        rows = as_rows(*persisted(client, places))
        for _ in range(2):
            assert_same(rows.reduce(sums), expected)
        assert bool(rows._plan.recipes) == in_place, places
        assert (rows._plan.keys is None) == in_place
        assert rows._plan.held
    given = persisted(client, ((0, 1), (0, 1)))
    assert_same(as_rows(given[0], Y).reduce(sums), expected)  # targets that are sent: kept by tasks
    assert as_rows(*given).on_workers, "something can be kept beside the chunks when it is asked for"
    here, there = (Ridge().fit(*tables) for tables in ((X, Y), given))
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-12)
    model = LogisticRegression().fit(given[0], given[1] > 0.0)
    np.testing.assert_allclose(model.coef_, LogisticRegression().fit(X, Y > 0.0).coef_, rtol=1e-4)


def test_tables_that_fill_the_memory_of_workers_are_used_where_they_are(client, monkeypatch):
    rows = as_rows(*persisted(client, ((0, 1), (0, 1))))
    expected = rows.reduce(sums)
    monkeypatch.setattr("learnable.rows.dask.free_memory", lambda client: (2, 1.0))
    full = as_rows(*persisted(client, ((0, 1), (0, 1))))
    assert "kept in the memory of 2 workers" in full.reading()
    assert_same(full.reduce(sums), expected)
    assert full._plan.recipes, "no chunk is computed anew, or copied"
    # Chunks that would have to be brought together first are not.
    apart = as_rows(*persisted(client, ((0, 1), (1, 0))))
    assert_same(apart.reduce(sums), expected)
    assert not apart._plan.kept
    with config_context(dask_persist=False):
        anew = as_rows(*persisted(client, ((0, 1), (0, 1))))
        assert "computed anew" in anew.reading()
        assert_same(anew.reduce(sums), expected)
        assert not anew._plan.kept


def test_workers_hold_nothing_for_it(client):
    given = persisted(client, ((0, 1), (0, 1)))
    rows = as_rows(*given)
    rows.reduce(sums)
    del given, rows

    def left(dask_worker):
        recipes = vars(dask_worker)["_learnable_recipes"].values()
        return [seen() is not None for recipe in recipes for seen in recipe._seen]

    for _ in range(100):
        if not any(alive for found in client.run(left).values() for alive in found):
            break
        client.run(lambda: None)
    assert not any(alive for found in client.run(left).values() for alive in found)


def test_chunks_that_have_moved_or_died_are_found_again(client, tmp_path):
    rows = as_rows(*persisted(client, ((0, 1), (0, 1))))
    expected = rows.reduce(sums)

    def forget(dask_worker):
        vars(dask_worker)["_learnable_recipes"].clear()

    client.run(forget)
    assert_same(rows.reduce(sums), expected)
    assert rows._plan.keys is not None, "tasks, once a message was not understood"

    rows = as_rows(*persisted(client, ((0, 1), (0, 1))))
    assert_same(rows.reduce(sums), expected)

    def deadly(block):
        mark = tmp_path / "died"
        if block.start == 700 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return sums(block)

    assert rows._plan.recipes
    assert_same(rows.reduce(deadly), expected)
    assert (tmp_path / "died").exists()
    assert_same(rows.reduce(sums), expected)


def chained(state, block):
    """A state that tells in which order the blocks came."""
    return (*state, (block.start, float(block.X.sum() * 3.0 + block.y[0])))


def test_a_fold_goes_from_worker_to_worker_by_messages_in_the_order_of_the_rows(client, tmp_path):
    with dask.config.set(scheduler="threads"):
        expected = as_rows(da.from_array(X, chunks=(100, 4)), da.from_array(Y, chunks=100)).fold(chained, ())
    assert [start for start, _ in expected] == list(range(0, 1200, 100))
    for places in (((0, 1), (0, 1)), ((1, 0), (1, 0)), ((0, 0), (0, 0)), ((0, 1), (1, 0))):
        rows = as_rows(*persisted(client, places))
        for _ in range(2):
            assert rows.fold(chained, ()) == expected
            assert rows._plan.held, f"messages, not tasks: {places}"
        assert rows.reduce(sums) is not None
    # Chunks by turns on either worker: a message for each.
    workers = sorted(client.scheduler_info()["workers"])
    tables = []
    for values in (X, Y):
        table = da.from_array(values, chunks=(100, *values.shape[1:]), name=False)
        parts = [client.persist(table.blocks[a], workers=[workers[a % 2]], allow_other_workers=True) for a in range(12)]
        distributed.wait(parts)
        tables.append(da.concatenate(parts))
    rows = as_rows(*tables)
    assert rows.fold(chained, ()) == expected
    assert len(rows._plan.stages()) == 12

    def broken(state, block):
        if block.start == 700:
            raise RuntimeError("the tape is torn")
        return chained(state, block)

    with pytest.raises(RuntimeError, match="the tape is torn") as caught:
        rows.fold(broken, ())
    assert "in chunk 7 of the dask array, rows 700 to 799" in caught.value.__notes__

    def deadly(state, block):
        mark = tmp_path / "died"
        if block.start == 700 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return chained(state, block)

    rows = as_rows(*persisted(client, ((0, 1), (0, 1))))
    assert rows.fold(deadly, ()) == expected
    assert (tmp_path / "died").exists()
