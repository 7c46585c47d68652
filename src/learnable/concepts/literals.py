"""Boolean literals of a categorical table: the variables xᵢ and their negations, as columns of truth values."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable.concepts.attributes import Attributes


@dataclass(frozen=True)
class Literals:
    """The 2n literals over n boolean variables: x₀ … xₙ₋₁, then ¬x₀ … ¬xₙ₋₁.

    An attribute of two values is one variable, true at the second value (so a column of zeros and ones is itself);
    one of k > 2 values is k variables, "attribute = value". Literal i + n is the negation of literal i.

    Attributes
    ----------
    attributes : Attributes, the columns the variables are made of.

    Syllabus: V4, V5.

    Examples
    --------
    >>> X = [[1, 0], [0, 0]]
    >>> literals = Literals(Attributes.infer(X))
    >>> literals.n_variables, literals.names
    (2, ('x0', 'x1', '¬x0', '¬x1'))
    >>> literals.truth(X).astype(int)
    array([[1, 0, 0, 1],
           [0, 0, 1, 1]])
    >>> Literals(Attributes.infer([["red"], ["green"], ["blue"]], names=["colour"])).names[:3]
    ('colour=blue', 'colour=green', 'colour=red')
    """

    attributes: Attributes

    @property
    def variables(self) -> tuple[tuple[int, int], ...]:
        """(column, code of the value that makes it true) of each variable."""
        found: list[tuple[int, int]] = []
        for column, size in enumerate(self.attributes.sizes):
            found += [(column, size - 1)] if size <= 2 else [(column, code) for code in range(size)]
        return tuple(found)

    @property
    def n_variables(self) -> int:
        return sum(1 if size <= 2 else size for size in self.attributes.sizes)

    @property
    def names(self) -> tuple[str, ...]:
        """The 2n literals in words."""
        positive, negative = zip(*(self._words(column, code) for column, code in self.variables))
        return (*positive, *negative)

    def truth(self, X: Any) -> np.ndarray:
        """Truth values (rows, 2n) of all literals on the rows of a table.

        Parameters
        ----------
        X : data frame or array with the columns of `attributes`.
        """
        codes = self.attributes.code(X)
        columns, values = np.array(self.variables).T
        positive = codes[:, columns] == values
        return np.hstack([positive, ~positive])

    def _words(self, column: int, code: int) -> tuple[str, str]:
        name, domain = self.attributes.names[column], self.attributes.domains[column]
        if domain == (0, 1):
            return name, f"¬{name}"
        if len(domain) == 2:
            return f"{name}={domain[1]}", f"{name}={domain[0]}"
        return f"{name}={domain[code]}", f"{name}≠{domain[code]}"
