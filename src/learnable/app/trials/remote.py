"""The fits of the panel on a Dask cluster: folds travel once, settings many times, results come back in order."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from learnable.app.errors import TimeUp, UserError
from learnable.app.trials.workers import Deadline, run_tasks

SECONDS_TO_CONNECT = 10
_active: "Remote | None" = None


class Remote:
    """A cluster that runs `partial(function, ...)`; arguments of the kind `Fold` are sent to it once."""

    def __init__(self, client: Any):
        self.client = client
        self._sent: dict[int, tuple[Any, Any]] = {}  # the fold itself is kept, lest another one get its id

    def run(self, tasks: Sequence[Any], deadline: Deadline, finished: Callable[[], None]) -> list[Any]:
        """The results in the order of the tasks; TimeUp when the deadline comes first."""
        from learnable.rows.patience import as_finished

        if deadline.expired:
            raise TimeUp
        futures = [self.client.submit(_alone, task.func, *map(self._there, task.args), pure=False) for task in tasks]
        left = len(futures)
        try:
            for more in as_finished(self.client, futures):
                left -= more
                for _ in range(more):
                    finished()
                if left and deadline.expired:
                    raise TimeUp
        except (TimeoutError, ConnectionError) as error:
            raise UserError(f"--dask: {error}") from None
        try:
            return self.client.gather(futures)
        finally:
            self.client.cancel(futures, force=True)

    def _there(self, value: Any) -> Any:
        from learnable.app.trials.tuning import Fold

        if not isinstance(value, Fold):
            return value
        if id(value) not in self._sent:
            name = f"fold-{uuid4().hex}"
            self._sent[id(value)] = value, self.client.scatter({name: value})[name]
        return self._sent[id(value)][1]


def _alone(function: Callable[..., Any], *arguments: Any) -> Any:
    """One BLAS thread, as on this machine, so that sums keep their order."""
    import scipy.linalg  # noqa: F401  (only a BLAS that is there already can be held)
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return function(*arguments)


@contextmanager
def cluster_at(address: str | None) -> Iterator[None]:
    """Within it `run_anywhere` goes to the cluster whose scheduler has this address; None for this machine."""
    global _active
    if address is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise UserError("--dask needs dask and distributed: pip install 'learnable[dask]'") from error
    try:
        client = Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UserError(f"--dask {address}: no scheduler answers there; give one such as tcp://host:8786") from error
    try:
        if not client.scheduler_info()["workers"]:
            raise UserError(f"--dask {address}: the cluster has no workers; start one with `dask worker {address}`")
        _active = Remote(client)
        yield
    finally:
        _active = None
        client.close()


def at_once(jobs: int) -> int:
    """How many tasks run at the same time, here or on the cluster."""
    return jobs if _active is None else max(sum(_active.client.nthreads().values()), 1)


def run_anywhere(
    tasks: Sequence[Any], jobs: int, deadline: Deadline, finished: Callable[[], None] = lambda: None
) -> list[Any]:
    """`run_tasks` for tasks that can travel: `partial(function, ...)` of what can be pickled."""
    if _active is None:
        return run_tasks(tasks, jobs, deadline, finished)
    return _active.run(tasks, deadline, finished)
