"""A pass by messages: one to each worker that holds chunks, answered with what the worker has made of them; a fold by
messages that take the state from worker to worker.

No task is planned, placed or remembered by the scheduler; that is what makes a pass over chunks in memory quick.
Workers that can be reached from here are asked directly, over connections that stay; else the scheduler passes the
messages on. Where a worker does not answer, whatever the reason, there is no result: tasks do the pass then, bring back
what was lost, and say what is wrong if they cannot.
"""

import asyncio
import pickle
from collections.abc import Callable, Coroutine, Mapping, MutableMapping, Sequence
from contextlib import suppress
from typing import Any
from weakref import ref

from learnable.config import get_config

from .groups import Group, Work, kept_fold, kept_work
from .patience import LOOK_EVERY, heard_of
from .pieces import Chunk, aligned

# Seconds in which a worker takes a connection, if it can be reached at all.
REACH = 2.0
# Seconds in which one that has taken it answers, however busy it is.
ANSWER = 30.0
# So many groups a worker remembers how to put together.
MOST_RECIPES = 256
# What a worker is asked, by name.
PASS, FOLD = "learnable_pass", "learnable_fold"


def reachable(client: Any, workers: Mapping[str, Mapping[str, Group] | None]) -> bool:
    """Whether these workers may be asked directly, and take connections from here.

    Parameters
    ----------
    workers : for each, the groups that it puts together in every pass from what it has, by their names; None for none.
    """
    if client.direct_to_workers is False:
        return False
    try:
        client.sync(_connect, client, workers)
    except (Exception, asyncio.CancelledError):
        return False
    return True


async def _connect(client: Any, workers: Mapping[str, Mapping[str, Group] | None]) -> None:
    """Connections to workers that know from now on what is asked of them: a function that travels takes as long again
    as the rest of a message (`python -m benchmarks cluster`)."""
    import cloudpickle

    lines = await asyncio.gather(*(client.rpc.connect(worker, timeout=REACH) for worker in workers))
    for worker, line in zip(workers, lines):
        client.rpc.reuse(worker, line)
    listen = cloudpickle.dumps(_listen)
    asked = (
        client.rpc(worker).run(function=listen, args=cloudpickle.dumps((pickle.dumps(groups or {}),)))
        for worker, groups in workers.items()
    )
    await asyncio.wait_for(asyncio.gather(*asked), ANSWER)


def _listen(groups: bytes, dask_worker: Any = None) -> None:
    """On a worker: take passes from now on, over these groups too."""
    known = vars(dask_worker).setdefault("_learnable_recipes", {})
    known.update((key, Recipe(group)) for key, group in pickle.loads(groups).items())
    while len(known) > MOST_RECIPES:
        known.pop(next(iter(known)))

    async def answer(keys: list[str], work: bytes) -> bytes | None:
        return await _answer(dask_worker, keys, work)

    async def fold(parts: list, function: bytes, state: bytes) -> bytes | None:
        return await _fold(dask_worker, parts, function, state)

    dask_worker.handlers.update({PASS: answer, FOLD: fold})


class Recipe:
    """On a worker: how the chunks of a group are put together from what it has. It keeps none of it alive."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self._seen: list[ref] = []
        # Of each chunk: where it stands, and which of the tables are its X, y and weights.
        self._parts: list[tuple[tuple, list[int | None]]] = []

    def chunks(self, data: MutableMapping) -> list[Chunk]:
        # Asking a worker's memory for fifty tables takes longer than the rest of a message.
        tables = [seen() for seen in self._seen]
        if tables and all(table is not None for table in tables):
            return [Chunk(*place, *(None if k is None else tables[k] for k in which)) for place, which in self._parts]
        received = [data[name] for name in self.group.outside]
        tables = [aligned(table) for table in received]
        # What came in a message is laid out once for all passes.
        data.update((name, new) for name, new, old in zip(self.group.outside, tables, received) if new is not old)
        chunks = list(self.group.chunks(*tables))
        number = {id(table): k for k, table in enumerate(tables)}
        self._parts = [(chunk[:3], [None if t is None else number[id(t)] for t in chunk[3:]]) for chunk in chunks]
        self._seen = [ref(table) for table in tables]
        return chunks


def answered(client: Any, held: Mapping[str, Sequence[str]], work: Work, directly: bool) -> tuple[bool, Any]:
    """(whether all have answered, the result of all chunks).

    Parameters
    ----------
    client : distributed.Client
    held : keys of groups of chunks, by the worker that holds them; nothing where that is not known.
    directly : whether workers are asked from here, else by the scheduler.
    """
    if not held:
        return False, None
    try:
        answers = written_answers(client, held, work, directly)
    except (Exception, asyncio.CancelledError):
        return False, None
    if len(answers) < len(held) or None in answers:
        return False, None
    return True, work.whole(*map(pickle.loads, answers))


def written_answers(client: Any, held: Mapping[str, Sequence[str]], work: Work, directly: bool) -> list[Any]:
    """What workers have to say, written down; None of one that cannot."""
    asking = _directly if directly else _by_the_scheduler
    return client.sync(_asked, client, held, asking(client, held, work), get_config()["dask_timeout"])


async def _directly(client: Any, held: Mapping[str, Sequence[str]], work: Work) -> list[Any]:
    import cloudpickle

    written = cloudpickle.dumps(work)
    asked = (getattr(client.rpc(worker), PASS)(keys=list(keys), work=written) for worker, keys in held.items())
    return await asyncio.gather(*asked)


async def _by_the_scheduler(client: Any, held: Mapping[str, Sequence[str]], work: Work) -> list[Any]:
    import cloudpickle

    replies = await client._run(_own_answer, dict(held), cloudpickle.dumps(work), workers=list(held), on_error="ignore")
    return list(replies.values())


def folded(
    client: Any, stages: Sequence[tuple[str, Sequence[tuple[str, Sequence[int]]]]], function: Callable, state: Any
) -> tuple[bool, Any]:
    """(whether all have answered, the state after the last chunk) of workers that are asked directly, one after the
    other.

    Parameters
    ----------
    stages : for each message, the worker, and of its groups, by their keys, the chunks that it goes through.
    function, state : as for `Rows.fold`.
    """
    try:
        asking = _from_worker_to_worker(client, stages, function, state)
        held: dict[str, list[str]] = {worker: [] for worker, _ in stages}
        (last,) = client.sync(_asked, client, held, asking, get_config()["dask_timeout"])
    except (Exception, asyncio.CancelledError):
        return False, None
    return (False, None) if last is None else (True, pickle.loads(last))


async def _from_worker_to_worker(client: Any, stages: Sequence, function: Callable, state: Any) -> list[bytes | None]:
    import cloudpickle

    written, at = cloudpickle.dumps(function), cloudpickle.dumps(state)
    for worker, parts in stages:
        at = await getattr(client.rpc(worker), FOLD)(parts=parts, function=written, state=at)
        if at is None:
            break
    return [at]


async def _asked(client: Any, held: Mapping[str, Sequence[str]], asking: Coroutine, patience: float) -> list[Any]:
    """The answers of workers, as long as the scheduler hears of all of them."""
    asked = asyncio.ensure_future(asking)
    try:
        while not (await asyncio.wait([asked], timeout=LOOK_EVERY))[0]:
            if not held.keys() <= set(await heard_of(client, patience)):
                return []
        return asked.result()
    finally:
        if asked.cancel():
            with suppress(Exception, asyncio.CancelledError):
                await asked


async def _own_answer(held: Mapping[str, Sequence[str]], work: bytes, dask_worker: Any = None) -> bytes | None:
    return await _answer(dask_worker, list(held[dask_worker.address]), work)


async def _answer(dask_worker: Any, keys: list[str], work: bytes) -> bytes | None:
    """On a worker: what it makes of its groups, each on one of the threads on which its tasks run; None if it cannot.

    Written by pickle as a whole: the parts of a message are costly, and results may have many.
    """
    import cloudpickle

    threads, loop = dask_worker.executors["default"], asyncio.get_running_loop()
    try:
        asked = pickle.loads(work)
        groups = [_chunks(dask_worker, key) for key in keys]
        parts = await asyncio.gather(*(loop.run_in_executor(threads, kept_work, asked, group) for group in groups))
        return cloudpickle.dumps(asked.united(*parts))
    except Exception:  # tasks will meet it again, and say where
        return None


async def _fold(dask_worker: Any, parts: list, function: bytes, state: bytes) -> bytes | None:
    """On a worker: the state after these chunks of its groups, found by one of its threads; None if it cannot."""
    import cloudpickle

    def through() -> bytes:
        step, at = pickle.loads(function), pickle.loads(state)
        for key, some in parts:
            at = kept_fold(step, some, at, _chunks(dask_worker, key))
        return cloudpickle.dumps(at)

    try:
        return await asyncio.get_running_loop().run_in_executor(dask_worker.executors["default"], through)
    except Exception:  # tasks will meet it again, and say where
        return None


def _chunks(dask_worker: Any, key: str) -> list[Chunk]:
    """On a worker: the chunks of one of its groups."""
    recipes = vars(dask_worker).get("_learnable_recipes", {})
    return recipes[key].chunks(dask_worker.data) if key in recipes else dask_worker.data[key]


def tell(client: Any, function: Callable[[], Any]) -> None:
    """Have every worker call `function`; who cannot be reached is left out."""
    with suppress(Exception, asyncio.CancelledError):
        client.run(function, on_error="ignore")
