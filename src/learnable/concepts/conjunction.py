"""Attribute conjunctions: one constraint an attribute, which is a value, ? (any value) or ∅ (no value)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable.concepts.attributes import Attributes
from learnable.plain import plain

# Codes of the two constraints that are no values of a domain.
ANY_CODE, NEVER_CODE = -1, -2


@dataclass(frozen=True)
class Constraint:
    """A constraint that is no value: ANY (?) or NEVER (∅). No cell is equal to it, not even one that holds "?"."""

    symbol: str

    def __repr__(self) -> str:
        return "ANY" if self.symbol == "?" else "NEVER"


ANY, NEVER = Constraint("?"), Constraint("∅")


@dataclass(frozen=True)
class Conjunction:
    """A hypothesis ⟨c₁, …, c_d⟩: it covers the rows that meet the constraint of every attribute.

    One ∅ is enough for a conjunction to cover nothing; all such are one hypothesis, written with ∅ throughout. An
    attribute whose domain has a single value is taken to have others that were not named: its value and ? differ.

    Parameters
    ----------
    constraints : tuple with a value, ANY or NEVER for each attribute.

    Syllabus: V1.

    Examples
    --------
    >>> warm = Conjunction(("Sunny", "Warm", ANY))
    >>> print(warm, warm.covers(("Sunny", "Warm", "High")))
    <Sunny, Warm, ?> True
    >>> Conjunction((ANY, "Warm", ANY)).more_general_than(warm)
    True
    >>> print(warm.minimal_generalisation(("Sunny", "Cold", "High")))
    <Sunny, ?, ?>
    """

    constraints: tuple[Any, ...]

    def __post_init__(self) -> None:
        given = tuple(self.constraints)
        empty = any(constraint == NEVER for constraint in given)
        object.__setattr__(self, "constraints", (NEVER,) * len(given) if empty else given)

    @classmethod
    def everything(cls, n_attributes: int) -> "Conjunction":
        """⟨?, …, ?⟩, the most general hypothesis."""
        return cls((ANY,) * n_attributes)

    @classmethod
    def nothing(cls, n_attributes: int) -> "Conjunction":
        """⟨∅, …, ∅⟩, the most specific hypothesis."""
        return cls((NEVER,) * n_attributes)

    @classmethod
    def from_codes(cls, codes: Sequence[int] | np.ndarray, attributes: Attributes) -> "Conjunction":
        """The hypothesis of a row of codes: places in the domains, −1 for ? and −2 for ∅."""
        words = {ANY_CODE: ANY, NEVER_CODE: NEVER}
        return cls(
            tuple(
                words[code] if code < 0 else domain[code]
                for code, domain in zip(np.asarray(codes).tolist(), attributes.domains)
            )
        )

    def codes(self, attributes: Attributes) -> np.ndarray:
        """The constraints as places in the domains, −1 for ? and −2 for ∅."""
        self._refuse_length(len(attributes), "attributes")
        found = np.empty(len(attributes), dtype=np.int32)
        for j, constraint in enumerate(self.constraints):
            if constraint in (ANY, NEVER):
                found[j] = ANY_CODE if constraint == ANY else NEVER_CODE
            elif constraint in attributes.domains[j]:
                found[j] = attributes.domains[j].index(constraint)
            else:
                raise ValueError(
                    f"{self}: {plain(constraint)!r} is not in the domain {attributes.domains[j]} of attribute "
                    f"{attributes.names[j]!r}"
                )
        return found

    @property
    def is_empty(self) -> bool:
        """Whether it covers nothing."""
        return any(constraint == NEVER for constraint in self.constraints)

    @property
    def n_constrained(self) -> int:
        """Number of attributes that are asked for a value."""
        return sum(constraint != ANY for constraint in self.constraints)

    def covers(self, row: Sequence[Any]) -> bool:
        """Whether the row meets every constraint."""
        self._refuse_length(len(row), "cells")
        return all(c == ANY or (c != NEVER and bool(c == cell)) for c, cell in zip(self.constraints, row))

    def more_general_than(self, other: "Conjunction") -> bool:
        """Whether this covers at least what `other` covers; every hypothesis is so with itself."""
        self._refuse_length(len(other.constraints), "constraints")
        return other.is_empty or all(
            mine == ANY or (mine != NEVER and mine == theirs)
            for mine, theirs in zip(self.constraints, other.constraints)
        )

    def strictly_more_general_than(self, other: "Conjunction") -> bool:
        """More general, and not the same."""
        return self != other and self.more_general_than(other)

    def minimal_generalisation(self, row: Sequence[Any]) -> "Conjunction":
        """The most specific hypothesis that covers this and the row; in this language there is exactly one."""
        self._refuse_length(len(row), "cells")
        if self.is_empty:
            return Conjunction(tuple(row))
        return Conjunction(tuple(c if c != ANY and c == cell else ANY for c, cell in zip(self.constraints, row)))

    def minimal_specialisations(self, row: Sequence[Any], attributes: Attributes) -> tuple["Conjunction", ...]:
        """The most general hypotheses below this one that do not cover the row: the hypothesis itself, if it does not.

        Each asks one free attribute for a value that the row does not have.
        """
        if not self.covers(row):
            return (self,)
        below = tuple(
            self._with(j, value)
            for j, constraint in enumerate(self.constraints)
            if constraint == ANY
            for value in attributes.domains[j]
            if value != row[j]
        )
        return below or (Conjunction.nothing(len(self.constraints)),)

    def children(self, attributes: Attributes) -> tuple["Conjunction", ...]:
        """The neighbours just below in the lattice."""
        if self.is_empty:
            return ()
        free = [j for j, constraint in enumerate(self.constraints) if constraint == ANY]
        if not free:
            return (Conjunction.nothing(len(self.constraints)),)
        return tuple(self._with(j, value) for j in free for value in attributes.domains[j])

    def parents(self, attributes: Attributes) -> tuple["Conjunction", ...]:
        """The neighbours just above in the lattice."""
        if self.is_empty:
            return tuple(_every_instance(attributes))
        return tuple(self._with(j, ANY) for j, constraint in enumerate(self.constraints) if constraint != ANY)

    def _with(self, j: int, constraint: Any) -> "Conjunction":
        return Conjunction((*self.constraints[:j], constraint, *self.constraints[j + 1 :]))

    def _refuse_length(self, length: int, what: str) -> None:
        if length != len(self.constraints):
            raise ValueError(f"{self} has {len(self.constraints)} constraints, but there are {length} {what}")

    def __str__(self) -> str:
        words = (c.symbol if isinstance(c, Constraint) else str(c) for c in self.constraints)
        return f"<{', '.join(words)}>"


def covered(hypotheses: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Which hypotheses (k, d) of codes cover which rows (n, d) of codes: a mask (k, n).

    >>> covered(np.array([[-1, 0], [-1, -1], [-2, -2]]), np.array([[1, 0], [1, 1]]))
    array([[ True, False],
           [ True,  True],
           [False, False]])
    """
    result = np.ones((len(hypotheses), len(rows)), dtype=bool)
    for j in np.flatnonzero((hypotheses != ANY_CODE).any(axis=0)):
        constraint = hypotheses[:, [j]]
        result &= (constraint == ANY_CODE) | (constraint == rows[:, j])
    return result


def count_conjunctions(attributes: Attributes) -> int:
    """Number of semantically distinct conjunctions, 1 + Π(1 + nᵢ): every attribute free or at a value, and ∅ once.

    Syllabus: V1.

    >>> count_conjunctions(Attributes(tuple("abcdef"), (("s", "c", "r"), *[(0, 1)] * 5)))
    973
    """
    total = 1
    for size in attributes.sizes:
        total *= 1 + size
    return total + 1


def every_conjunction(attributes: Attributes) -> Iterator[Conjunction]:
    """All of them, ∅ first; `count_conjunctions` says how many.

    >>> [str(h) for h in every_conjunction(Attributes(("x",), ((0, 1),)))]
    ['<∅>', '<?>', '<0>', '<1>']
    """
    from itertools import product

    yield Conjunction.nothing(len(attributes))
    for constraints in product(*((ANY, *domain) for domain in attributes.domains)):
        yield Conjunction(constraints)


def _every_instance(attributes: Attributes) -> Iterator[Conjunction]:
    from itertools import product

    return (Conjunction(row) for row in product(*attributes.domains))
