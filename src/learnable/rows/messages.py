"""A pass by messages: one to each worker that holds chunks, answered with what the worker has made of them.

No task is planned, placed or remembered by the scheduler, which passes the messages on; that is what makes a pass over
chunks in memory quick. Where a worker does not answer, whatever the reason, there is no result: tasks do
the pass then, bring back what was lost, and say what is wrong if they cannot.
"""

import asyncio
import pickle
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .groups import Work


def answered(client: Any, held: Mapping[str, Sequence[str]], work: Work) -> tuple[bool, Any]:
    """(whether all have answered, the result of all chunks).

    Parameters
    ----------
    client : distributed.Client
    held : keys of groups of chunks, by the worker that holds them; nothing where that is not known.
    """
    if not held:
        return False, None
    try:
        answers = client.run(_answer, dict(held), work, workers=list(held), on_error="ignore")
    except (Exception, asyncio.CancelledError):
        return False, None
    if len(answers) < len(held) or None in answers.values():
        return False, None
    return True, work.whole(*map(pickle.loads, answers.values()))


async def _answer(held: Mapping[str, Sequence[str]], work: Work, dask_worker: Any = None) -> bytes | None:
    """On a worker: what it makes of its groups, each on one of the threads on which its tasks run; None if it cannot.

    Written by pickle as a whole: the parts of a message are costly, and results may have many.
    """
    import cloudpickle

    threads, loop = dask_worker.executors["default"], asyncio.get_running_loop()
    try:
        groups = [dask_worker.data[key] for key in held[dask_worker.address]]
        parts = await asyncio.gather(*(loop.run_in_executor(threads, work.on, group) for group in groups))
        return cloudpickle.dumps(work.united(*parts))
    except Exception:  # tasks will meet it again, and say where
        return None


def tell(client: Any, function: Callable[[], Any]) -> None:
    """Have every worker call `function`; who cannot be reached is left out."""
    with suppress(Exception, asyncio.CancelledError):
        client.run(function, on_error="ignore")
