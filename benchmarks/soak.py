"""Fits for a while on a cluster whose workers die at random: every answer is held against the first, bit for bit.

The first is that of the cluster before anyone dies.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.cluster import chunked, data

ROWS, WORKERS, CHANCE_OF_DEATH, PATIENCE = 100_000, 3, 0.5, 30.0
# A fit in which no pass over the rows ends for so long hangs: it waits for workers no longer than its patience, a few
# times over. How long a whole fit takes says more about the load of the machine.
HANGS = 4 * PATIENCE
SAME, WRONG, REFUSED = "fits with the same bits", "wrong answers", "fits refused with a sentence"
KILLED, LEFT, LONGEST = "workers killed", "states left on workers", "seconds of the longest fit"
STILL = "longest seconds without a finished pass"
STOOD = "seconds in which the machine ran others"
# How often the watch looks at the clock, in seconds.
BEAT = 0.25


class Told(NamedTuple):
    """What happened: counts, and the seconds of the longest fit."""

    what: str
    count: float


def soak(minutes: float) -> Iterator[Told]:
    """Wrong answers, and TimeoutError and ConnectionError of fits, are counted; any other error is raised.

    On a busy machine, time in which this process was not run at all does not count as a fit's.
    """
    from distributed import Client, LocalCluster

    from learnable import config_context

    fits = _fits()
    counts = dict.fromkeys((SAME, WRONG, REFUSED, KILLED), 0)
    longest, still, chance = 0.0, 0.0, random.Random(0)
    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
        config_context(dask_timeout=PATIENCE),
        _Watch() as watch,
        _passes(watch) as ended,
    ):
        expected = {name: fit() for name, fit in fits.items()}
        end = time.monotonic() + 60 * minutes
        while time.monotonic() < end:
            cluster.scale(WORKERS)  # one that is killed while it starts is not started again by itself
            name = chance.choice(list(fits))
            begun = watch.seconds()
            ended[:] = [begun]
            killer = _Killer(client, chance) if chance.random() < CHANCE_OF_DEATH else None
            try:
                found = fits[name]()
                same = np.array_equal(found, expected[name])
                counts[SAME if same else WRONG] += 1
                if not same:
                    print(_differing(name, found, expected[name]), file=sys.stderr, flush=True)
            except (TimeoutError, ConnectionError):
                counts[REFUSED] += 1
            finally:
                counts[KILLED] += killer.done() if killer else 0
            longest = max(longest, watch.seconds() - begun)
            still = max(still, *np.diff([*ended, watch.seconds()]))
        left = sum(client.run(_states, on_error="ignore").values())  # one may just have been killed
    yield from (Told(what, count) for what, count in counts.items())
    yield Told(LEFT, left)
    yield Told(STOOD, round(watch.stood, 1))
    yield Told(LONGEST, round(longest, 1))
    yield Told(STILL, round(float(still), 1))


def _differing(name: str, found: np.ndarray, expected: np.ndarray) -> str:
    """Which fit gave other bits, and how far off it was.

    >>> _differing("ridge", np.array([1.0, 2.5]), np.array([1.0, 2.0]))
    'ridge: 1 of 2 numbers differ, by 0.5 at most'
    """
    if found.shape != expected.shape:
        return f"{name}: shape {found.shape} instead of {expected.shape}"
    off = np.abs(found.astype(float) - expected.astype(float))
    return f"{name}: {np.count_nonzero(off)} of {off.size} numbers differ, by {off.max():.3g} at most"


@contextmanager
def _passes(watch: "_Watch") -> Iterator[list[float]]:
    """When each pass over rows has ended, while it lasts."""
    from unittest.mock import patch

    from learnable.rows.dask import DaskRows

    ended: list[float] = []
    plain = DaskRows._passed

    def noted(*args: Any) -> Any:
        result = plain(*args)
        ended.append(watch.seconds())
        return result

    with patch.object(DaskRows, "_passed", noted):
        yield ended


def verdict(rows: list[Told]) -> str:
    """What the counts come to.

    >>> verdict([Told(SAME, 20), Told(WRONG, 0), Told(KILLED, 7), Told(LEFT, 0), Told(STILL, 12.5)])
    'held: no wrong answer, nothing left on workers, never 120 s without a finished pass'
    >>> verdict([Told(SAME, 20), Told(WRONG, 1), Told(KILLED, 7), Told(LEFT, 0), Told(STILL, 12.5)])
    'broken: 1 wrong answers, 7 workers killed, 0 states left, 12.5 s without a finished pass'
    """
    found = dict(rows)
    if found[SAME] and not found[WRONG] and not found[LEFT] and found[STILL] <= HANGS:
        return f"held: no wrong answer, nothing left on workers, never {HANGS:g} s without a finished pass"
    return (
        f"broken: {found[WRONG]} wrong answers, {found[KILLED]} workers killed, {found[LEFT]} states left, "
        f"{found[STILL]:g} s without a finished pass"
    )


class _Watch:
    """A clock that stands still while the machine runs others: a thread that sleeps a little is woken late then."""

    def __init__(self) -> None:
        import threading

        self.stood, self._end = 0.0, threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def seconds(self) -> float:
        return time.monotonic() - self.stood

    def __enter__(self) -> "_Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._end.set()
        self._thread.join()

    def _beat(self) -> None:
        last = time.monotonic()
        while not self._end.wait(BEAT):
            now = time.monotonic()
            # A second late is the doing of others; less may be our own threads'.
            self.stood += now - last - BEAT if now - last > BEAT + 1.0 else 0.0
            last = now


class _Killer:
    """Ends one worker's process at a random moment soon."""

    def __init__(self, client: Any, chance: random.Random) -> None:
        import threading

        pids = list(client.run(os.getpid, on_error="ignore").values())
        self._killed = 0
        self._thread = threading.Timer(chance.uniform(0.0, 1.5), self._kill, [chance.choice(pids)] if pids else [None])
        self._thread.start()

    def _kill(self, pid: int | None) -> None:
        with suppress(ProcessLookupError, TypeError):
            os.kill(pid, signal.SIGKILL)  # type: ignore[arg-type]
            self._killed = 1

    def done(self) -> int:
        self._thread.join()
        return self._killed


def _states() -> int:
    """On a worker: the states of boosting that it still has."""
    from learnable.solvers.ensembles import boosting_places

    return len(boosting_places._kept)


def _fits() -> dict[str, Callable[[], np.ndarray]]:
    from learnable.bayes import GaussianNB
    from learnable.ensembles import HistGradientBoostingRegressor
    from learnable.linear import LogisticRegression, PoissonRegressor, Ridge, SGDRegressor
    from learnable.sparse import Lasso
    from learnable.unsupervised import PCA, KMeans

    X, targets = data(ROWS)
    trees = HistGradientBoostingRegressor(max_iter=5, early_stopping=False)
    epochs = SGDRegressor(max_iter=3, tol=None, random_state=0)
    return {
        "ridge": lambda: Ridge().fit(*chunked(X, targets["y"])).coef_,
        "lasso": lambda: Lasso(0.01).fit(*chunked(X, targets["y"])).coef_,
        "logistic": lambda: LogisticRegression().fit(*chunked(X, targets["label"])).coef_,
        "Poisson": lambda: PoissonRegressor().fit(*chunked(X, targets["count"])).coef_,
        "stochastic gradient": lambda: epochs.fit(*chunked(X, targets["y"])).coef_,
        "naive Bayes": lambda: GaussianNB().fit(*chunked(X, targets["label"])).var_,
        "principal axes": lambda: PCA(3).fit(chunked(X, None)[0]).components_,
        "k-means": lambda: KMeans(3, n_init=1, random_state=0).fit(chunked(X, None)[0]).cluster_centers_,
        "boosting": lambda: np.concatenate(_numbers(trees.fit(*chunked(X, targets["y"])).trees_)),
    }


def _numbers(trees: Any) -> list[np.ndarray]:
    return [trees.feature, trees.threshold, trees.value, trees.n_samples]


def soak_table(rows: list[Told]) -> Table:
    table = Table(title=f"Fits on {WORKERS} workers that die at random", title_justify="left")
    table.add_column("what")
    table.add_column("count", justify="right")
    for row in rows:
        table.add_row(row.what, f"{row.count:g}")
    table.caption = verdict(rows)
    return table
