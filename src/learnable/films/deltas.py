"""Frames as differences: what one frame changes in the one before, as plain data.

A patch is a list whose first entry says what follows:

    [0, value]                       the new value itself
    [1, {key: patch}, [key, ...]]    a mapping: entries that change, then keys that are gone
    [2, [i, ...], [value, ...]]      a list of equal length: plain entries that change
    [3, {i: patch}, [value, ...]]    a list: entries that change, then what is appended

`frames.js` applies the same patches in the page.
"""

import json
from typing import Any

Patch = list[Any]


def difference(before: Any, after: Any) -> Patch | None:
    """The patch that turns `before` into `after`; None where they are equal.

    >>> difference({"a": [0] * 9, "b": "as before"}, {"a": [0] * 8 + [4], "b": "as before"})
    [1, {'a': [2, [8], [4]]}, []]
    >>> difference([1, 2], [1, 2]) is None
    True
    """
    if type(before) is type(after) and before == after:
        return None
    whole: Patch = [0, after]
    if isinstance(before, dict) and isinstance(after, dict):
        patch = _of_mappings(before, after)
    elif isinstance(before, list) and isinstance(after, list) and 0 < len(before) <= len(after):
        patch = _of_lists(before, after)
    else:
        return whole
    return patch if _size(patch) < _size(whole) else whole


def applied(patch: Patch | None, before: Any) -> Any:
    """What `before` becomes; nothing that was there is modified.

    >>> applied([3, {"0": [0, 9]}, [7]], [1, 2])
    [9, 2, 7]
    """
    if patch is None:
        return before
    kind, what, *rest = patch
    if kind == 0:
        return what
    if kind == 1:
        kept = {key: value for key, value in before.items() if key not in rest[0]}
        return kept | {key: applied(each, before.get(key)) for key, each in what.items()}
    if kind == 2:
        changes = dict(zip(what, rest[0]))
        return [changes.get(i, value) for i, value in enumerate(before)]
    return [applied(what.get(str(i)), value) for i, value in enumerate(before)] + rest[0]


def as_deltas(frames: list[Any]) -> list[Patch | None]:
    """The patches from nothing to the first frame, and from each frame to the next."""
    return [difference(before, after) for before, after in zip([None, *frames], frames)]


def from_deltas(patches: list[Patch | None]) -> list[Any]:
    """The frames again.

    >>> frames = [{"x": [1, 2]}, {"x": [1, 3], "y": 1}, {"x": [1, 3, 5]}]
    >>> from_deltas(as_deltas(frames)) == frames
    True
    """
    frames: list[Any] = []
    for patch in patches:
        frames.append(applied(patch, frames[-1] if frames else None))
    return frames


def _of_mappings(before: dict, after: dict) -> Patch:
    changes = {key: difference(before.get(key), value) for key, value in after.items()}
    new = {key: [0, after[key]] for key in after if key not in before}
    changed = {key: patch for key, patch in changes.items() if patch is not None} | new
    return [1, changed, [key for key in before if key not in after]]


def _of_lists(before: list, after: list) -> Patch:
    if len(before) == len(after) and not any(isinstance(value, list | dict) for value in after):
        places = [i for i, (old, new) in enumerate(zip(before, after)) if type(old) is not type(new) or old != new]
        return [2, places, [after[i] for i in places]]
    changes = {str(i): difference(old, new) for i, (old, new) in enumerate(zip(before, after))}
    return [3, {i: patch for i, patch in changes.items() if patch is not None}, after[len(before) :]]


def _size(patch: Patch) -> int:
    return len(json.dumps(patch, separators=(",", ":")))
