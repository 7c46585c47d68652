"""Groups of columns as a user gives them, checked and put in order."""

from collections.abc import Iterable
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np


class Groups(NamedTuple):
    """Columns in the order of their groups.

    Attributes
    ----------
    order : (p,) the columns, group by group.
    starts : (m + 1,) where each group begins in `order`, and the end.
    weight : (m,) of each group.
    """

    order: np.ndarray
    starts: np.ndarray
    weight: np.ndarray

    def restored(self, coef: np.ndarray) -> np.ndarray:
        """Coefficients in the order of the columns, from those in the order of the groups."""
        found = np.empty_like(coef)
        found[self.order] = coef
        return found


def ordered_groups(groups: Any, weight: Any, n_columns: int, name: str) -> Groups:
    """Check that the groups cover every column exactly once.

    Parameters
    ----------
    groups : None for each column on its own, a number for so many neighbours each, or lists of column numbers.
    weight : (m,) > 0, or None for the square roots of the sizes.

    >>> ordered_groups([[0, 2], [1]], None, 3, "GroupLasso").order
    array([0, 2, 1])
    >>> ordered_groups([[0, 2]], None, 3, "GroupLasso")
    Traceback (most recent call last):
        ...
    ValueError: GroupLasso: column 1 is in no group; put it in a group of its own
    """
    members = _members(groups, n_columns, name)
    order = np.concatenate(members)
    times = np.bincount(order, minlength=n_columns)
    if np.any(times == 0):
        raise ValueError(f"{name}: column {int(np.argmin(times))} is in no group; put it in a group of its own")
    if np.any(times > 1):
        raise ValueError(
            f"{name}: column {int(np.argmax(times))} is named {times.max()} times; groups must not overlap"
        )
    sizes = np.array([len(group) for group in members])
    weights = np.sqrt(sizes) if weight is None else np.asarray(weight, dtype=float)
    if weights.shape != sizes.shape:
        raise ValueError(
            f"{name}: group_weight has shape {weights.shape}; give one weight for each of the {len(sizes)} groups"
        )
    wrong = ~((weights > 0.0) & np.isfinite(weights))
    if wrong.any():
        g = int(np.argmax(wrong))
        raise ValueError(f"{name}: group_weight[{g}] is {weights[g]}; a weight must be a finite number > 0")
    return Groups(order, np.concatenate([[0], np.cumsum(sizes)]), weights)


def _members(groups: Any, n_columns: int, name: str) -> list[np.ndarray]:
    if groups is None:
        return list(np.arange(n_columns)[:, None])
    if isinstance(groups, Integral):
        if groups < 1 or n_columns % int(groups):
            raise ValueError(
                f"{name}(groups={groups}): {n_columns} columns do not fall into groups of {groups}; list them"
            )
        return list(np.arange(n_columns).reshape(-1, int(groups)))
    if not isinstance(groups, Iterable) or isinstance(groups, str):
        raise TypeError(f"{name}: groups is {groups!r}; give lists of column numbers, or one number for their size")
    members = []
    for g, group in enumerate(groups):
        columns = np.atleast_1d(np.asarray(group))
        if columns.size == 0:
            raise ValueError(f"{name}: group {g} is empty; leave it out")
        if columns.ndim != 1 or columns.dtype.kind not in "iu":
            raise TypeError(f"{name}: group {g} is {group!r}; a group is a list of column numbers")
        outside = (columns < 0) | (columns >= n_columns)
        if outside.any():
            raise ValueError(
                f"{name}: group {g} names column {columns[np.argmax(outside)]}; X has the columns 0 to {n_columns - 1}"
            )
        members.append(columns.astype(np.int64))
    if not members:
        raise ValueError(f"{name}: groups is empty; list the columns of each group")
    return members
