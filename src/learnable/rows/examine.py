"""A look at rows that come in blocks: what memory would not accept is refused, and its place named."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse

from .labels import Labels, labels_of, together
from .source import Block, Rows
from .targets import Target, check_numbers

logger = logging.getLogger(__name__)

# Numbers that NumPy compares at once.
TOGETHER = 1024
# Weights other than zero whose squares can be represented lie between this and its inverse.
SMALLEST_WEIGHT = 1e-120
# Targets up to this size have squares that can be summed.
LARGEST_TARGET = 1e150


class Fault(NamedTuple):
    """A cell that cannot be worked with.

    Attributes
    ----------
    table : "X", "y" or "sample_weight".
    row, column : where, in the whole table; column 0 for a vector.
    value : NaN, ±infinity, a target whose square is too large, or a weight that is below zero or has no square.
    """

    table: str
    row: int
    column: int
    value: float


class BadCell(ValueError):
    """A fault met on the way; whoever knows the table turns it into a sentence."""

    def __init__(self, fault: Fault):
        super().__init__(fault)
        self.fault = fault


class Beside(NamedTuple):
    """Sums that a fit wants of every block, found while they are looked at: the rows are read once less.

    Attributes
    ----------
    of : (block, its classes, None where they are not looked for) -> (sums of squares of its columns; the sums, None
        where they must be found another way). Asked of dense blocks, row by row in memory; of others there are none.
    merge : of two such sums.
    """

    of: Callable[[Block, Labels | None], tuple[np.ndarray, Any]]
    merge: Callable[[Any, Any], Any]


class _Seen(NamedTuple):
    fault: Fault | None
    weight: float
    sizes: np.ndarray
    labels: Labels | None
    beside: Any = None


def examine(
    rows: Rows,
    name: str,
    *,
    missing: bool = False,
    squares: Callable[[Block], np.ndarray] | None = None,
    target: Target | None = None,
    beside: Beside | None = None,
) -> np.ndarray:
    """ValueError for a cell that is missing or infinite, for targets that are too large or of another type than was
    asked for, and for weights that are negative, extreme or all zero. Where the targets are classes, these are found on
    the way, for `labels`.

    Parameters
    ----------
    rows : any.
    name : of the estimator, with which the sentence begins.
    missing : whether NaN in X stands for a missing cell, which is fine.
    squares : a quick way to the sums of squares of the columns of a dense block, row by row in memory. A block where
        these are ordinary numbers is not looked at again.
    target : what the fit asks of the targets; None where it leaves them alone.
    beside : sums to be found on the way, in place of `squares`; see `seen_beside`.

    Returns
    -------
    ndarray of shape (n_columns,)
        The size of each column of X: its largest magnitude, or, where `squares` showed nothing out of the ordinary, at
        most the root of their sum.

    Examples
    --------
    >>> from learnable.rows import as_rows
    >>> examine(as_rows([[1.0, -2.0], [-3.0, 0.0]]), "Ridge")
    array([3., 2.])
    >>> examine(as_rows([[1.0, 2.0], [3.0, np.nan]]), "Ridge")
    Traceback (most recent call last):
        ...
    ValueError: Ridge: Input X contains NaN in column 1, row 1; drop or impute it first
    """

    announce(rows, name)

    look = partial(_look, name=name, missing=missing, squares=squares, target=target, beside=beside)
    merge = _merged if beside is None else partial(_merged, merge_sums=beside.merge)
    # Sums in blocks as long as those of fits that make a pass for them.
    seen = (rows.coarser() if beside is None else rows.coarser(16)).reduce(look, merge)
    if seen.fault is not None:
        raise ValueError(f"{name}: {sentence(seen.fault, rows)}")
    if seen.weight == 0.0:
        raise ValueError(f"{name}: Sample weights must contain at least one non-zero number.")
    rows.labels_seen, rows.sums_seen = seen.labels, (beside, seen.beside)
    return seen.sizes


def seen_beside(rows: Any, beside: Beside) -> Any:
    """What the last look at the rows has summed up for this asker; None where it has not, or was another's."""
    asked, sums = rows.sums_seen if isinstance(rows, Rows) else (None, None)
    return sums if asked is beside else None


def _look(
    block: Block,
    name: str,
    missing: bool,
    squares: Callable[[Block], np.ndarray] | None,
    target: Target | None,
    beside: Beside | None,
) -> _Seen:
    if target is not None and target.numbers and block.y is not None:
        check_numbers(block.y, name)
    weight = 1.0 if block.weight is None else float(np.max(np.abs(np.asarray(block.weight, dtype=float))))
    classes = target is not None and not target.numbers and not target.several and block.y is not None
    labels = labels_of(block) if classes else None
    sums: list[Any] = [None]

    def with_sums(block: Block) -> np.ndarray:
        assert beside is not None
        found, sums[0] = beside.of(block, labels)
        return found

    quickly = squares if beside is None else with_sums
    sizes = None if quickly is None else _ordinary_sizes(block, quickly)
    if sizes is not None:
        return _Seen(first_fault(block._replace(X=None)), weight, sizes, labels, sums[0])
    return _Seen(first_fault(block, missing=missing), weight, _sizes(block.X), labels)


def announce(rows: Rows, name: str) -> None:
    """Log what every pass of a fit will read, before the first of them."""
    if logger.isEnabledFor(logging.INFO):
        logger.info("%s reads %s", name, rows.reading())


def refusing(function: Callable[[Block], Any], missing: bool) -> Callable[[Block], Any]:
    """The same function of a block, after a look at its X; `BadCell` for what is found."""

    def looked_at(block: Block) -> Any:
        fault = first_fault(Block(block.X, None, None, block.start, block.stop), missing=missing)
        if fault is not None:
            raise BadCell(fault)
        return function(block)

    return looked_at


def first_fault(block: Block, *, missing: bool = False) -> Fault | None:
    """The first bad cell of X, then of y, then of the weights.

    >>> first_fault(Block(np.ones((2, 1)), None, np.array([1.0, -2.0]), 10, 12))
    Fault(table='sample_weight', row=11, column=0, value=-2.0)
    """
    for table, values in (("X", block.X), ("y", block.y), ("sample_weight", block.weight)):
        if values is None or values.dtype.kind not in "fiub":
            continue
        found = _first_bad(values, missing and table == "X", table == "sample_weight")
        if found is None and table == "y" and values.dtype == np.float64:
            found = _largest_target(values)
        if found is not None:
            row, column, value = found
            return Fault(table, block.start + row, column, value)
    return None


class Places(Protocol):
    """What can say where a row stands, and what a column is called."""

    def place(self, row: int) -> str: ...

    def column_name(self, column: int) -> str: ...


def sentence(fault: Fault, rows: Places) -> str:
    """What is wrong where, as it is said of tables in memory."""
    table, row, column, value = fault
    place = rows.place(row)
    if table == "sample_weight" and value < 0.0 and np.isfinite(value):
        return f"Negative values in data passed to `sample_weight`: {value:g} in {place}; weights must be >= 0"
    if table == "sample_weight" and np.isfinite(value):
        return (
            f"sample_weight: {place} weighs {value:.3g}, whose square cannot be represented; rescale all weights, or "
            "give 0"
        )
    if table == "y" and np.isfinite(value):
        size = f"an entry of size {abs(value):.1e} ({place})"
        return f"y has {size}, whose square cannot be represented; divide y by a constant"
    kind = "NaN" if np.isnan(value) else "infinity"
    where = f"column {rows.column_name(column)}, {place}" if table == "X" else place
    return f"Input {table} contains {kind} in {where}; drop or impute it first"


def _merged(seen: _Seen, more: _Seen, merge_sums: Callable[[Any, Any], Any] | None = None) -> _Seen:
    labels = None if seen.labels is None or more.labels is None else together(seen.labels, more.labels)
    beside = None
    if merge_sums is not None and seen.beside is not None and more.beside is not None:
        beside = merge_sums(seen.beside, more.beside)
    sizes = np.fmax(seen.sizes, more.sizes)
    return _Seen(seen.fault or more.fault, max(seen.weight, more.weight), sizes, labels, beside)


def _ordinary_sizes(block: Block, squares: Callable[[Block], np.ndarray]) -> np.ndarray | None:
    """Roots of the sums of squares of the columns; None where they hide something, or there is no quick way."""
    X = block.X
    if scipy.sparse.issparse(X) or X.dtype.kind != "f" or not X.flags.c_contiguous:
        return None
    found = squares(block)
    return np.sqrt(found) if np.all((found > 1e-230) & (found < 1e230)) else None


def _sizes(X: Any) -> np.ndarray:
    """The largest magnitude in each column, NaN left out where there are other cells."""
    if scipy.sparse.issparse(X):
        return abs(X).max(axis=0).toarray().ravel().astype(float)
    if X.dtype.kind in "bu":
        return X.max(axis=0).astype(float)
    return np.fmax(_along_rows(np.fmax, X).astype(float), -_along_rows(np.fmin, X).astype(float))


def _along_rows(function: np.ufunc, X: np.ndarray) -> np.ndarray:
    """`function.reduce(X, axis=0)`, several rows at a time where they lie one behind the other: short rows are slow."""
    p = X.shape[1]
    together = max(TOGETHER // p, 1)
    whole = len(X) // together * together
    if together == 1 or whole == 0 or not X.flags.c_contiguous:
        return function.reduce(X, axis=0)
    found = function.reduce(X[:whole].reshape(-1, together * p), axis=0).reshape(together, p)
    return function.reduce(np.concatenate([found, X[whole:]]), axis=0)


def _first_bad(values: Any, missing: bool, weight: bool) -> tuple[int, int, float] | None:
    """(row, column, value) of the first bad entry."""
    if scipy.sparse.issparse(values):
        bad = np.flatnonzero(_is_bad(values.data, missing, weight))
        if not len(bad):
            return None
        first = int(bad[0])
        row = int(np.searchsorted(values.indptr, first, side="right")) - 1
        return row, int(values.indices[first]), float(values.data[first])
    cells = values.reshape(len(values), -1)
    if not weight:
        # A sum is finite only if every entry is; it may overflow when all are.
        with np.errstate(all="ignore"):
            if cells.dtype.kind != "f" or np.isfinite(cells.sum(dtype=float)):
                return None
    bad = np.flatnonzero(_is_bad(cells, missing, weight))
    if not len(bad):
        return None
    row, column = divmod(int(bad[0]), cells.shape[1])
    return row, column, float(cells[row, column])


def _largest_target(y: np.ndarray) -> tuple[int, int, float] | None:
    """(row, column, value) of the largest target if sums of squares of such could not be represented."""
    if max(y.max(), -y.min()) <= LARGEST_TARGET:
        return None
    size = np.abs(y.reshape(len(y), -1))
    row, column = np.unravel_index(int(size.argmax()), size.shape)
    return int(row), int(column), float(size[row, column])


def _is_bad(cells: np.ndarray, missing: bool, weight: bool) -> np.ndarray:
    if cells.dtype.kind == "f" and weight:
        counted = (cells >= SMALLEST_WEIGHT) & (cells <= 1.0 / SMALLEST_WEIGHT)
        return ~(counted | (cells == 0.0))
    if cells.dtype.kind == "f":
        return np.isinf(cells) if missing else ~np.isfinite(cells)
    return cells < 0 if weight and cells.dtype.kind == "i" else np.zeros(cells.shape, dtype=bool)
