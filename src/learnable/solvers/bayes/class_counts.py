"""What naive Bayes needs of the data: counts, means and scatter by class, each a sum over rows. Syllabus: Y6, Y9.

Rows carry class numbers as targets. Every function makes one pass.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy import sparse

from learnable._jit.bayes import counts as kernels
from learnable._jit.bayes import words as word_kernels
from learnable._jit.core.column_squares import column_squares
from learnable._jit.core.vectors import read_only
from learnable.rows import Block, Rows
from learnable.rows.mapped import places_among
from learnable.rows.memory import check_square_fits
from learnable.rows.numbers import row_weights
from learnable.rows.parts import in_parts
from learnable.rows.stretches import stretches

NO_WEIGHTS = read_only(np.zeros(0))
# Moments of a block that may be sent about before it is known which classes there are.
MOST_MOMENTS = 2**14

R = TypeVar("R")


class WordCounts(NamedTuple):
    """members : (K,), weight of the rows of each class; words : (K, p), Σ w x."""

    members: np.ndarray
    words: np.ndarray


class Presences(NamedTuple):
    """members : (K,); present : (K, p), weight of the rows with x > threshold; known : where x is not NaN.

    `known` is (K, p), or (K, 1) when no cell is missing.
    """

    members: np.ndarray
    present: np.ndarray
    known: np.ndarray


class CodeCounts(NamedTuple):
    """members : (K,); n_values : (p,); counts : (K, Σ n_values), the values of one column after those of another."""

    members: np.ndarray
    n_values: np.ndarray
    counts: np.ndarray

    def by_column(self) -> list[np.ndarray]:
        """(K, n_values) for each column."""
        return [np.ascontiguousarray(part) for part in np.split(self.counts, np.cumsum(self.n_values)[:-1], axis=1)]


class ColumnMoments(NamedTuple):
    """members : (K,); the others are (K, p): weight of the known cells, mean as origin + offset, Σ w (x − mean)²."""

    members: np.ndarray
    observed: np.ndarray
    origin: np.ndarray
    offset: np.ndarray
    scatter: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        return self.origin + self.offset


def word_counts(rows: Rows, n_classes: int, name: str = "word_counts") -> WordCounts:
    """How often each word occurs in each class; ValueError, on behalf of `name`, for a count that is none.

    >>> from learnable.rows import as_rows
    >>> word_counts(as_rows([[1, 2], [0, 3], [4, 0]], y=[0, 0, 1]), 2).words
    array([[1., 5.],
           [4., 0.]])
    """

    def of_block(block: Block) -> WordCounts:
        label, weight = _labels(block), _weights(block)
        members = _members(label, weight, n_classes)
        if sparse.issparse(block.X):
            words, entries = np.zeros((n_classes, rows.n_columns)), csr_arrays(block.X)

            def count(classes: slice, visits: np.ndarray) -> bool:
                negative = word_kernels.add_word_counts(*entries, visits, label, weight, words)
                return negative or not words[classes].max() < np.inf

            if any(by_class(count, label, entries[2], n_classes)):
                refuse_bad_counts(block, name)
            return WordCounts(members, words)
        refuse_bad_counts(block, name)
        w = np.ones(len(label)) if len(weight) == 0 else weight
        belongs = sparse.csr_array((w, (label, np.arange(len(label)))), shape=(n_classes, len(label)))
        return WordCounts(members, belongs @ np.asarray(block.X, dtype=np.float64))

    return rows.reduce(of_block)


def presence_counts(rows: Rows, n_classes: int, threshold: float) -> Presences:
    """In how many rows of each class each attribute is present, and in how many it is not known.

    >>> from learnable.rows import as_rows
    >>> presence_counts(as_rows([[1, 2], [0, 3], [4, np.nan]], y=[0, 0, 1]), 2, 0.0).present
    array([[1., 2.],
           [1., 0.]])
    """

    def of_block(block: Block) -> Presences:
        label, weight = _labels(block), _weights(block)
        members, present = _members(label, weight, n_classes), np.zeros((n_classes, rows.n_columns))
        if sparse.issparse(block.X):
            entries = csr_arrays(block.X)

            def count(classes: slice, visits: np.ndarray) -> tuple[bool, int]:
                return word_kernels.add_presences(*entries, visits, label, weight, threshold, present)

            infinite, unknown = np.sum(by_class(count, label, entries[2], n_classes), axis=0)
            _refuse_infinite(infinite)
        else:
            X = read_only(np.ascontiguousarray(block.X, dtype=np.float64))
            unknown = kernels.add_dense_presences(X, label, weight, threshold, present)
        known = members[:, np.newaxis]
        return Presences(members, present, known - _missing(block, label, weight, n_classes) if unknown else known)

    return rows.reduce(of_block, added_presences)


def by_class(count: Callable[[slice, np.ndarray], R], label: np.ndarray, starts: np.ndarray, n_classes: int) -> list[R]:
    """`count` of the rows of groups of classes, on threads: each writes to the counts of its own classes only.

    Parameters
    ----------
    count : takes the classes of a group, and the numbers of their rows, ordered by class.
    label : (n,)
    starts : (n + 1,), where the entries of each row begin.
    """
    order, first, sizes = word_kernels.rows_by_class(starts, label, n_classes)
    return in_parts(lambda part: count(part, order[first[part.start] : first[part.stop]]), np.cumsum(sizes))


def added_presences(a: Presences, b: Presences) -> Presences:
    """Counts of the rows of both."""
    return Presences(a.members + b.members, np.add(a.present, b.present, out=a.present), a.known + b.known)


def _missing(block: Block, label: np.ndarray, weight: np.ndarray, n_classes: int) -> np.ndarray:
    """(K, p) weight of the rows in which the cell is NaN."""
    cells = sparse.coo_array(block.X)
    unknown = np.isnan(cells.data)
    row, column = (place[unknown] for place in cells.coords)
    total = np.zeros((n_classes, block.X.shape[1]))
    np.add.at(total, (label[row], column), weight[row] if len(weight) else 1.0)
    return total


def code_counts(rows: Rows, n_classes: int, names: np.ndarray | None = None) -> CodeCounts:
    """How often each category of each column occurs in each class; NaN is left out.

    ValueError for a cell that is no category code, with its column (by `names` if given) and value.

    >>> from learnable.rows import as_rows
    >>> code_counts(as_rows([[0, 2], [1, 0], [1, 1]], y=[0, 1, 1]), 2).by_column()[0]
    array([[1., 0.],
           [0., 2.]])
    """

    def of_block(block: Block) -> CodeCounts:
        X, label, weight = codes_of(block), _labels(block), _weights(block)
        highest = np.full(rows.n_columns, -1)
        refuse_bad_cell(kernels.highest_codes(X, highest), block, names)
        n_values = highest + 1
        check_square_fits(int(np.sqrt(n_classes * n_values.sum())), "the category counts")
        counts = np.zeros((n_classes, n_values.sum()))
        kernels.add_code_counts(X, label, weight, _first(n_values), counts)
        return CodeCounts(_members(label, weight, n_classes), n_values, counts)

    return rows.reduce(of_block, added_codes)


def added_codes(a: CodeCounts, b: CodeCounts) -> CodeCounts:
    """Counts of the rows of both; a value that only one of them has seen counts none in the other."""
    n_values = np.maximum(a.n_values, b.n_values)
    counts = with_values(a, n_values).counts
    counts += with_values(b, n_values).counts
    return CodeCounts(a.members + b.members, n_values, counts)


def with_values(found: CodeCounts, n_values: np.ndarray) -> CodeCounts:
    """The same counts with room for `n_values` values in each column, at least those that were seen."""
    if np.array_equal(found.n_values, n_values):
        return found
    counts = np.zeros((len(found.members), n_values.sum()))
    for j, part in enumerate(found.by_column()):
        start = _first(n_values)[j]
        counts[:, start : start + part.shape[1]] = part
    return CodeCounts(found.members, n_values, counts)


def column_moments(rows: Rows, n_classes: int) -> ColumnMoments:
    """Mean and scatter of each column in each class, NaN left out, merged by Chan's formula.

    >>> from learnable.rows import as_rows
    >>> found = column_moments(as_rows([[0.0], [2.0], [np.nan], [5.0]], y=[0, 0, 0, 1]), 2)
    >>> found.mean, found.scatter
    (array([[1.],
           [5.]]), array([[2.],
           [0.]]))
    """

    def of_block(block: Block) -> ColumnMoments:
        label, weight = _labels(block), _weights(block)
        X = read_only(np.ascontiguousarray(block.X, dtype=np.float64))
        if not len(weight):
            moments = np.zeros((4, n_classes, rows.n_columns))
            if kernels.moments_of_known(X, label, *moments):
                return ColumnMoments(moments[0, :, 0].copy(), *moments)
        return reduce(merged_moments, (in_cache(part, label[some], weight[some]) for some, part in stretches(X)))

    def in_cache(X: np.ndarray, label: np.ndarray, weight: np.ndarray) -> ColumnMoments:
        moments = np.zeros((4, n_classes, rows.n_columns))
        kernels.column_moments(read_only(X), label, weight, *moments)
        return ColumnMoments(_members(label, weight, n_classes), *moments)

    return rows.coarser(16).reduce(of_block, merged_moments)


class LabelledMoments(NamedTuple):
    """labels : (K,), in order; moments : of the rows with each of them."""

    labels: np.ndarray
    moments: ColumnMoments


def moments_beside(block: Block, labels: Any) -> tuple[np.ndarray, LabelledMoments | None]:
    """(Σ x² of each column, the moments of a block by its labels), for a look at the rows; None where there are
    weights, missing cells, columns far from zero, or very many labels."""
    known, p = isinstance(labels, np.ndarray) and labels.dtype.kind in "biufSU", block.X.shape[1]
    if known and block.weight is None and len(labels) * p <= MOST_MOMENTS:
        label = read_only(np.ascontiguousarray(places_among(labels, np.asarray(block.y))[0], dtype=np.int64))
        found = np.zeros((4, len(labels), p))
        if kernels.moments_of_known(read_only(np.ascontiguousarray(block.X, dtype=np.float64)), label, *found):
            moments = ColumnMoments(found[0, :, 0].copy(), *found)
            with np.errstate(over="ignore"):
                squares = np.sum(moments.scatter + moments.observed * moments.mean**2, axis=0)
            return squares, LabelledMoments(labels, moments)
    squares = np.zeros(p)
    column_squares(read_only(block.X), squares)
    return squares, None


def merged_labelled(a: LabelledMoments, b: LabelledMoments) -> LabelledMoments | None:
    """Moments of the rows of both; None for labels of two types."""
    if a.labels.dtype != b.labels.dtype:
        return None
    if not np.array_equal(a.labels, b.labels):
        labels = np.union1d(a.labels, b.labels)
        a, b = (LabelledMoments(labels, _with_labels(each, labels)) for each in (a, b))
    return LabelledMoments(a.labels, merged_moments(a.moments, b.moments))


def _with_labels(found: LabelledMoments, labels: np.ndarray) -> ColumnMoments:
    """The same moments, with none of the rows for labels that were not seen."""
    wider = ColumnMoments(*(np.zeros((len(labels), *part.shape[1:])) for part in found.moments))
    for part, known in zip(wider, found.moments):
        part[np.searchsorted(labels, found.labels)] = known
    return wider


def merged_moments(a: ColumnMoments, b: ColumnMoments) -> ColumnMoments:
    """Moments of the rows of both: S = S_a + S_b + (W_a W_b / W)(m_b − m_a)², column by column."""
    observed = a.observed + b.observed
    share = np.divide(b.observed, observed, out=np.zeros_like(observed), where=observed > 0.0)
    new = a.observed == 0.0
    origin, offset = np.where(new, b.origin, a.origin), np.where(new, b.offset, a.offset)
    # Unrounded means: far from zero, the difference of two rounded ones would be mostly rounding.
    apart = (b.origin - origin) + (b.offset - offset)
    scatter = a.scatter + b.scatter + a.observed * share * apart * apart
    return ColumnMoments(a.members + b.members, observed, origin, offset + share * apart, scatter)


def codes_of(block: Block) -> np.ndarray:
    """The cells of a block as int64 or float64, C-ordered: two compiled kernels and no more."""
    if sparse.issparse(block.X):
        raise TypeError("category codes are dense, code 0 being a category like any other: use X.toarray()")
    kind = np.int64 if block.X.dtype.kind in "bui" else np.float64
    return read_only(np.ascontiguousarray(block.X, dtype=kind))


def csr_arrays(X) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(data as float64 or float32, indices, indptr), read-only."""
    data = X.data if X.dtype == np.float32 else X.data.astype(np.float64, copy=False)
    return read_only(data), read_only(X.indices), read_only(X.indptr)


def present_entries(X, threshold: float) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], int]:
    """`csr_arrays` with 1 for data where x > threshold and 0 elsewhere, and how many entries are NaN.

    ValueError for an infinite one.

    >>> present_entries(sparse.csr_array([[3.0, 0.0, np.nan, 0.5]]), 1.0)[0][0]
    array([1, 0, 0], dtype=uint8)
    """
    data, places, starts = csr_arrays(X)
    present = np.empty(len(data), dtype=np.uint8)
    infinite, unknown = word_kernels.mark_present(data, threshold, present)
    _refuse_infinite(infinite)
    return (read_only(present), places, starts), unknown


def _refuse_infinite(infinite: bool | int) -> None:
    if infinite:
        raise ValueError("Input X contains infinity: an attribute is present or absent; mend or drop the cells")


def refuse_bad_cell(verdict: tuple[int, int, int], block: Block, names: np.ndarray | None, seen=None) -> None:
    """ValueError naming the cell, if the kernel found one that is no category code."""
    what, i, j = verdict
    if what == kernels.FINE:
        return
    if what == kernels.FRACTIONAL and np.any(negative := block.X < 0):
        what, (i, j) = kernels.NEGATIVE, np.argwhere(negative)[0]
    value, row = block.X[i, j], block.start + i
    column = f"column {j}" if names is None else f"column {j} ({names[j]!r})"
    cell = f"{column} holds {value} in row {row}"
    if what == kernels.NEGATIVE:
        raise ValueError(f"Negative values in data passed to CategoricalNB (input X): {cell}; codes are 0, 1, 2, …")
    if what == kernels.UNSEEN:
        raise ValueError(
            f"CategoricalNB: {cell}, a category that was not there in fit (0 … {seen[j] - 1}); raise min_categories, "
            "or make the cell NaN to leave it out"
        )
    raise ValueError(
        f"CategoricalNB: {cell}, which is no category code; codes are whole numbers 0, 1, 2, … "
        "(sklearn.preprocessing.OrdinalEncoder makes them)"
    )


def refuse_bad_counts(block: Block, name: str) -> None:
    """ValueError naming the first cell that is negative or not finite, if there is one."""
    values = block.X.data if sparse.issparse(block.X) else block.X
    if len(values) == 0 or (values.min() >= 0 and np.isfinite(values.max())):
        return
    cells = sparse.coo_array(block.X)
    first = int(np.argmax(~((cells.data >= 0) & np.isfinite(cells.data))))
    row, column, value = block.start + cells.coords[0][first], cells.coords[1][first], cells.data[first]
    if value < 0:
        raise ValueError(
            f"Negative values in data passed to {name} (input X): column {column} holds {value} in row {row}; counts "
            "must be >= 0"
        )
    raise ValueError(f"Input X contains NaN or infinity: column {column} holds {value} in row {row}")


def _first(n_values: np.ndarray) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(n_values)))


def _labels(block: Block) -> np.ndarray:
    return read_only(np.ascontiguousarray(block.y, dtype=np.int64))


def _weights(block: Block) -> np.ndarray:
    weight = row_weights(block)
    return NO_WEIGHTS if weight is None else read_only(np.ascontiguousarray(weight))


def _members(label: np.ndarray, weight: np.ndarray, n_classes: int) -> np.ndarray:
    return np.bincount(label, weight if len(weight) else None, n_classes).astype(float)
