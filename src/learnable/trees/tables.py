"""Tables with categories and missing cells, as the trees compare them: numbers and codes."""

from itertools import repeat
from typing import Any

import numpy as np

from learnable.plain import plain
from learnable.rows.memory import check_table_fits


def dense(X: Any) -> Any:
    """A sparse table as a dense one: trees compare every cell. Other tables as they are."""
    if not hasattr(X, "toarray"):
        return X
    n_rows, n_columns = X.shape
    check_table_fits(n_rows, n_columns, "a sparse table made dense")
    return X.toarray()


def categorical_mask(categorical_features: Any, X: Any, names: Any, p: int, owner: str) -> np.ndarray:
    """Which columns hold categories.

    Parameters
    ----------
    categorical_features : None, "from_dtype", a mask, column numbers or column names.
    X : the table as given, whose column types "from_dtype" reads.
    names : column names or None.
    """
    mask = np.zeros(p, dtype=bool)
    if categorical_features is None:
        return mask
    if isinstance(categorical_features, str):
        if categorical_features != "from_dtype":
            raise ValueError(
                f"{owner}(categorical_features={categorical_features!r}): give 'from_dtype', a mask, column numbers or "
                "names, or None"
            )
        return mask | np.array(_typed_as_categories(X, p))
    given = np.asarray(categorical_features)
    if given.dtype.kind == "b":
        if given.shape != (p,):
            raise ValueError(
                f"{owner}: categorical_features set as a boolean mask must have shape (n_features,) = ({p},), got "
                f"{given.shape}"
            )
        return given.copy()
    if not all(isinstance(feature, str | int) for feature in given.ravel().tolist()):
        kinds = sorted({type(feature).__name__ for feature in given.ravel().tolist()})
        found = ", ".join(kinds) if given.dtype.hasobject else given.dtype.name
        raise ValueError(
            f"{owner}: categorical_features must be an array-like of bool, int or str, got: {found}. Give a mask, "
            "column numbers or column names"
        )
    for feature in given.ravel().tolist():
        if isinstance(feature, str) and names is None:
            raise ValueError(
                f"{owner}: categorical_features should be passed as an array of integers or as a boolean mask when the "
                f"model is fitted on data without feature names. It names {feature!r}"
            )
        if isinstance(feature, str) and feature not in list(names):
            raise ValueError(
                f"{owner}: categorical_features has an item value {feature!r} which is not a valid feature name of the "
                "training data. Give names of columns of X"
            )
        if isinstance(feature, int) and not 0 <= feature < p:
            raise ValueError(
                f"{owner}: categorical_features set as integer indices must be in [0, n_features - 1] = [0, {p - 1}], "
                f"got {feature}"
            )
        mask[list(names).index(feature) if isinstance(feature, str) else feature] = True
    return mask


def _typed_as_categories(X: Any, p: int) -> list[bool]:
    dtypes = getattr(X, "dtypes", None)
    if dtypes is None or getattr(X, "ndim", 2) != 2:
        return [False] * p
    return [str(dtype).startswith(("category", "Categorical", "Enum")) for dtype in list(dtypes)]


def learn_categories(table: Any, mask: np.ndarray) -> list[np.ndarray | None]:
    """The sorted categories of each categorical column, None for columns of numbers; of an array or a data frame."""
    return [_distinct(column) if mask[j] else None for j, column in enumerate(columns_of(table))]


def columns_of(table: Any) -> list[Any]:
    """The columns of an array, or of a pandas frame as they are typed: there numbers are no objects among words."""
    return [table.iloc[:, j] for j in range(table.shape[1])] if hasattr(table, "iloc") else list(table.T)


def _codes(column: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Categories and the code of each cell, below 0 for missing ones, of a pandas column that has them."""
    typed = getattr(column, "cat", None)
    return None if typed is None else (_cells(typed.categories), np.asarray(typed.codes))


def _cells(column: Any) -> np.ndarray:
    """Numbers as such, all else as the objects they are: dates of pandas are no numbers."""
    found = np.asarray(column)
    return found if found.dtype.kind in "fiu" else np.asarray(column, dtype=object)


def _distinct(column: Any) -> np.ndarray:
    if (coded := _codes(column)) is not None:
        column = coded[0][np.unique(coded[1][coded[1] >= 0])]
    column = _cells(column)
    cells = {cell for cell in set(column.tolist()) if not _missing(cell)}
    try:
        return np.array(sorted(cells), dtype=column.dtype if column.dtype != object or not cells else None)
    except TypeError:
        return np.array(sorted(cells, key=lambda cell: (str(type(cell)), str(cell))), dtype=object)


def _missing(cell: Any) -> bool:
    return cell is None or cell != cell or type(cell).__name__ == "NAType"


def encoded(
    table: Any, categories: list[np.ndarray | None], owner: str, *, infinite_numbers: bool = False
) -> np.ndarray:
    """Numbers as they are, categories as codes; cells that are missing or of unknown categories become NaN.

    infinite_numbers : whether numbers may be infinite; no category is, then.
    """
    if all(values is None for values in categories):
        return np.ascontiguousarray(table, dtype=np.float64)
    cells = np.empty(table.shape)
    for j, (values, column) in enumerate(zip(categories, columns_of(table))):
        if values is None:
            cells[:, j] = _numbers(np.asarray(column), j, owner)
            if not infinite_numbers and np.isinf(cells[:, j]).any():
                raise ValueError(f"{owner}: Input X contains infinity in column {j}")
            continue
        if infinite_numbers:
            _refuse_infinite_category(column, j, owner)
        if (coded := _codes(column)) is not None:
            cells[:, j] = np.append(_places(coded[0], values), np.nan)[coded[1]]
        else:
            cells[:, j] = _places(_cells(column), values)
    return cells


def _refuse_infinite_category(column: Any, j: int, owner: str) -> None:
    coded = _codes(column)
    values = _cells(column) if coded is None else coded[0]
    if values.dtype.kind == "f":
        infinite = np.isinf(values)
    else:
        infinite = np.array(
            [isinstance(value, float) and abs(value) == np.inf for value in values.tolist()], dtype=bool
        )
    if coded is not None:
        infinite = np.append(infinite, False)[coded[1]]
    if infinite.any():
        raise ValueError(
            f"{owner}: Input X contains infinity in column {j}, row {np.argmax(infinite)}, which holds categories: "
            "none is infinite; drop or impute it first"
        )


def _places(column: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Where each cell stands among the categories, NaN where it does not."""
    if column.dtype.kind in "fiu" and len(values):
        with np.errstate(invalid="ignore"):
            place = np.minimum(np.searchsorted(values, column), len(values) - 1)
        return np.where(values[place] == column, place, np.nan)
    places = {value: k for k, value in enumerate(values.tolist())}
    # A missing cell is in no place either.
    return np.array(list(map(places.get, column.tolist(), repeat(np.nan))), dtype=float)


def _numbers(column: np.ndarray, j: int, owner: str) -> np.ndarray:
    if column.dtype.kind == "c":
        raise ValueError(
            f"{owner}: column {j} holds complex numbers, which have no order; give real and imaginary parts"
        )
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):  # None and other marks of missing cells, or words
        pass
    try:
        return np.array([np.nan if _missing(cell) else float(cell) for cell in column.tolist()])
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{owner}: column {j} holds {plain(next(c for c in column.tolist() if isinstance(c, str)))!r}, which is no "
            "number; name the column in categorical_features"
        ) from error
