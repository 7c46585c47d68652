"""Sums over sequences: blocks of whole sequences over threads, or the parts of a dask collection over its scheduler."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np

from learnable.rows import add
from learnable.rows.source import own
from learnable.rows.threads import in_order, one_blas_thread_meanwhile, worker_count

# Rows in a block: K = 16 states fill 512 KiB, which stays in a core's cache from one pass to the next.
BLOCK_ROWS = 4096


class SequenceBlock(NamedTuple):
    """Some whole sequences, one after the other.

    Attributes
    ----------
    rows : (n, …) observations.
    ends : (S,) sequence s ends before row ends[s].
    weights : (S,) what each sequence counts.
    states : (n,) known states, −1 where unknown; None when nothing is known.
    first : number of the first sequence.
    """

    rows: np.ndarray
    ends: np.ndarray
    weights: np.ndarray
    states: np.ndarray | None
    first: int


class Sequences(ABC):
    """Sequences, wherever they are, that can be summed over in blocks; the answer is the same for any `n_jobs`."""

    lengths: np.ndarray

    @abstractmethod
    def results(self, function: Callable[[SequenceBlock], Any], n_jobs: int | None) -> list[Any]:
        """`function(block)` for every block, in order."""

    @abstractmethod
    def total(self, function: Callable[[SequenceBlock], Any], n_jobs: int | None) -> Any:
        """Σ function(block), added from the first block to the last."""


class LocalSequences(Sequences):
    """Sequences in memory.

    Parameters
    ----------
    rows : (n, …) all observations, sequence after sequence.
    lengths : (S,) length of each.
    weights : (S,), default=ones.
    states : (n,) known states or −1, default=None.
    first : number of the first sequence.

    Examples
    --------
    >>> sequences = LocalSequences(np.arange(5.0)[:, None], np.array([2, 3]))
    >>> float(sequences.total(lambda block: block.rows.sum(), n_jobs=1))
    10.0
    """

    def __init__(self, rows, lengths, weights=None, states=None, first: int = 0):
        self.rows, self.lengths, self.states, self.first = rows, np.asarray(lengths, dtype=np.int64), states, first
        self.weights = np.ones(len(self.lengths)) if weights is None else np.asarray(weights, dtype=float)
        self.offsets = np.concatenate(([0], np.cumsum(self.lengths)))
        # Cuts depend on the lengths alone, never on the number of threads.
        self.cuts = [0]
        for s in range(len(self.lengths)):
            if self.offsets[s + 1] - self.offsets[self.cuts[-1]] >= BLOCK_ROWS or s == len(self.lengths) - 1:
                self.cuts.append(s + 1)

    def block(self, number: int) -> SequenceBlock:
        """One block, without copying."""
        a, b = self.cuts[number], self.cuts[number + 1]
        begin, end = self.offsets[a], self.offsets[b]
        states = None if self.states is None else self.states[begin:end]
        ends = self.offsets[a + 1 : b + 1] - begin
        return SequenceBlock(self.rows[begin:end], ends, self.weights[a:b], states, self.first + a)

    def results(self, function: Callable[[SequenceBlock], Any], n_jobs: int | None) -> list[Any]:
        numbers = range(len(self.cuts) - 1)
        with one_blas_thread_meanwhile() as granted:
            workers = worker_count(n_jobs, granted, len(numbers))
            if workers == 1:
                return [function(self.block(number)) for number in numbers]
            with closing(in_order(lambda number: function(self.block(number)), iter(numbers), workers)) as found:
                return list(found)

    def total(self, function: Callable[[SequenceBlock], Any], n_jobs: int | None) -> Any:
        return added(self.results(function, n_jobs))


class DaskSequences(Sequences):
    """Sequences in the parts of a dask collection: each part is summed where it is, the sums are added here.

    Parameters
    ----------
    parts : delayed objects, each a `LocalSequences`.
    lengths : (S,) lengths of all sequences.
    """

    def __init__(self, parts: list[Any], lengths: np.ndarray):
        self.parts, self.lengths = parts, lengths

    def results(self, function: Callable[[SequenceBlock], Any], n_jobs: int | None) -> list[Any]:
        import dask

        found = dask.compute(*[dask.delayed(_part_results, pure=False)(part, function) for part in self.parts])
        return [result for part in found for result in part]

    def total(self, function: Callable[[SequenceBlock], Any], n_jobs: int | None) -> Any:
        import dask

        return added(list(dask.compute(*[dask.delayed(_part_total, pure=False)(p, function) for p in self.parts])))


def added(partials: list[Any]) -> Any:
    """The partial results added from the first to the last."""
    total = own(partials[0]) if len(partials) > 1 else partials[0]
    for part in partials[1:]:
        total = add(total, part)
    return total


def _part_results(part: LocalSequences, function: Callable[[SequenceBlock], Any]) -> list[Any]:
    return part.results(function, 1)


def _part_total(part: LocalSequences, function: Callable[[SequenceBlock], Any]) -> Any:
    return part.total(function, 1)
