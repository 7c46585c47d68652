"""Looking at data once, and saying what is wrong with them where."""

from collections.abc import Mapping
from copy import copy
from functools import cache
from reprlib import Repr
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import validation as sklearn_validation

from learnable.plain import plain
from learnable.rows import as_rows
from learnable.rows.examine import LARGEST_TARGET, SMALLEST_WEIGHT
from learnable.rows.numbers import surely_finite

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 60
# Entries whose inverses come near the largest number.
VANISHING = 1e-306
# Entries that NumPy has gone through before a kernel is called.
FEW = 2**14


def validate_data(estimator: Any, X: Any = "no_validation", y: Any = "no_validation", **checks: Any) -> Any:
    """scikit-learn's `validate_data`, with errors that name the row and the column of a cell that is no number.

    Arrays that are as asked for already pass at once; whatever is unusual about them, scikit-learn decides. Of a sparse
    table come out 32-bit indices where these suffice.
    """
    if (passed := _passed(estimator, X, y, **checks)) is not None:
        return passed
    if checks.get("dtype", "numeric") is None:
        X = _truth_beside_categories(X)
    try:
        with np.errstate(invalid="ignore"):  # of a sum that overflows both ways
            checked = sklearn_validation.validate_data(estimator, X, y, **checks)
        if type(checked) is not tuple:
            return _short_indices(checked)
        if checked[1].dtype.kind == "f" and not np.isfinite(checked[1]).all():  # None among objects, which was no NaN
            raise ValueError("Input y contains NaN")
        return _short_indices(checked[0]), checked[1]
    except (ValueError, TypeError) as error:
        name, kind = type(estimator).__name__, TypeError if isinstance(error, TypeError) else ValueError
        refuse_repeated_names(name, X)
        for table, what in ((X, "X"), (y, "y")):
            if isinstance(table, str) or table is None:
                continue
            if kind is TypeError:
                refuse_unreadable(table, what)
            if where := _first_bad_cell(table, what, error):
                raise kind(f"{name}: {where}") from error
        raise


def _short_indices(X: Any) -> Any:
    """A compressed table without 64-bit indices where it is small enough; its entries are those of X, not copies.

    Kernels are compiled for the indices that they meet: those of one kind are ready sooner.

    >>> X = sparse.csr_array(np.eye(3))
    >>> X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    >>> found = _short_indices(X)
    >>> found.indices.dtype, X.indices.dtype
    (dtype('int32'), dtype('int64'))
    """
    if not sparse.issparse(X) or X.format not in ("csr", "csc") or max(*X.shape, X.nnz) > np.iinfo(np.int32).max:
        return X
    if X.indices.dtype == X.indptr.dtype == np.int32:
        return X
    # SciPy puts entries in order in place, together with the indices, which are no longer those of X.
    found = copy(X) if X.has_canonical_format else X.copy()
    found.indices, found.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return found


def validate_table(caller: str, X: Any, y: Any, **checks: Any) -> Any:
    """`validate_data` for a function, which its errors name: (X, y).

    >>> X, y = validate_table("path", np.eye(2), [1, 2], y_numeric=True)
    >>> validate_table("path", np.array([[np.inf], [1.0]]), y)
    Traceback (most recent call last):
    ValueError: path: Input X contains infinity in column 0, row 0; drop or impute it first
    """
    return validate_data(_standing_for(caller)(), X, y, **checks)


@cache
def _standing_for(caller: str) -> type:
    """A class of this name, for scikit-learn's checks ask an estimator."""
    return type(caller, (BaseEstimator,), {})


def _truth_beside_categories(X: Any) -> Any:
    """A pandas frame with columns of truth values as objects, if there are others that NumPy has no type for.

    scikit-learn makes numbers of all columns where some hold truth values, of categories too.
    """
    dtypes = list(getattr(X, "dtypes", ())) if hasattr(X, "iloc") and getattr(X, "ndim", 2) == 2 else []
    truth = [j for j, dtype in enumerate(dtypes) if isinstance(dtype, np.dtype) and dtype.kind == "b"]
    if not truth or all(isinstance(dtype, np.dtype) for dtype in dtypes):
        return X
    found = X.copy(deep=False)
    for j in truth:
        found.isetitem(j, X.iloc[:, j].astype(object))
    return found


def refuse_repeated_names(owner: str, X: Any) -> None:
    """ValueError for a table of which two columns go by one name."""
    if (twice := repeated_name(X)) is not None:
        raise ValueError(f"{owner}: two columns of X are called {twice!r}; give each its own name")


def repeated_name(X: Any) -> Any:
    """The first name of a pandas frame that stands there again, None if each is there once; others have no such."""
    seen: set[Any] = set()
    names = X.columns if hasattr(X, "iloc") and hasattr(X, "columns") else ()
    return next((each for each in names if each in seen or seen.add(each)), None)  # type: ignore[func-returns-value]


def _passed(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    accept_sparse: Any = False,
    accept_large_sparse: bool = True,
    dtype: Any = "numeric",
    order: Any = None,
    ensure_all_finite: bool | str = True,
    ensure_min_samples: int = 1,
    multi_output: bool = False,
    y_numeric: bool = False,
    reset: bool = True,
    **unusual: Any,
) -> Any:
    """What scikit-learn's `validate_data` would return, for plain arrays of finite numbers; None where it must look."""
    alone = type(y) is str and y == "no_validation"
    if unusual or type(X) is not np.ndarray or X.ndim != 2 or X.dtype.kind not in "biuf" or not X.shape[1]:
        return None
    if len(X) < max(ensure_min_samples, 1) or not (alone or _sound_target(y, len(X), multi_output)):
        return None
    known = vars(estimator)
    if not reset and ("feature_names_in_" in known or X.shape[1] != known.get("n_features_in_")):
        return None
    if dtype == "numeric":
        dtype = None
    elif isinstance(dtype, list | tuple):
        dtype = None if X.dtype in dtype else dtype[0]
    if dtype is not None and np.dtype(dtype).kind != "f":
        return None
    table = np.asarray(X, dtype=dtype, order=order)
    if ensure_all_finite and table.dtype.kind == "f" and not surely_finite(table):
        return None
    if reset:
        estimator.n_features_in_ = X.shape[1]
        known.pop("feature_names_in_", None)
    if alone:
        return table
    return table, y if multi_output else np.ascontiguousarray(y)


def _sound_target(y: Any, n: int, multi_output: bool) -> bool:
    """Whether y is a plain array of n finite numbers or strings, or of rows of numbers where those may be."""
    if type(y) is not np.ndarray or y.dtype.kind not in "biufSU" or y.shape[:1] != (n,):
        return False
    if y.ndim != 1 and not (multi_output and y.ndim == 2 and y.shape[1]):
        return False
    return y.dtype.kind != "f" or surely_finite(y)


def _first_bad_cell(table: Any, what: str, error: ValueError | TypeError) -> str | None:
    """Where the first cell stands that is missing, infinite or no number; None if the error is about something else."""
    said = str(error)
    if "inhomogeneous" in said:
        return _of_another_length(table, what)
    # Of an array of objects scikit-learn does not say which it is.
    not_finite = (f"{what} contains" in said or "Input contains" in said) and ("NaN" in said or "infinity" in said)
    nested = "setting an array element with a sequence" in said
    no_number = "could not convert" in said or "Cannot cast" in said or "argument must be a string or a real" in said
    if sparse.issparse(table) or not (not_finite or no_number or nested):
        return None
    columns, names = _columns_of(table)
    for j, column in enumerate(columns):
        for i, cell in enumerate(column):
            trouble = _trouble(cell, said)
            if trouble is None or (not_finite and isinstance(cell, str)):  # a label
                continue
            place = f"row {i}" if what != "X" and len(columns) == 1 else f"column {names[j]}, row {i}"
            if nested:
                if isinstance(cell, str) or np.ndim(cell) == 0:
                    continue
                return f"{what} holds {trouble} in {place}; give each number a column of its own"
            if isinstance(error, TypeError):
                return f"{what} holds {trouble} in {place}: {said}; turn it into a number first"
            if no_number and trouble != "a missing value (NaN)":
                return f"{what} holds {trouble} in {place}: could not convert string to a number; encode it first"
            return f"Input {what} contains {trouble} in {place}; drop or impute it first"
    return None


def _of_another_length(table: Any, what: str) -> str | None:
    """The first row that is not as long as the one before it, of a list of rows."""
    lengths = [len(row) if isinstance(row, list | tuple | np.ndarray) else 1 for row in table]
    i = next((i for i in range(1, len(lengths)) if lengths[i] != lengths[i - 1]), None)
    if i is None:
        return None
    return f"{what} has rows of {lengths[i - 1]} and {lengths[i]} cells, rows {i - 1} and {i}; give each row as many"


def _trouble(cell: Any, said: str) -> str | None:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return "a missing value (NaN)"
    try:
        number = float(cell)
    except (TypeError, ValueError):
        return _SHORT.repr(plain(cell))
    if number != number:
        return "NaN" if "NaN" in said else None
    return "infinity" if np.isinf(number) and ("infinity" in said or "inf" in said) else None


def _columns_of(table: Any) -> tuple[list[Any], list[str]]:
    """The columns of a table, and their names or numbers."""
    frame_columns = getattr(table, "columns", None)
    if frame_columns is not None and hasattr(table, "__getitem__") and not callable(frame_columns):
        try:
            labels = list(frame_columns)
            return [list(table[label]) for label in labels], [repr(label) for label in labels]
        except (KeyError, TypeError, ValueError):
            pass  # a frame with columns of the same name, or an Arrow table, whose columns are no labels
    cells = np.asarray(table)
    if cells.ndim > 2:
        return [], []
    cells = cells.reshape(len(cells), -1)
    if cells.dtype.kind in "biu":
        return [], []
    if cells.dtype.kind == "f":  # only the columns that hold one
        bad = np.flatnonzero(~np.isfinite(cells).all(axis=0))
        return [cells[:, j] for j in bad], [str(j) for j in bad]
    return list(cells.T), [str(j) for j in range(cells.shape[1])]


def refuse_unreadable(X: Any, name: str = "X") -> None:
    """TypeError for input that NumPy would silently misread: masks that would be ignored, dates taken as numbers."""
    if X is None or (type(X) is np.ndarray and X.dtype.kind in "biuf"):
        return
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise TypeError(
            f"{name} is a masked array; its mask would be ignored. Fill it ({name}.filled(...)) or drop those rows"
        )
    one_type = getattr(X, "dtype", None)
    kinds: list[Any] = list(getattr(X, "dtypes", ())) if one_type is None else [one_type]
    columns = getattr(X, "columns", ())
    names = [f" in column {label!r}" for label in columns] if len(columns) == len(kinds) else [""] * len(kinds)
    for dtype, place in zip(kinds, names):
        if getattr(dtype, "kind", None) in ("m", "M") or str(dtype).startswith(("Date", "Duration", "Time")):
            raise TypeError(
                f"{name} holds dates or durations ({dtype}){place}; turn them into numbers first, e.g. days since a "
                "date"
            )


def squares_are_ordinary(X) -> bool:
    """Whether every entry is finite and its square a number with room to spare; False where a column may be extreme."""
    if type(X) is not np.ndarray and sparse.issparse(X):
        size = np.abs(X.data)
        largest = size.max(initial=1.0)
        least = size.min(initial=1.0) or np.min(size, where=size > 0.0, initial=1.0)
        # As numbers of Python: beside a float32, NumPy makes 1e115 infinite and warns of it.
        return bool(float(least) > 1e-115 and float(largest) < 1e115)
    with np.errstate(all="ignore"):
        if X.size <= FEW:
            table = X.astype(float, copy=False)
            squares = np.einsum("ij,ij->j", table, table)
        else:
            squares = as_rows(X).coarser().reduce(block_squares).astype(float)
    return bool(squares.min(initial=1.0) > 1e-230 and squares.max(initial=1.0) < 1e230)


def block_squares(block) -> np.ndarray:
    """Sums of squares of the columns of a dense block."""
    if not block.X.flags.c_contiguous or block.X.dtype.kind != "f":
        return np.einsum("ij,ij->j", block.X, block.X)
    from learnable._jit.core.column_squares import column_squares
    from learnable._jit.core.vectors import read_only

    squares = np.zeros(block.X.shape[1])
    column_squares(read_only(block.X), squares)
    return squares


def first_vanishing_column(X) -> int | None:
    """The first column with entries other than zero, all of them so small that their inverses overflow; None if none.

    >>> first_vanishing_column(np.array([[1.0, 0.0, 3e-310], [2.0, 0.0, 0.0]]))
    2
    """
    if (type(X) is not np.ndarray and sparse.issparse(X)) or X.ndim > 2 or X.dtype.kind != "f" or not X.size:
        return None
    if np.abs(X[0]).min() >= VANISHING:  # as of most tables
        return None
    for j in np.flatnonzero(np.abs(X[:64]).max(axis=0) < VANISHING):
        largest = float(np.abs(X[:, j]).max())
        if 0.0 < largest < VANISHING:
            return int(j)
    return None


def squares_overflow(y: np.ndarray) -> int | None:
    """The place of the largest entry if sums of squares of such could not be represented; None if they can.

    >>> squares_overflow(np.array([1.0, -1e200, 3.0]))
    1
    """
    flat = y.ravel("K")
    if y.dtype != np.float64 or np.vdot(flat, flat) < 0.1 * LARGEST_TARGET**2:  # as of most targets
        return None
    size = np.abs(y)
    return int(size.argmax()) if size.max(initial=0.0) > LARGEST_TARGET else None


def checked_target(estimator: Any, y: Any) -> np.ndarray:
    """scikit-learn's check of a target that no array goes with, with errors that name the row."""
    try:
        return sklearn_validation._check_y(y, estimator=estimator)
    except (ValueError, TypeError) as error:
        if where := _first_bad_cell(y, "y", error):
            raise type(error)(f"{type(estimator).__name__}: {where}") from error
        raise


def checked_weights(given: Any, X: Any, dtype: Any = np.float64) -> np.ndarray:
    """scikit-learn's check of row weights, which takes as long as the fit of a small tree; plain ones pass at once.

    >>> checked_weights([1, 2], np.eye(2))
    array([1., 2.])
    >>> checked_weights([1, -2], np.eye(2))
    Traceback (most recent call last):
    ValueError: Negative values in data passed to `sample_weight`: -2.0 in row 1; weights must be >= 0
    """
    usual = type(given) is np.ndarray and given.dtype == np.float64 == dtype and given.shape == X.shape[:1]
    if usual and given.flags.c_contiguous and surely_finite(given) and given.min() >= 0.0 and given.any():
        return given
    if isinstance(given, str | bytes | Mapping | set):
        raise TypeError(f"sample_weight={_SHORT.repr(given)}: give one number for each of the {X.shape[0]} rows of X")
    try:
        return sklearn_validation._check_sample_weight(given, X, dtype=dtype, ensure_non_negative=True)
    except (ValueError, TypeError) as error:
        if where := _first_bad_cell(given, "sample_weight", error):
            raise type(error)(where) from error
        if str(error).startswith("Negative") and np.ndim(given) == 1:
            weight = np.asarray(given, dtype=float)
            row = int(np.argmax(weight < 0.0))
            raise ValueError(
                f"{str(error).removesuffix('.')}: {weight[row]} in row {row}; weights must be >= 0"
            ) from error
        raise


def refuse_extreme_weights(weight: np.ndarray) -> None:
    """Raise where no row counts, or where the weight of one that does has no square.

    >>> refuse_extreme_weights(np.array([1.0, 0.0, 1e-200]))
    Traceback (most recent call last):
    ValueError: sample_weight: row 2 weighs 1e-200, whose square cannot be represented; rescale all weights, or give 0
    """
    counted = weight[weight > 0.0]
    if not len(counted):
        raise ValueError("sample_weight: all weights are zero; at least one row must count")
    if float(counted.min()) < SMALLEST_WEIGHT or float(counted.max()) > 1.0 / SMALLEST_WEIGHT:
        row = int(np.flatnonzero((weight > 0.0) & ((weight < SMALLEST_WEIGHT) | (weight > 1.0 / SMALLEST_WEIGHT)))[0])
        raise ValueError(
            f"sample_weight: row {row} weighs {weight[row]:.3g}, whose square cannot be represented; rescale all "
            "weights, or give 0"
        )
