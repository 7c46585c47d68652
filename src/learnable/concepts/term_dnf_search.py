"""Search for a DNF of k terms that fits examples: greedy covering first, then an exact search by SAT with a proof."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from learnable.concepts import sat


class TermState(NamedTuple):
    """How far the search got.

    Attributes
    ----------
    objective : different positive examples that the terms at hand do not cover.
    terms : bool array (terms, 2n), the literals of each.
    conflicts : dead ends of the exact search so far; 0 while terms are still chosen greedily.
    refutation : int array, the clauses of the proof that there is no such DNF, each ended by 0; empty without one.
    witness : the rows that the proof speaks of.
    decided : whether the terms fit, or the proof is complete.
    """

    objective: float
    terms: np.ndarray
    conflicts: int
    refutation: np.ndarray
    witness: tuple[int, ...]
    decided: bool


def term_dnf_states(truth: np.ndarray, positive: np.ndarray, k: int) -> Iterator[TermState]:
    """The states of the search, one a greedy term and then one every few hundred conflicts.

    Parameters
    ----------
    truth : bool array (rows, 2n) of the literals.
    positive : bool array (rows,).
    k : number of terms at most.
    """
    _, rows = np.unique(np.column_stack([truth, positive]), axis=0, return_index=True)
    rows.sort()  # each example once
    truth, positive = truth[rows], positive[rows]
    nothing = TermState(float(positive.sum()), np.zeros((0, truth.shape[1]), dtype=bool), 0, _EMPTY, (), False)
    state = nothing._replace(decided=not positive.any())
    yield state
    for terms, uncovered in _greedy_terms(truth[positive], truth[~positive], k):
        state = nothing._replace(objective=float(uncovered), terms=terms, decided=uncovered == 0)
        yield state
    if not state.decided:
        some = _contradiction(truth, positive)
        for exact in _exact(truth[some], positive[some], k, state):
            yield exact._replace(witness=tuple(rows[some][list(exact.witness)].tolist()))


def most_specific(terms: np.ndarray, positive_truth: np.ndarray) -> np.ndarray:
    """Each term with all literals that the positive examples it covers share; terms that cover none are left out.

    It covers the same positive examples as before and no more of anything else.
    """
    covered = ~np.any(terms[:, None, :] & ~positive_truth[None], axis=2)
    rows = [positive_truth[cover].all(axis=0) for cover in covered if cover.any()]
    return np.array(rows, dtype=bool).reshape(-1, positive_truth.shape[1])


def clauses_for(truth: np.ndarray, positive: np.ndarray, k: int, guards: Sequence[int] = ()) -> list[list[int]]:
    """The search as clauses for a SAT solver.

    Variable 1 + c·2n + l says that literal l is in term c, and 1 + k·2n + c·P + i that term c is chosen to cover the
    i-th of the P positive rows. A chosen term has no literal that is false at its row; every term has a literal that
    is false at each negative row. Terms are numbered in the order in which they are first chosen.

    Parameters
    ----------
    guards : a literal for each row that switches its clauses on; none when they are always on.
    """
    n_literals, P = truth.shape[1], int(positive.sum())
    clauses, met = [], 0
    for row, (true, member) in enumerate(zip(truth, positive)):
        guard = [-guards[row]] if guards else []
        false = (np.flatnonzero(~true) + 1).tolist()
        if not member:
            clauses += [guard + [literal + c * n_literals for literal in false] for c in range(k)]
            continue
        chosen = [1 + k * n_literals + c * P + met for c in range(min(k, met + 1))]
        clauses.append(guard + chosen)
        clauses += [[-choice, -(literal + c * n_literals)] for c, choice in enumerate(chosen) for literal in false]
        met += 1
    return clauses


_EMPTY = np.zeros(0, dtype=np.int32)


def _greedy_terms(positive: np.ndarray, negative: np.ndarray, k: int) -> Iterator[tuple[np.ndarray, int]]:
    """(terms so far, positives not covered): each term is stretched over further positives while no negative is hit."""

    def hits(term: np.ndarray) -> bool:
        return bool(np.any(~np.any(term & ~negative, axis=1)))

    left = positive[[not hits(row) for row in positive]]  # a positive that equals a negative cannot be covered
    terms: list[np.ndarray] = []
    while len(left) and len(terms) < k:
        term = left[0]
        for row in left[1:]:
            if not hits(term & row):
                term = term & row
        terms.append(term)  # the literals that the rows it was stretched over share, so the most specific for them
        left = left[np.any(term & ~left, axis=1)]
        covered = ~np.any(np.array(terms)[:, None, :] & ~positive[None], axis=2)
        yield np.array(terms), int((~covered.any(axis=0)).sum())


def _contradiction(truth: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """The rows of a positive and a negative example that are the same; all rows when there are none."""
    _, group = np.unique(truth, axis=0, return_inverse=True)
    both = np.flatnonzero(np.bincount(group.ravel()) == 2)  # no example comes twice, so these have both labels
    return np.flatnonzero(group.ravel() == both[0]) if len(both) else np.arange(len(truth))


def _exact(truth: np.ndarray, positive: np.ndarray, k: int, greedy: TermState) -> Iterator[TermState]:
    """1. Search with every row switched on; 2. keep the rows that clash; 3. prove the clash on these rows alone."""
    n_literals, n_rows = truth.shape[1], len(truth)
    first_guard = 1 + k * n_literals + k * int(positive.sum())
    guards = list(range(first_guard, first_guard + n_rows))
    with sat.solver(clauses_for(truth, positive, k, guards)) as search:
        switched_on, smaller = guards, True
        while smaller:
            for decided in sat.decisions(search, switched_on):
                if decided is None:
                    yield greedy._replace(conflicts=sat.conflicts(search))
            spent = sat.conflicts(search)
            if decided:
                chosen = np.array(search.get_model()[: k * n_literals]).reshape(k, n_literals) > 0
                terms = most_specific(chosen, truth[positive])
                yield greedy._replace(objective=0.0, terms=terms, conflicts=spent, decided=True)
                return
            clash = sorted(search.get_core() or [])
            smaller, switched_on = len(clash) < len(switched_on), clash
    rows = np.array(switched_on) - first_guard
    with sat.solver(clauses_for(truth[rows], positive[rows], k), with_proof=True) as search:
        for decided in sat.decisions(search):
            if decided is None:
                yield greedy._replace(conflicts=spent + sat.conflicts(search))
        yield greedy._replace(
            conflicts=spent + sat.conflicts(search),
            refutation=sat.flat_proof(search),
            witness=tuple(rows.tolist()),
            decided=True,
        )
