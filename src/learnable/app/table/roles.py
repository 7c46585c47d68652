"""Columns that keep the books of a table instead of describing its rows: counters and earlier splits."""

import re

import numpy as np

from learnable.datasets import Column, Kind

SPLIT_NAMES = frozenset(
    {"train", "test", "split", "fold", "set", "subset", "partition", "sample", "is_train", "istrain"}
)
SPLIT_WORDS = frozenset(
    {"train", "training", "test", "testing", "valid", "validation", "val", "dev", "holdout", "t", "f", "true", "false"}
)
NUMBERING_NAMES = frozenset(
    {"unnamed0", "index", "id", "row", "rowname", "rownames", "rowid", "rownumber", "obs", "caseid", "recordid"}
)
# Fewer rows cannot tell an identifier from a category.
FEWEST_ROWS = 20
CODE = re.compile(r"(?P<stem>[^\W\d]*)[\W_]*\d+")
FEWEST_CODES = 20
"""Levels from which on numbered words ("P017") name patients rather than stages."""


def bookkeeping(column: Column) -> str | None:
    """Why a column says nothing about its row, or None.

    >>> bookkeeping(Column("nr", Kind.NUMBER, np.arange(30.0) + 1001))
    'it counts the rows'
    >>> bookkeeping(Column("train", Kind.BOOLEAN, np.array(["T", "F"] * 20, dtype=object), ("F", "T")))
    'it says how the rows were split before'
    """
    if counts_up(column):
        return "it counts the rows"
    if numbers_rows(column):
        return "it numbers the rows"
    if splits(column):
        return "it says how the rows were split before"
    return None


def counts_up(column: Column) -> bool:
    """Whole numbers that rise by one from row to row."""
    if column.kind is not Kind.NUMBER or len(column.values) < FEWEST_ROWS or column.n_missing:
        return False
    return bool((np.diff(column.values) == 1).all())


def numbers_rows(column: Column) -> bool:
    """A name that row numbers go by, and whole numbers that rise: rows drawn from a table that were counted there.

    >>> drawn = np.arange(60.0)[::2]
    >>> numbers_rows(Column("row_names", Kind.NUMBER, drawn)), numbers_rows(Column("size", Kind.NUMBER, drawn))
    (True, False)
    """
    name = re.sub(r"[\W_]", "", column.name.casefold())
    if name not in NUMBERING_NAMES or column.kind is not Kind.NUMBER or len(column.values) < FEWEST_ROWS:
        return False
    return bool((np.diff(column.values) > 0).all() and np.array_equal(column.values, np.round(column.values)))


def splits(column: Column) -> bool:
    """A name that splits go by, and values that splits have."""
    name = column.name.strip().casefold()
    if name not in SPLIT_NAMES or column.n_distinct > 10:
        return False
    present = column.values[~column.missing].tolist()
    if column.kind is Kind.NUMBER:
        whole = {value for value in present if value == int(value)} == set(present)
        return whole and (set(present) <= {0.0, 1.0} or name == "fold")
    return {str(value).casefold() for value in present} <= SPLIT_WORDS


def names_things(column: Column) -> bool:
    """Whether its values name what a row is about: a person, a shop, an order.

    Categories do so when they are many and numbered alike, whole numbers under a name that ends with "id".

    >>> values = np.array([f"P{k:03d}" for k in range(30)] * 2, dtype=object)
    >>> names_things(Column("patient", Kind.CATEGORY, values, tuple(sorted(set(values)))))
    True
    >>> names_things(Column("customer_id", Kind.NUMBER, np.arange(60.0) // 2)), names_things(
    ...     Column("paid", Kind.NUMBER, np.arange(60.0) // 2)
    ... )
    (True, False)
    """
    if column.kind is Kind.IDENTIFIER:
        return True
    if column.kind is Kind.CATEGORY:
        found = [CODE.fullmatch(level.strip()) for level in column.levels]
        stems = {one["stem"].casefold() for one in found if one}
        return len(found) >= FEWEST_CODES and all(found) and len(stems) == 1
    if column.kind is Kind.NUMBER:
        whole = column.values[~column.missing]
        named = re.search(r"(^|[\W_])[iI][dD]$|[a-z]I[dD]$", column.name.strip())
        return bool(named and len(whole) and (whole == np.round(whole)).all())
    return False
