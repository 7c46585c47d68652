"""Which columns may meet in a tree."""

from typing import Any


def interaction_groups(given: Any, p: int) -> list[frozenset[int]] | None:
    """Sets of columns that may meet in a tree; columns that are in none form a further set."""
    if given is None:
        return None
    if isinstance(given, str):
        columns = range(p)
        if given == "no_interactions":
            return [frozenset({j}) for j in columns]
        return [frozenset({i, j}) for i in columns for j in columns if i <= j]
    groups = [frozenset(int(j) for j in group) for group in given]
    rest = frozenset(range(p)).difference(*groups)
    return [*groups, rest] if rest else groups
