"""Elimination: start with all clauses of at most k literals and delete those that an example makes false."""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from learnable.concepts.packed import PackedTruth

# Examples that all clauses are tried on; those after are for the clauses that are left.
FIRST_BLOCK = 128


class EliminationState(NamedTuple):
    """The clauses after some examples.

    Attributes
    ----------
    objective : clauses left.
    example : the row met last, of those that deleted a clause; −1 at the start.
    deleted : numbers of the clauses it deleted.
    alive : bool (clauses,), which are left.
    """

    objective: float
    example: int
    deleted: np.ndarray
    alive: np.ndarray


def eliminations(clauses: np.ndarray, truth: np.ndarray, teaches: np.ndarray) -> Iterator[EliminationState]:
    """The states of the elimination, one at the start and one for each teaching example that deletes a clause.

    The first example at which each clause is false is found for all clauses at once, on bits; the states follow.

    Parameters
    ----------
    clauses : int array (m, k) filled up with −1.
    truth : bool array (rows, 2n) of the literals.
    teaches : bool array (rows,), the examples at which the formula must be true.
    """
    rows = np.flatnonzero(teaches)
    first = _first_refutation(clauses, truth[rows])
    alive = np.ones(len(clauses), dtype=bool)
    yield EliminationState(float(len(clauses)), -1, np.zeros(0, dtype=np.intp), alive)
    order = np.argsort(first, kind="stable")
    starts = np.searchsorted(first[order], np.arange(len(rows) + 1))
    for number, row in enumerate(rows.tolist()):
        deleted = order[starts[number] : starts[number + 1]]
        if len(deleted):
            alive[deleted] = False
            yield EliminationState(float(len(clauses) - starts[number + 1]), row, deleted, alive)


def _first_refutation(clauses: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """The first row at which each clause is false, the number of rows where there is none.

    Most clauses fall at the first rows, so the blocks grow as the clauses become fewer.
    """
    first = np.full(len(clauses), len(truth), dtype=np.intp)
    left, start, size = np.arange(len(clauses)), 0, FIRST_BLOCK
    while start < len(truth) and len(left):
        block = truth[start : start + size]
        found = PackedTruth(block).first_false(clauses[left])
        refuted = found < len(block)
        first[left[refuted]] = start + found[refuted]
        left, start, size = left[~refuted], start + size, 4 * size
    return first


def forcing_examples(rows: np.ndarray, target: np.ndarray, k: int) -> list[int]:
    """Indices of a few rows such that every k-CNF that is true at them is true at `target` too.

    A clause of k literals that is false at the target is false at a row that agrees with it on the k variables. So
    rows force the target when on each k variables one of them agrees with it; a single one if it equals the target.
    All rows together must force the target.

    >>> forcing_examples(np.array([[0, 0, 1], [1, 1, 0], [0, 1, 1]], dtype=bool), np.array([0, 1, 0], dtype=bool), 1)
    [2, 1]
    """
    agree = rows == target
    open_sets = np.array(list(combinations(range(rows.shape[1]), min(k, rows.shape[1]))))
    by_agreement = np.argsort(-agree.sum(axis=1), kind="stable")
    chosen: list[int] = []
    while len(open_sets):
        candidates = by_agreement[agree[by_agreement][:, open_sets[0]].all(axis=1)]
        if not len(candidates):
            raise ValueError(f"these rows do not force the target: a {k}-CNF tells them apart")
        chosen.append(int(candidates[0]))
        open_sets = open_sets[~agree[candidates[0], open_sets].all(axis=1)]
    return chosen
