"""Sets of literals as formulas: monomials, which ask for all of them, and clauses, which ask for one."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from learnable.plain import plain


class LiteralSet(ABC):
    """A set of literals over n variables; literal i is xᵢ and i + n is ¬xᵢ."""

    joint: ClassVar[str]

    def __init__(self, literals: Iterable[int], n_variables: int):
        self.literals = tuple(sorted({int(literal) for literal in literals}))
        self.n_variables = n_variables
        if self.literals and not 0 <= self.literals[0] <= self.literals[-1] < 2 * n_variables:
            raise ValueError(
                f"{type(self).__name__}: literals {self.literals} over {n_variables} variables; they must be in "
                f"0 … {2 * n_variables - 1}"
            )

    @abstractmethod
    def covers(self, X: Any) -> Any:
        """Whether it is true, for each row of a table of zeros and ones, or for a single row."""

    @abstractmethod
    def more_general_than(self, other: Any) -> bool:
        """Whether this covers at least what `other`, of the same kind, covers; every formula is so with itself."""

    @abstractmethod
    def negated(self) -> "LiteralSet":
        """The formula that is true where this one is not (De Morgan)."""

    def in_words(self, names: Sequence[str] | None = None) -> str:
        """The formula as text; `names` are those of the 2n literals."""
        names = literal_names(self.n_variables) if names is None else names
        return f" {self.joint} ".join(names[literal] for literal in self.literals) or self._empty_word()

    @property
    def has_opposites(self) -> bool:
        """Whether some xᵢ and ¬xᵢ are both in it: such a monomial is never true, such a clause always."""
        return bool(set(self.literals) & set(self._opposites()))

    @abstractmethod
    def _empty_word(self) -> str: ...

    def _opposites(self) -> list[int]:
        return [(literal + self.n_variables) % (2 * self.n_variables) for literal in self.literals]

    def __len__(self) -> int:
        return len(self.literals)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.literals, self.n_variables))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.in_words()})"

    __str__ = in_words


class Monomial(LiteralSet):
    """A conjunction of literals, true when all of them are; without any it is always true.

    Syllabus: V4, V9.

    Parameters
    ----------
    literals : iterable of int, i for xᵢ and i + n for ¬xᵢ.
    n_variables : int

    Examples
    --------
    >>> term = Monomial([0, 4], n_variables=3)
    >>> print(term, term.covers([[1, 0, 0], [1, 1, 0]]), term.negated(), sep="   ")
    x0 ∧ ¬x1   [ True False]   x1 ∨ ¬x0
    """

    joint = "∧"

    def covers(self, X: Any) -> Any:
        return literal_truth(X, self.n_variables)[..., list(self.literals)].all(axis=-1)

    def more_general_than(self, other: "Monomial") -> bool:
        return other.has_opposites or set(self.literals) <= set(other.literals)

    def negated(self) -> "Clause":
        return Clause(self._opposites(), self.n_variables)

    def _empty_word(self) -> str:
        return "true"


class Clause(LiteralSet):
    """A disjunction of literals, true when one of them is; without any it is never true.

    Syllabus: V5, V9.

    Parameters
    ----------
    literals : iterable of int, i for xᵢ and i + n for ¬xᵢ.
    n_variables : int

    Examples
    --------
    >>> print(Clause([0, 4], n_variables=3), Clause([0, 4], 3).covers([[0, 0, 0], [0, 1, 0]]))
    x0 ∨ ¬x1 [ True False]
    """

    joint = "∨"

    def covers(self, X: Any) -> Any:
        return literal_truth(X, self.n_variables)[..., list(self.literals)].any(axis=-1)

    def more_general_than(self, other: "Clause") -> bool:
        return self.has_opposites or set(self.literals) >= set(other.literals)

    def negated(self) -> Monomial:
        return Monomial(self._opposites(), self.n_variables)

    def _empty_word(self) -> str:
        return "false"


def literal_names(n_variables: int) -> tuple[str, ...]:
    """x0 … xₙ₋₁, ¬x0 … ¬xₙ₋₁."""
    plain = [f"x{i}" for i in range(n_variables)]
    return (*plain, *(f"¬{name}" for name in plain))


def literal_truth(X: Any, n_variables: int) -> np.ndarray:
    """Truth (rows, 2n) of the literals on a table of zeros and ones, or (2n,) on a single row.

    >>> literal_truth([[1, 0]], 2).astype(int)
    array([[1, 0, 0, 1]])
    """
    X = np.asarray(X)
    if X.ndim not in (1, 2) or X.shape[-1] != n_variables:
        raise ValueError(f"a table of shape {X.shape} for a formula over {n_variables} variables")
    if X.dtype != bool and not np.all((X == 0) | (X == 1)):
        raise ValueError(
            f"a formula is evaluated on zeros and ones, but the table holds {plain(X[(X != 0) & (X != 1)][0])!r}"
        )
    X = X.astype(bool)
    return np.concatenate([X, ~X], axis=-1)
