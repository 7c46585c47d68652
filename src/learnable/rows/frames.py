"""The cells of a dask data frame as a dask array of numbers: each partition by the names of its columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def numbers_of(frame: Any, what: str = "X") -> Any:
    """A dask array with the columns of `frame` in their order; the lengths of its partitions are found by a pass.

    Columns of any kind of numbers are taken, missing ones of nullable kinds as NaN. A partition with its columns in
    another order is put in this one, as pandas does where it joins partitions; one with other columns is refused when
    it is read.

    Examples
    --------
    >>> import dask.dataframe, pandas
    >>> frame = pandas.DataFrame({"a": [True, False], "b": pandas.array([1, None], dtype="Int64")})
    >>> numbers_of(dask.dataframe.from_pandas(frame, npartitions=2)).compute()
    array([[ 1.,  1.],
           [ 0., nan]])
    """
    names = list(frame.columns)
    _check_names(names, what)
    kinds = [_kind(dtype, name, what) for name, dtype in zip(names, frame.dtypes.tolist())]
    dtype = np.result_type(*kinds) if kinds else np.dtype(float)
    meta = frame._meta.iloc[:0].astype(dtype)
    lengths = tuple(frame.map_partitions(len).compute())
    return frame.map_partitions(_numbers, names, dtype, what, meta=meta).to_dask_array(lengths=lengths)


def in_order(part: Any, names: Sequence[Any], what: str = "X") -> Any:
    """A partition with its columns as `names` has them; ValueError where it has others.

    >>> import pandas
    >>> in_order(pandas.DataFrame({"b": [1], "a": [2]}), ["a", "c"])
    Traceback (most recent call last):
        ...
    ValueError: a partition of X has the columns ['b', 'a'] where its data frame promises ['a', 'c']: mend the source
    """
    found = list(part.columns)
    if found == list(names):
        return part
    if len(found) != len(names) or set(found) != set(names):
        raise ValueError(
            f"a partition of {what} has the columns {found} where its data frame promises {list(names)}: mend the "
            "source"
        )
    return part[list(names)]


def _check_names(names: Sequence[Any], what: str) -> None:
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise ValueError(f"two columns of {what} are called {twice!r}; give each its own name")
    kinds = sorted({type(name).__name__ for name in names})
    if len(kinds) > 1 and "str" in kinds:
        raise TypeError(
            f"Feature names are only supported if all input features have string names, but {what} has {kinds} as "
            "column names: convert them with `X.columns = X.columns.astype(str)`"
        )


def _kind(dtype: Any, name: Any, what: str) -> np.dtype:
    """The type of NumPy that holds a column."""
    if getattr(dtype, "kind", "O") not in "buif":
        raise TypeError(f"{what}: column {name!r} has type {dtype}: numbers are needed; encode it, or leave it out")
    return dtype if isinstance(dtype, np.dtype) else np.dtype(float)


def _numbers(part: Any, names: Sequence[Any], dtype: np.dtype, what: str) -> Any:
    return in_order(part, names, what).astype(dtype)
