"""Sequences as users have them: one table with `lengths`, a list of sequences, a dask bag or array."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.base import refuse_unreadable
from learnable.base.validation import validate_data
from learnable.rows import Block, is_streamed
from learnable.rows.examine import first_fault, sentence
from learnable.rows.pieces import check_shape
from learnable.solvers.sequences.sequence_blocks import DaskSequences, LocalSequences, Sequences

# Rows of a dask array that go to one task.
PART_ROWS = 2**16


class SequenceData(NamedTuple):
    """What a fit is about: one table or a dask collection, known states, weights of sequences, their lengths."""

    X: Any
    states: np.ndarray | None
    weights: np.ndarray | None
    lengths: np.ndarray | None


class Reader(NamedTuple):
    """How the observations of a model are read.

    Attributes
    ----------
    name : of the model, for errors.
    encode : (n, d) numbers -> rows for the kernels; raises ValueError for what cannot be an observation.
    one_column : whether an observation is one symbol, so that a flat list is a sequence.
    missing : whether NaN stands for a missing observation.
    """

    name: str
    encode: Callable[[np.ndarray], np.ndarray]
    one_column: bool = False
    missing: bool = True

    def sequences(
        self, model: Any, X, lengths=None, *, states=None, n_states=0, weights=None, reset=False
    ) -> tuple[Sequences, Any]:
        """(the sequences, X as the certificate takes it: one table, or the dask collection)."""
        if is_streamed(X):
            for given, what in ((states, "states"), (weights, "sequence_weight")):
                if given is not None:
                    raise TypeError(f"{self.name}: {what} needs the sequences in memory, but X is a {type(X).__name__}")
            return self._distributed(model, X, lengths, reset), X
        table, lengths = self.table(model, X, lengths, reset)
        known = checked_states(states, lengths, n_states, self.name)
        weights = checked_weights(weights, len(lengths), self.name)
        return LocalSequences(self.encode(table), lengths, weights, known), table

    def table(self, model: Any, X, lengths=None, reset=False) -> tuple[np.ndarray, np.ndarray]:
        """(all observations (n, d), lengths), after the checks of shape, finiteness and lengths."""
        if (listed := self._listed(X)) is not None:
            if lengths is not None:
                raise ValueError(f"{self.name}: X is a list of sequences and has its own lengths; leave lengths out")
            for s, sequence in enumerate(listed):
                if len(sequence) == 0:
                    raise ValueError(f"{self.name}: sequence {s} is empty; leave it out")
                if sequence.shape[1] != listed[0].shape[1]:
                    raise ValueError(
                        f"{self.name}: sequence {s} has {sequence.shape[1]} columns, the first has {listed[0].shape[1]}"
                    )
            X, lengths = np.concatenate(listed), [len(sequence) for sequence in listed]
        refuse_unreadable(X)
        if self.one_column and not sparse.issparse(X) and np.ndim(X) == 1:
            X = np.asarray(X).reshape(-1, 1)
        finite = "allow-nan" if self.missing else True
        table = validate_data(model, X, reset=reset, dtype=np.float64, order="C", ensure_all_finite=finite)
        return table, checked_lengths(lengths, len(table), self.name)

    def _listed(self, X) -> list[np.ndarray] | None:
        """The sequences of a list as tables, or None when X is one table."""
        if not isinstance(X, list | tuple) or not len(X):
            return None
        depths = {np.ndim(item) if not isinstance(item, list | tuple) else _depth(item) for item in X}
        if depths == {2}:
            return [np.asarray(item) for item in X]
        # Lists of one number each are the rows of a table with one column; arrays are sequences of any length.
        rows = all(isinstance(item, list | tuple) and len(item) == 1 for item in X)
        flat = depths == {1} and self.one_column and not rows
        return [np.asarray(item).reshape(-1, 1) for item in X] if flat else None

    def _distributed(self, model: Any, X, lengths, reset: bool) -> Sequences:
        import dask

        if hasattr(X, "npartitions") and hasattr(X, "map_partitions") and not hasattr(X, "shape"):
            pieces, width = X.to_delayed(), None
            cuts: list[Any] = [None] * X.npartitions
            firsts: list[int | None] = [None] * X.npartitions
        elif hasattr(X, "chunks") and np.ndim(X) == 2:
            if X.dtype.kind not in "buif":
                raise TypeError(f"{self.name}: X has dtype {X.dtype}: real numbers are needed")
            if X.shape[0] == 0:
                raise ValueError(f"{self.name}: X has shape {X.shape}: at least one row is needed")
            if np.isnan(X.shape[0]):
                raise ValueError(
                    f"{self.name}: X is a dask array with chunks of unknown size: call `X.compute_chunk_sizes()` first"
                )
            lengths, width = checked_lengths(lengths, X.shape[0], self.name), X.shape[1]
            pieces, cuts = _slices(X, lengths)
            firsts = np.cumsum([0, *map(sum, cuts)]).tolist()
        else:
            raise TypeError(
                f"{self.name}: X is a {type(X).__name__} of {type(X).__module__}; pass a dask bag of sequences, or a "
                "dask array (n, d) with lengths"
            )
        parts = [
            dask.delayed(_part, pure=False)(self, piece, cut, number, first, width)
            for number, (piece, cut, first) in enumerate(zip(pieces, cuts, firsts))
        ]
        found = dask.compute(*[dask.delayed(_description, pure=False)(part) for part in parts])
        # A bag that was filtered may have partitions without any sequence.
        parts = [part for part, each in zip(parts, found) if each is not None]
        found = [each for each in found if each is not None]
        if not parts:
            raise ValueError(f"{self.name}: the {type(X).__name__} holds no sequence")
        widths = {width for width, _ in found}
        if len(widths) != 1:
            raise ValueError(f"{self.name}: the sequences have different numbers of columns, {sorted(widths)}")
        width = widths.pop()
        if reset:
            model.n_features_in_ = width
        elif width != getattr(model, "n_features_in_", width):
            raise ValueError(f"X has {width} features, but {self.name} is expecting {model.n_features_in_} features")
        return DaskSequences(parts, np.concatenate([each for _, each in found]))


def is_bag(X: Any) -> bool:
    """Whether X is a dask bag, whose items are sequences with lengths of their own."""
    return is_streamed(X) and not hasattr(X, "shape")


class _Part:
    """Where a row of a part stands, in words."""

    def __init__(self, number: int, first: int | None) -> None:
        self.number, self.first = number, first

    def place(self, row: int) -> str:
        return f"row {row} of partition {self.number}" if self.first is None else f"row {self.first + row}"

    def column_name(self, column: int) -> str:
        return str(column)


def _part(
    reader: Reader, piece: Any, lengths: np.ndarray | None, number: int, first: int | None, width: int | None
) -> LocalSequences | None:
    """Runs where the data are; None for a partition without sequences."""
    if lengths is None:
        tables = [np.asarray(item, dtype=float) for item in piece]
        if not tables:
            return None
        tables = [item.reshape(-1, 1) if item.ndim == 1 and reader.one_column else item for item in tables]
        lengths, table = np.array([len(item) for item in tables]), np.concatenate(tables)
        if not np.all(lengths > 0):
            raise ValueError(f"{reader.name}: a sequence is empty; leave it out")
    else:
        assert first is not None
        assert width is not None
        check_shape(piece, first, (int(lengths.sum()), width))
        table = np.asarray(piece, dtype=float)
    fault = first_fault(Block(table, None, None, 0, len(table)), missing=reader.missing)
    if fault is not None:
        raise ValueError(f"{reader.name}: {sentence(fault, _Part(number, first))}")
    part = LocalSequences(reader.encode(np.ascontiguousarray(table)), lengths)
    part.n_columns = table.shape[1]  # type: ignore[attr-defined]
    return part


def _description(part: LocalSequences | None) -> tuple[int, np.ndarray] | None:
    return None if part is None else (part.n_columns, part.lengths)  # type: ignore[attr-defined]


def _slices(X: Any, lengths: np.ndarray) -> tuple[list[Any], list[Any]]:
    """A dask array cut between sequences into parts of about `PART_ROWS` rows."""
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    pieces, cuts, a = [], [], 0
    for s in range(len(lengths)):
        if offsets[s + 1] - offsets[a] >= PART_ROWS or s == len(lengths) - 1:
            pieces.append(X[int(offsets[a]) : int(offsets[s + 1])])
            cuts.append(lengths[a : s + 1])
            a = s + 1
    return pieces, cuts


def _depth(item: Any) -> int:
    return 1 + (_depth(item[0]) if len(item) and isinstance(item[0], list | tuple) else 0)


def checked_lengths(lengths, n: int, name: str) -> np.ndarray:
    """Positive whole numbers that add up to n; one sequence when None."""
    if lengths is None:
        return np.array([n])
    given = np.atleast_1d(np.asarray(lengths))
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise ValueError(f"{name}: lengths={lengths!r} must be whole numbers, one for each sequence")
    if np.any(given < 1):
        s = int(np.argmax(given < 1))
        raise ValueError(f"{name}: lengths[{s}] = {given[s]}: an empty sequence; leave it out")
    if given.sum() != n:
        raise ValueError(f"{name}: lengths add up to {given.sum()}, but X has {n} rows")
    return given.astype(np.int64)


def lengths_of(states) -> list[int] | None:
    """The lengths of a list of sequences of states; None for one flat sequence."""
    nested = isinstance(states, list | tuple) and any(np.ndim(item) for item in states)
    return [np.size(item) for item in states] if nested else None


def checked_states(states, lengths: np.ndarray, K: int, name: str) -> np.ndarray | None:
    """Known states as whole numbers 0 … K − 1, −1 where unknown; a list of sequences is put together."""
    if states is None:
        return None
    n = int(lengths.sum())
    if (own := lengths_of(states)) is not None and own != lengths.tolist() and sum(own) == n:
        raise ValueError(
            f"{name}: states are sequences of lengths {own[:6]}, but those of X are {lengths[:6].tolist()}; give each "
            "sequence its own states"
        )
    given = np.concatenate([np.atleast_1d(item) for item in states]) if own is not None else np.asarray(states)
    if given.shape != (n,) or given.dtype.kind not in "iu":
        raise ValueError(
            f"{name}: states must be one whole number for each of the {n} rows (-1 where unknown); they have shape "
            f"{given.shape} and type {given.dtype}"
        )
    if np.any((given < -1) | (given >= K)):
        t = int(np.argmax((given < -1) | (given >= K)))
        raise ValueError(f"{name}: states[{t}] = {given[t]}, but the states are 0 … {K - 1}, and -1 for unknown")
    return given.astype(np.int64)


def checked_weights(weights, n_sequences: int, name: str) -> np.ndarray | None:
    """Weights ≥ 0, one for each sequence, not all zero."""
    if weights is None:
        return None
    given = np.asarray(weights, dtype=float)
    if given.shape != (n_sequences,) or not np.all(np.isfinite(given)) or np.any(given < 0.0) or not given.any():
        raise ValueError(
            f"{name}: sequence_weight must hold {n_sequences} finite numbers >= 0, one for each sequence, at least one "
            f"positive; got {weights!r}"
        )
    return given


def refuse_misplaced_lengths(y, n: int | None, name: str) -> None:
    """The second argument is scikit-learn's y, which is ignored: `lengths` there would be lost without a word."""
    if y is not None and n is not None and len(y) != n:
        raise ValueError(
            f"{name}: the second argument has {len(y)} entries for {n} rows; it is y, which is ignored. Give lengths "
            "by name: lengths=[...]"
        )
