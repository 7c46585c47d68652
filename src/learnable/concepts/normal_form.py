"""Boolean formulas in normal form as values: CNF (a conjunction of clauses) and DNF (a disjunction of terms)."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from learnable.concepts.generality import point_between
from learnable.concepts.literal_set import Clause, LiteralSet, Monomial, literal_truth
from learnable.concepts.packed import PackedTruth

# Parts of a normal form that its text shows; the rest is counted.
SHOWN = 12


class NormalForm(ABC):
    """Parts joined by one connective, literals within a part by the other. Two with the same parts are equal.

    Parameters
    ----------
    parts : iterable of iterables of literals (i for xᵢ, i + n for ¬xᵢ), or int array (m, w) filled up with −1.
    n_variables : int

    Attributes
    ----------
    parts : int32 array (m, w), a part a row, sorted and without repetition, filled up with −1.
    """

    of: ClassVar[type[LiteralSet]]
    joint: ClassVar[str]

    def __init__(self, parts: Any, n_variables: int):
        self.n_variables = int(n_variables)
        self.parts = _canonical(parts, self.n_variables, type(self).__name__)

    @property
    def width(self) -> int:
        """Literals in the longest part: a k-CNF or k-DNF has width at most k."""
        return int((self.parts >= 0).sum(axis=1).max(initial=0))

    @property
    def size(self) -> int:
        """Number of literals, counted as often as they stand in the formula."""
        return int((self.parts >= 0).sum())

    def covers(self, X: Any) -> Any:
        """Whether the formula is true, for each row of a table of zeros and ones, or for a single row.

        Parameters
        ----------
        X : array (rows, n) or (n,) of 0 and 1.
        """
        truth = literal_truth(X, self.n_variables)
        return self.true_on(truth) if truth.ndim == 2 else self.true_on(truth[None])[0]

    @abstractmethod
    def true_on(self, truth: np.ndarray) -> np.ndarray:
        """`covers` given the truth (rows, 2n) of the literals, as of `Literals.truth`."""

    @abstractmethod
    def negated(self) -> "NormalForm":
        """The formula that is true where this one is not (De Morgan)."""

    @abstractmethod
    def _empty_word(self) -> str: ...

    def more_general_than(self, other: "NormalForm") -> bool:
        """Whether this covers at least what `other` covers; every formula is so with itself.

        Found from the truth table, or beyond 16 variables by a SAT solver (the extra `sat`); `point_between` gives
        the point that decides. Syllabus: V1.

        >>> DNF([[0], [1]], n_variables=2).more_general_than(CNF([[0], [1]], n_variables=2))
        True
        """
        return point_between(self, other) is None

    def essential(self) -> "NormalForm":
        """An equivalent formula without the parts that contain another part.

        >>> print(CNF([[0, 1], [0]], n_variables=2).essential())
        x0
        """
        rows = [frozenset(row[row >= 0].tolist()) for row in self.parts]
        present = set(rows)
        return type(self)([row for row in rows if not _contains_another(row, present)], self.n_variables)

    def in_words(self, names: Sequence[str] | None = None) -> str:
        """The formula as text, without redundant parts; `names` are those of the 2n literals."""
        shown = list(self.essential())
        words = [part.in_words(names) for part in shown[:SHOWN]]
        if len(shown) > 1:
            words = [f"({word})" if len(part) > 1 else word for word, part in zip(words, shown)]
        if len(shown) > SHOWN:
            words.append(f"… {len(shown) - SHOWN} more")
        return f" {self.joint} ".join(words) or self._empty_word()

    def __iter__(self) -> Iterator[LiteralSet]:
        return (self.of(row[row >= 0], self.n_variables) for row in self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and self.n_variables == other.n_variables  # type: ignore[attr-defined]
            and np.array_equal(self.parts, other.parts)  # type: ignore[attr-defined]
        )

    def __hash__(self) -> int:
        return hash((type(self), self.n_variables, self.parts.tobytes()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.in_words()})"

    __str__ = in_words


class CNF(NormalForm):
    """A conjunction of clauses, true when every clause has a true literal. A k-CNF has at most k literals a clause.

    Syllabus: V9, V13.

    Examples
    --------
    >>> formula = CNF([[0, 1], [5]], n_variables=3)
    >>> print(formula, formula.covers([[1, 0, 0], [1, 0, 1]]), formula.width, formula.size)
    (x0 ∨ x1) ∧ ¬x2 [ True False] 2 3
    >>> print(formula.negated())
    x2 ∨ (¬x0 ∧ ¬x1)
    """

    of = Clause
    joint = "∧"

    def true_on(self, truth: np.ndarray) -> np.ndarray:
        packed, ends = PackedTruth(truth), np.ones(len(truth), dtype=bool)
        for _, words in packed.any_of(self.parts):
            ends &= packed.unpacked(np.bitwise_and.reduce(words, axis=0))
        return ends

    def negated(self) -> "DNF":
        return DNF(_opposite(self.parts, self.n_variables), self.n_variables)

    def _empty_word(self) -> str:
        return "true"


class DNF(NormalForm):
    """A disjunction of terms, true when all literals of some term are. A k-term DNF has at most k terms.

    Syllabus: V9, V10, V13.

    Examples
    --------
    >>> formula = DNF([[0, 4], [2]], n_variables=3)
    >>> print(formula, formula.covers([[1, 0, 0], [1, 1, 0]]), len(formula))
    (x0 ∧ ¬x1) ∨ x2 [ True False] 2
    """

    of = Monomial
    joint = "∨"

    def true_on(self, truth: np.ndarray) -> np.ndarray:
        packed, starts = PackedTruth(truth), np.zeros(len(truth), dtype=bool)
        for _, words in packed.all_of(self.parts):
            starts |= packed.unpacked(np.bitwise_or.reduce(words, axis=0))
        return starts

    def negated(self) -> CNF:
        return CNF(_opposite(self.parts, self.n_variables), self.n_variables)

    def to_cnf(self) -> CNF:
        """The same function as a CNF, by distributing: one clause for each choice of a literal from every term.

        A DNF of k terms becomes a k-CNF of at most Π|Tᵢ| clauses; clauses with x and ¬x are left out.
        Syllabus: V13.

        >>> print(DNF([[0, 1], [2, 3]], n_variables=4).to_cnf())
        (x0 ∨ x2) ∧ (x0 ∨ x3) ∧ (x1 ∨ x2) ∧ (x1 ∨ x3)
        """
        n = self.n_variables
        clauses: set[frozenset[int]] = {frozenset()}
        for term in self:
            clauses = {
                clause | {literal}
                for clause in clauses
                for literal in term.literals
                if (literal + n) % (2 * n) not in clause
            }
        return CNF(clauses, n)

    def _empty_word(self) -> str:
        return "false"


def _contains_another(row: frozenset[int], present: set[frozenset[int]]) -> bool:
    """Whether a proper subset of the row is there: the subsets are tried, or all that is there, whichever are fewer."""
    if 2 ** len(row) > len(present):
        return any(other < row for other in present)
    return any(frozenset(less) in present for r in range(len(row)) for less in combinations(row, r))


def _opposite(parts: np.ndarray, n: int) -> np.ndarray:
    return np.where(parts >= 0, (parts + n) % (2 * n), -1)


def _canonical(parts: Any, n: int, name: str) -> np.ndarray:
    """Literals ascending within a part, each once, fillings last; parts in lexicographic order, each once."""
    if isinstance(parts, np.ndarray):
        largest, table = int(parts.max(initial=-1)), np.where(parts < 0, 2 * n, parts).astype(np.int32)
    else:
        rows = [[int(literal) for literal in part] for part in parts]
        literals = [literal for row in rows for literal in row]
        if min(literals, default=0) < 0:
            raise ValueError(f"{name}: literal {min(literals)} is negative; ¬xᵢ is i + n")
        largest, table = max(literals, default=-1), np.full((len(rows), max(map(len, rows), default=0)), 2 * n)
        for row, given in zip(table, rows):
            row[: len(given)] = given
        table = table.astype(np.int32)
    if largest >= 2 * n:
        raise ValueError(f"{name}: literal {largest} over {n} variables; they must be in 0 … {2 * n - 1}")
    table.sort(axis=1)
    if table.shape[1] > 1:
        table[:, 1:][table[:, 1:] == table[:, :-1]] = 2 * n
        table.sort(axis=1)
    width = max(int((table < 2 * n).sum(axis=1).max(initial=0)), 1)
    table = table[:, :width] if table.shape[1] else np.full((len(table), 1), 2 * n, dtype=np.int32)
    table = table[np.lexsort(table.T[::-1])]
    new = np.append(True, np.any(table[1:] != table[:-1], axis=1)) if len(table) else np.zeros(0, dtype=bool)
    table = table[new]
    return np.where(table == 2 * n, np.int32(-1), table)
