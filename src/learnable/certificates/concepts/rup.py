"""Checking a proof that clauses cannot all be true, by unit propagation alone. Syllabus: V10.

A clause follows by *reverse unit propagation* (RUP) from others when making all its literals false and then following
every clause that has a single literal left leads to a clause with none. A proof is a list of clauses, each of which
follows in this way from the given ones and those before it; the last one is empty. Literals are non-zero integers,
v for a variable and −v for its negation.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

Clause = Sequence[int]


class ProofCheck(NamedTuple):
    """What became of a proof.

    Attributes
    ----------
    steps : how many clauses it has.
    rejected : how many of them do not follow; the check ends at the first, so 0 or 1.
    refutes : whether it reaches the empty clause.
    """

    steps: int
    rejected: int
    refutes: bool


def check_proof(clauses: Iterable[Clause], proof: Sequence[Clause]) -> ProofCheck:
    """Check that every clause of `proof` follows from `clauses` and the ones before it, and that the last is empty.

    >>> clauses = [[1, 2], [-1, 2], [1, -2], [-1, -2]]
    >>> check_proof(clauses, [[2], []])
    ProofCheck(steps=2, rejected=0, refutes=True)
    >>> check_proof(clauses[:3], [[2], []]).refutes
    False
    """
    database = _Database()
    for clause in clauses:
        database.add(clause)
    for step in proof:
        if not database.implies(step):
            return ProofCheck(len(proof), 1, False)
        database.add(step)
    return ProofCheck(len(proof), 0, database.contradictory)


class _Database:
    """Clauses under unit propagation; each watches two of its literals and is visited when one becomes false."""

    def __init__(self) -> None:
        self.contradictory = False
        self._true: set[int] = set()
        self._watchers: dict[int, list[list[int]]] = {}

    def add(self, clause: Clause) -> None:
        """Take a clause in; what is true because of it is true for good."""
        literals = list(dict.fromkeys(int(literal) for literal in clause))
        if 0 in literals:
            raise ValueError(f"check_proof: 0 is no literal, in the clause {literals}")
        if any(literal in self._true or -literal in literals for literal in literals):
            return
        literals.sort(key=lambda literal: -literal in self._true)  # those that are not false come first, to be watched
        free = sum(-literal not in self._true for literal in literals)
        if free > 1:
            for literal in literals[:2]:
                self._watchers.setdefault(literal, []).append(literals)
        elif free == 0 or not self._propagate(literals[:1]).sound:
            self.contradictory = True

    def implies(self, clause: Clause) -> bool:
        """Whether the clause follows by reverse unit propagation."""
        if self.contradictory:
            return True
        tried = self._propagate([-int(literal) for literal in clause])
        self._true.difference_update(tried.made_true)
        return not tried.sound

    def _propagate(self, literals: Sequence[int]) -> "_Propagation":
        """Make literals true with all that follows from it, up to the first contradiction."""
        trail: list[int] = []
        for literal in literals:
            if -literal in self._true:
                return _Propagation(trail, sound=False)
            if literal not in self._true:
                self._true.add(literal)
                trail.append(literal)
        for literal in trail:  # grows while it is walked
            watching = self._watchers.pop(-literal, [])
            kept = self._watchers[-literal] = []
            for position, clause in enumerate(watching):
                if clause[0] == -literal:
                    clause[0], clause[1] = clause[1], clause[0]
                if clause[0] in self._true:
                    kept.append(clause)
                    continue
                other = next((i for i in range(2, len(clause)) if -clause[i] not in self._true), None)
                if other is not None:
                    clause[1], clause[other] = clause[other], clause[1]
                    self._watchers.setdefault(clause[1], []).append(clause)
                    continue
                kept.append(clause)
                if -clause[0] in self._true:
                    kept.extend(watching[position + 1 :])
                    return _Propagation(trail, sound=False)
                self._true.add(clause[0])
                trail.append(clause[0])
        return _Propagation(trail, sound=True)


class _Propagation(NamedTuple):
    """The literals that became true, and whether no clause was left without one that can be."""

    made_true: list[int]
    sound: bool
