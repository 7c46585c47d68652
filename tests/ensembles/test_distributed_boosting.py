"""Boosting on the workers of a real cluster: the trees of arrays, the same bits whoever has the rows, no cell here."""

import os
import signal
import time
from collections import Counter
from copy import copy

import dask.array as da
import distributed
import numpy as np
import pytest

from learnable.ensembles import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from learnable.problems.ensembles import bins
from learnable.rows.dask import DaskRows
from learnable.rows.groups import WorkTogether
from learnable.rows.source import add
from learnable.solvers.ensembles import boosting_places, distributed_boosting
from learnable.trace import drive

pytestmark = pytest.mark.filterwarnings("default")

P, CHUNKS = 4, 8
STRUCTURE = ("first", "children_left", "children_right", "feature", "threshold", "missing_go_to_left", "n_samples")


@pytest.fixture(scope="module")
def client(a_cluster):
    with a_cluster(3) as client:
        yield client


def table(n: int = 3000):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, P))
    y = 2.0 * X[:, 0] + X[:, 1] ** 2 + X[:, 2] * X[:, 3] + 0.1 * rng.standard_normal(n)
    X[rng.random(X.shape) < 0.03] = np.nan
    return X, y, rng.uniform(0.5, 2.0, n)


def chunked(client, n_workers: int | None = None, n: int = 3000):
    """The table in chunks, kept by some of the workers, or by nobody yet."""
    X, y, _ = table(n)
    tables = da.from_array(X, chunks=(n // CHUNKS, P)), da.from_array(y, chunks=n // CHUNKS)
    if n_workers is None:
        return tables
    some = sorted(client.scheduler_info()["workers"])[:n_workers]
    kept = client.persist(list(tables), workers=some, allow_other_workers=False)
    distributed.wait(kept)
    return kept


def states(client) -> int:
    return sum(client.run(lambda: len(boosting_places._kept)).values())


def assert_same_bits(one, other):
    for name, a, b in zip(one.trees_._fields, one.trees_, other.trees_):
        np.testing.assert_array_equal(a, b, err_msg=name)
    np.testing.assert_array_equal(one.train_score_, other.train_score_)


def test_trees_of_the_workers_are_those_of_arrays(client):
    X, y, weight = table()
    tertile = np.digitize(y, np.quantile(y, [0.3, 0.6]))
    Z = da.from_array(X, chunks=(400, P))
    at_one = client.persist(Z, workers=min(client.scheduler_info()["workers"]), allow_other_workers=False)
    for model, target, given in (
        (HistGradientBoostingRegressor(early_stopping=True, random_state=0, n_iter_no_change=2, tol=1.0), y, None),
        (HistGradientBoostingRegressor(interaction_cst=[[0, 1], [2, 3]], max_depth=3), y, weight),
        (HistGradientBoostingRegressor(loss="poisson", max_leaf_nodes=200, min_samples_leaf=5), np.abs(y), None),
        (HistGradientBoostingClassifier(), np.where(y > 1.0, "high", "low"), None),
        (HistGradientBoostingClassifier(class_weight="balanced", early_stopping=True, random_state=0), tertile, weight),
    ):
        model.set_params(max_iter=2)
        # One worker compiles the kernels, which the others find.
        alone = copy(model).fit(at_one, target, given)
        near, far = copy(model).fit(X, target, given), copy(model).fit(Z, target, given)
        assert_same_bits(alone, far)
        for name in STRUCTURE:
            np.testing.assert_array_equal(getattr(near.trees_, name), getattr(far.trees_, name), err_msg=name)
        np.testing.assert_allclose(far.trees_.value, near.trees_.value, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(far.train_score_, near.train_score_, rtol=1e-12)
        if near.do_early_stopping_:
            np.testing.assert_allclose(far.validation_score_, near.validation_score_, rtol=1e-12)
        assert far.certificate_.holds
        assert [claim.statement for claim in far.certificate_] == [claim.statement for claim in near.certificate_]
    assert states(client) == 0


def test_any_number_of_workers_gives_the_same_bits_and_no_cells_come(client, monkeypatch):
    monkeypatch.setattr(bins, "SAMPLE", 300)
    most, passes, inner = [0], [], DaskRows._passed

    def weighed(self, *given):
        result = inner(self, *given)
        most[0] = max(most[0], _entries(result))
        return result

    def counted(self, *steps):
        passes.append({type(step).__name__ for step in steps})
        return ask(self, *steps)

    ask = distributed_boosting._Passes.ask
    monkeypatch.setattr(DaskRows, "_passed", weighed)
    monkeypatch.setattr(distributed_boosting._Passes, "ask", counted)
    model = HistGradientBoostingRegressor(max_iter=3, early_stopping=False)
    n = 20_000
    one = copy(model).fit(*chunked(client, 1, n))
    assert sum("Begin" in steps for steps in passes) == 4
    assert {"Begin", "Root"} in passes, "where the units are guessed right, the root comes with the slopes"
    assert sum("Split" in steps for steps in passes) < 3 * 15, "several leaves are looked into in a pass"
    for n_workers in (2, 3):
        assert_same_bits(one, copy(model).fit(*chunked(client, n_workers, n)))
    # One number a row at most, targets or leaves; else histograms, or a few cells, however many rows there are.
    assert n <= most[0] < n * P


def _entries(result) -> int:
    if isinstance(result, tuple | list):
        return sum(map(_entries, result))
    return np.size(result) if isinstance(result, np.ndarray) else 0


def test_states_go_with_their_rows_and_a_fit_can_be_stopped(client):
    model = HistGradientBoostingRegressor(max_iter=3, early_stopping=False)
    X, y = chunked(client, 2)
    fitting = model._pose(X, y)
    next(fitting.iterates)
    assert states(client) == 2
    fitting.iterates.close()
    assert states(client) == 0
    fitting = model._pose(X, y)
    next(fitting.iterates)
    assert states(client) == 2
    passes = fitting.iterates.gi_frame.f_locals["passes"]
    passes._rows.tell = lambda function: None
    del passes, fitting
    until_nothing_stays(client)  # chunks of the caller are still there, those of the fit are gone


def until_nothing_stays(client) -> None:
    """Workers let go of all states of fits and of all chunks that were kept for them; who does not hangs here."""
    while states(client) or any(
        str(key).startswith("learnable-") for some in client.has_what().values() for key in some
    ):
        client.run(_collect)
        _collect()
        time.sleep(0.05)


def _collect():
    import gc

    gc.collect()


def test_fits_that_fail_leave_nothing_on_workers(client, monkeypatch):
    model = HistGradientBoostingRegressor(max_iter=3, early_stopping=False)
    X, y = chunked(client)
    X, y = client.persist([X, y])
    fitting = model._pose(X, y)

    def no_more(number, state):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        drive(fitting.iterates, fitting.stop, [no_more])
    assert states(client) == 0, "at once, though the error is remembered"
    late: list = []
    ask = distributed_boosting._Passes.ask

    def failing(self, *steps):
        """A worker is killed, and the pass that makes its rows anew is the last one that is waited for."""
        late[:] = [self, steps]
        if self.number == 6:
            os.kill(max(client.run(lambda: os.getpid() if boosting_places._kept else 0).values()), signal.SIGKILL)
        if self.number == 8:
            raise RuntimeError("no more")
        return ask(self, *steps)

    monkeypatch.setattr(distributed_boosting._Passes, "ask", failing)
    with pytest.raises(RuntimeError, match="no more"):
        model.fit(X, y)
    passes, steps = late
    assert passes._answered(steps, with_past=True).missed, "a pass that comes late makes no states"
    assert states(client) == 0
    del late[:], passes, steps, fitting
    until_nothing_stays(client)


def test_words_are_added_up_without_a_trace_in_answers_that_are_kept():
    """The pass comes again where some have missed it: who has not answers as before."""
    kept = [np.ones(3, dtype=np.int64) for _ in range(3)]
    for missed in range(4):
        told = [(words, 0) for words in kept]
        told.insert(missed, (None, 1))
        _, (words, n_missed) = WorkTogether(None, add, boosting_places.merged, 4).united(*(({}, each) for each in told))
        np.testing.assert_array_equal(words, [3, 3, 3])
        assert n_missed == 1
        np.testing.assert_array_equal(kept, np.ones((3, 3)))


def test_workers_that_die_change_no_bit(client, monkeypatch):
    model = HistGradientBoostingRegressor(max_iter=3, max_leaf_nodes=12, early_stopping=True, random_state=0)
    undisturbed = copy(model).fit(*chunked(client))
    deadly, ask = [("Split", 5), ("Begin", 3)], distributed_boosting._Passes.ask
    seen: Counter[str] = Counter()

    def killing(self, *steps):
        """Before some passes a worker is killed: its chunks are made anew elsewhere."""
        kinds = {type(step).__name__ for step in steps}
        seen.update(kinds)
        if any((kind, seen[kind]) in deadly for kind in kinds):
            holders = client.run(lambda: os.getpid() if boosting_places._kept else 0)
            os.kill(max(holders.values()), signal.SIGKILL)
        return ask(self, *steps)

    monkeypatch.setattr(distributed_boosting._Passes, "ask", killing)
    disturbed = copy(model).fit(*chunked(client))
    assert all(seen[kind] >= number for kind, number in deadly)
    assert_same_bits(undisturbed, disturbed)
    np.testing.assert_array_equal(undisturbed.validation_score_, disturbed.validation_score_)
