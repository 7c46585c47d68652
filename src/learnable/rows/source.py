"""The door: a table of rows, cut into blocks, over which functions are summed."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse


class Block(NamedTuple):
    """A run of consecutive rows.

    Attributes
    ----------
    X : ndarray or CSR of shape (stop - start, n_columns)
        The rows themselves; treat it as read-only, since it may be a view of the caller's array.
    y : ndarray or None
        The targets of these rows, of shape (stop - start,) or (stop - start, n_targets).
    weight : ndarray or None
        The weights of these rows.
    start, stop : int
        Where these rows stand in the whole table.
    """

    X: Any
    y: np.ndarray | None
    weight: np.ndarray | None
    start: int
    stop: int


def add(total: Any, part: Any) -> Any:
    """``total + part`` for numbers, arrays and (named) tuples of those; an array `total` is reused.

    Examples
    --------
    >>> add((1, np.array([1.0, 2.0])), (2, np.array([10.0, 20.0])))
    (3, array([11., 22.]))
    """
    if isinstance(total, tuple):
        return _like(total, [add(t, p) for t, p in zip(total, part, strict=True)])
    if isinstance(total, float) and isinstance(part, float):  # spared the questions below, which cost more than the sum
        return total + part
    if np.shape(total) != np.shape(part):
        raise ValueError(
            f"a sum over rows met results of shapes {np.shape(total)} and {np.shape(part)}: the function must "
            "return the same shape for every block; per-row results go through concatenate"
        )
    if isinstance(total, np.ndarray) and np.result_type(total, part) == total.dtype:
        return np.add(total, part, out=total)
    return total + part


class Rows(ABC):
    """A table of rows, in memory or not, that can be summed over in blocks.

    A sum over rows, ``Σᵢ f(xᵢ, yᵢ, wᵢ)``, is written as a function of a block; where the blocks live and which
    threads or machines run the function is decided here. The blocks depend on the shape and the source of the
    data only, and partial results are merged from the first block to the last, so the answer has the same
    bits for any `n_jobs`.

    Sums do not look for missing and infinite values: that is the business of whoever validates the data (`examine`).

    Attributes
    ----------
    n_rows, n_columns : int
        The shape of the table, targets and weights not counted.
    dtype : numpy.dtype
        The type of the entries of ``X``.
    labels_seen : any
        What the last look at the rows has found of the classes among the targets (`labels`); None where it was not
        asked for.
    sums_seen : tuple
        What it was asked to sum up beside (`examine.Beside`), and the sums; None where it was not, or could not.
    """

    n_rows: int
    n_columns: int
    dtype: np.dtype
    labels_seen: Any = None
    sums_seen: tuple[Any, Any] = (None, None)

    @abstractmethod
    def blocks(self) -> Generator[Callable[[], Block], None, None]:
        """The blocks in row order, each as a function without arguments that loads it."""

    @abstractmethod
    def reduce(
        self,
        function: Callable[[Block], Any],
        merge: Callable[[Any, Any], Any] = add,
        *,
        n_jobs: int | None = None,
    ) -> Any:
        """Merge ``function(block)`` over the blocks: ``merge(… merge(merge(f₁, f₂), f₃) …, f_B)``.

        Parameters
        ----------
        function : callable
            Takes a `Block`; returns an array, a number, or a (named) tuple of those.
        merge : callable, default=add
            Takes the result so far and the result of the next block. It may reuse the memory of the former.
        n_jobs : int, default=None
            Threads; None for every core when there are several blocks. The result does not depend on it.
        """

    def of_first(self, function: Callable[[Block], Any]) -> Any:
        """`function` of the first block alone, found where the block is."""
        with closing(self.blocks()) as blocks:
            return function(next(blocks)())

    def targets_like(self) -> np.ndarray | None:
        """An array of no rows with the type and the columns of the targets; None where there are none."""
        return self.of_first(_no_targets)

    def coarser(self, fewest: int = 32, few_at_once: bool = True) -> "Rows":
        """The same rows in fewer, longer blocks, for functions that find their own way through a block.

        At least `fewest` are left, where there are as many, for as many threads; few rows become one block, unless
        their sums shall have the bits of a file's. Rows whose blocks are not for us to cut, files' and clusters', stay
        as they are.
        """
        return self

    def briefly(self, function: Callable[[Block], Any]) -> Any:
        """`reduce` by adding, for functions that are done with a block in a few milliseconds.

        Where the rows are in memory the caller works as well as its helpers: less is handed about, and Ctrl-C is heard
        between blocks only.
        """
        return self.reduce(function)

    def fold(self, function: Callable[[Any, Block], Any], state: Any) -> Any:
        """``function(… function(function(state, block₁), block₂) …, block_B)``: for algorithms that go from row to row.

        The function must not write to the state it is given: where a worker dies it is called again.
        """
        with closing(self.blocks()) as blocks:
            for load in blocks:
                state = function(state, load())
        return state

    @abstractmethod
    def concatenate(
        self, function: Callable[[Block], np.ndarray], *, n_jobs: int | None = None, missing: bool = False
    ) -> np.ndarray:
        """The results of `function`, one entry a row, of all blocks in row order: predictions, for instance.

        Rows from outside memory are looked at on their way: NaN, unless cells may be `missing`, and infinity in X are
        refused with their place.
        """

    def reading(self) -> str:
        """What one pass over these rows reads, in words."""
        size = getattr(self, "n_bytes", self.n_rows * self.n_columns * self.dtype.itemsize)
        return f"{self.n_rows:,} rows × {self.n_columns:,} columns, {size / 1e9:.3g} GB a pass"

    def place(self, row: int) -> str:
        """Where a row stands, in words."""
        return f"row {row}"

    def column_name(self, column: int) -> str:
        """A column in words: its name, or its number."""
        return str(column)


def _no_targets(block: Block) -> np.ndarray | None:
    return None if block.y is None else block.y[:0]


def own(partial: Any) -> Any:
    """A copy that may be written to: the first partial result may be a view of the caller's data.

    Examples
    --------
    >>> X = np.zeros(2)
    >>> _ = add(own(X), np.ones(2))
    >>> X
    array([0., 0.])
    """
    if isinstance(partial, tuple):
        return _like(partial, [own(entry) for entry in partial])
    if isinstance(partial, np.ndarray) or scipy.sparse.issparse(partial):
        return partial.copy()
    return partial


def _like(pattern: tuple, entries: list) -> tuple:
    return type(pattern)(*entries) if hasattr(pattern, "_fields") else tuple(entries)


def put_together(parts: list[np.ndarray]) -> np.ndarray:
    """`np.concatenate`, which lets go of each part once it is copied: at no time are all of them there twice.

    Examples
    --------
    >>> parts = [np.ones((2, 1)), np.zeros((1, 1))]
    >>> put_together(parts).ravel(), parts
    (array([1., 1., 0.]), [])
    """
    if len(parts) == 1:
        return parts[0]
    whole = np.concatenate([part[:0] for part in parts])
    whole, at = np.empty((sum(map(len, parts)), *whole.shape[1:]), dtype=whole.dtype), 0
    parts.reverse()
    while parts:
        part = parts.pop()
        whole[at : at + len(part)] = part
        at += len(part)
    return whole


def joined(parts: list[np.ndarray], n_rows: int) -> np.ndarray:
    """Per-row results of consecutive blocks as one array, after a check that there is one entry a row."""
    result = put_together(parts)
    if np.ndim(result) == 0 or len(result) != n_rows:
        raise _not_one_a_row(np.shape(result), n_rows)
    return result


def poured(parts: Iterable[np.ndarray], n_rows: int) -> np.ndarray:
    """`joined` of results that come one after the other: each is copied to its place and let go.

    What many small parts have let go of at the end stays with the process for a while, beside the whole.

    Examples
    --------
    >>> poured(iter([np.ones((2, 1)), np.zeros((1, 1))]), 3).ravel()
    array([1., 1., 0.])
    """
    whole, at = np.empty(0), 0
    for part in parts:
        if np.ndim(part) == 0 or at + len(part) > n_rows:
            raise _not_one_a_row(np.shape(part), n_rows)
        if len(part) == n_rows:
            return part
        if at == 0:
            whole = np.empty((n_rows, *part.shape[1:]), dtype=part.dtype)
        if part.shape[1:] != whole.shape[1:]:
            raise ValueError(f"concatenate: entries of shape {part.shape[1:]} after entries of {whole.shape[1:]}")
        if part.dtype != whole.dtype:  # labels of other lengths
            whole = whole.astype(np.result_type(whole.dtype, part.dtype), copy=False)
        whole[at : at + len(part)] = part
        at += len(part)
    if at < n_rows:
        raise _not_one_a_row((at, *whole.shape[1:]), n_rows)
    return whole


def _not_one_a_row(shape: tuple[int, ...], n_rows: int) -> ValueError:
    return ValueError(
        f"concatenate: the function gave {shape} entries for {n_rows} rows; it must return one entry for each row of "
        "the block"
    )
