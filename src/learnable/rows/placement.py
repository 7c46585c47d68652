"""Which chunks of a table go together, and where they are."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from .groups import Group, consecutive
from .pieces import Piece, lives


def holders(client: Any, futures: Sequence[Any]) -> dict[str, list[str]]:
    """Which worker holds which of these, by key; nothing where one of them is nowhere."""
    held: dict[str, list[str]] = {}
    for key, worker in _homes(client, futures).items():
        held.setdefault(worker, []).append(key)
    return held if sum(map(len, held.values())) == len(futures) else {}


def in_place(groups: Sequence[Group], homes: Mapping[str, str]) -> dict[str, dict[str, Group]]:
    """Groups whose chunks are put together from what one worker has, by that worker and a name; nothing where one of
    them is not of this kind.

    Parameters
    ----------
    homes : as `homes_of` gives them.
    """
    if not all(piece.in_place for group in groups for piece in group.pieces):
        return {}
    found: dict[str, dict[str, Group]] = {}
    token = uuid4().hex
    for g, group in enumerate(groups):
        where = {homes.get(key) for key in group.outside}
        if len(where) != 1 or None in where:
            return {}
        found.setdefault(str(where.pop()), {})[f"learnable-recipe-{token}-{g}"] = group
    return found


def grouped(client: Any, pieces: Sequence[Piece], homes: Mapping[str, str], a_thread: int, longest: int) -> list[Group]:
    """Chunks whose source is in a worker's memory together with others there, the rest with their neighbours.

    Parameters
    ----------
    client : distributed.Client
    pieces : of all chunks.
    homes : as `homes_of` gives them.
    a_thread : so many groups for each thread of the cluster.
    longest : so many chunks in a group at most.
    """
    threads = client.nthreads()
    together: dict[str | None, list[Piece]] = {}
    for piece in pieces:
        home = next((homes[key] for key in piece.outside if key in homes), None)
        together.setdefault(home, []).append(piece)
    groups = []
    for worker, some in together.items():
        hands = threads.get(worker, 1) if worker else sum(threads.values())
        groups += consecutive(some, min(len(some), max(hands * a_thread, -(-len(some) // longest), 1)))
    return groups


def homes_of(client: Any, shared: Mapping) -> dict[str, str]:
    """One of the workers that hold each of the results that pieces need, by key; `shared` as `pieces` gives it."""
    return _homes(client, [value for value in shared.values() if lives(value)])


def _homes(client: Any, futures: Sequence[Any]) -> dict[str, str]:
    """One of the workers that hold each of these, by key."""
    if not futures:
        return {}
    try:
        where = client.who_has(list(futures))
    except OSError:
        return {}
    return {key: workers[0] for key, workers in where.items() if workers}
