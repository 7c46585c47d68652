"""Reading a table of scores: columns are learners, rows are folds or data sets."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def read_scores(
    caller: str, table: Any, names: Sequence[str] | None = None
) -> tuple[tuple[str, ...], NDArray[np.float64], tuple[str, ...] | None]:
    """Learner names, the scores as a matrix, and row names where the table carries them.

    Parameters
    ----------
    caller : for the error messages.
    table : mapping name -> scores, data frame (a first column of text names the rows) or matrix with `names`.
    names : of the columns of a matrix; default "learner 1", "learner 2", ...

    >>> read_scores("demo", {"tree": [0.8, 0.9], "stump": [0.7, 0.6]})[0]
    ('tree', 'stump')
    """
    if isinstance(table, Mapping):
        found = checked_names(caller, table)
        columns = [np.asarray(column) for column in table.values()]
        rows = None
    elif hasattr(table, "columns"):
        found, columns, rows = _from_frame(caller, table)
    else:
        matrix = np.asarray(table)
        if matrix.ndim != 2:
            raise ValueError(
                f"{caller}: the table has shape {matrix.shape}; give rows × learners, or a mapping by name"
            )
        given = [f"learner {j + 1}" for j in range(matrix.shape[1])] if names is None else names
        found = checked_names(caller, given)
        if len(found) != matrix.shape[1]:
            raise ValueError(f"{caller}: {len(found)} names for {matrix.shape[1]} columns; give one name per column")
        columns, rows = list(matrix.T), None
    if not columns:
        raise ValueError(f"{caller}: the table has no learners; give at least one column of scores")
    return found, _stacked(caller, found, columns), rows


def checked_names(caller: str, names: Iterable[Any]) -> tuple[str, ...]:
    """Non-empty texts, all different once blanks around them are dropped."""
    given = list(names)
    for name in given:
        if not isinstance(name, str):
            raise TypeError(f"{caller}: the learner name {name!r} is not a text; use str names")
    clean = [name.strip() for name in given]
    for position, name in enumerate(clean):
        if not name:
            raise ValueError(f"{caller}: learner {position} has an empty name; give it one")
        if name in clean[:position]:
            raise ValueError(f"{caller}: two learners are called {name!r}; names must differ, so rename one")
    return tuple(clean)


def _from_frame(caller: str, table: Any) -> tuple[tuple[str, ...], list[NDArray], tuple[str, ...] | None]:
    import narwhals as nw

    checked_names(caller, getattr(table, "column_names", None) or list(table.columns))
    frame = nw.from_native(table, eager_only=True)
    rows = None
    if frame.columns and not frame[frame.columns[0]].dtype.is_numeric():
        rows = tuple(str(value) for value in frame[frame.columns[0]].to_list())
        frame = frame.drop(frame.columns[0])
    found = checked_names(caller, frame.columns)
    for name in frame.columns:
        if not frame[name].dtype.is_numeric():
            raise TypeError(f"{caller}: column {name!r} holds {frame[name].dtype}, not scores; drop or convert it")
    return found, [frame[name].to_numpy() for name in frame.columns], rows


def _stacked(caller: str, names: tuple[str, ...], columns: list[NDArray]) -> NDArray[np.float64]:
    for name, column in zip(names, columns):
        if column.ndim != 1:
            raise ValueError(f"{caller}: the scores of {name!r} have shape {column.shape}; give one number per row")
        if len(column) != len(columns[0]):
            raise ValueError(
                f"{caller}: {names[0]!r} has {len(columns[0])} scores and {name!r} {len(column)}; "
                "every learner needs a score in every row"
            )
    try:
        return np.column_stack(columns).astype(float)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{caller}: the scores must be numbers") from error
