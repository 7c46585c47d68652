"""Version spaces of attribute conjunctions, held by their boundaries."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable.concepts.attributes import Attributes
from learnable.concepts.conjunction import ANY_CODE, NEVER_CODE, Conjunction, covered
from learnable.concepts.counting import count_below


@dataclass(frozen=True)
class VersionSpace:
    """All hypotheses between two boundaries: {h : some g in G is more general than h, and h than S}.

    Attributes
    ----------
    attributes : Attributes, names and domains of the columns.
    specific : Conjunction, the one member of S; ∅ as long as no member of the concept is known.
    general : tuple of Conjunction, the members of G.

    Syllabus: V6, V7, V8.

    Examples
    --------
    >>> from learnable.concepts import ANY, Attributes, Conjunction
    >>> table = Attributes(("sky", "wind"), (("sun", "rain"), ("weak", "strong")))
    >>> space = VersionSpace(table, Conjunction(("sun", "weak")), (Conjunction((ANY, ANY)),))
    >>> space.size, [str(h) for h in space.hypotheses()]
    (4, ['<?, ?>', '<?, weak>', '<sun, ?>', '<sun, weak>'])
    >>> Conjunction(("rain", ANY)) in space
    False
    >>> space.votes([("sun", "weak"), ("sun", "strong"), ("rain", "strong")])
    [4, 2, 1]
    """

    attributes: Attributes
    specific: Conjunction
    general: tuple[Conjunction, ...]

    def __contains__(self, hypothesis: Conjunction) -> bool:
        return hypothesis.more_general_than(self.specific) and any(
            general.more_general_than(hypothesis) for general in self.general
        )

    @property
    def size(self) -> int:
        """Exact number of hypotheses, ∅ included while it is one of them."""
        members = self._members()
        n_choices = [1 + size for size in self.attributes.sizes]
        if not self.specific.is_empty:
            n_choices = [1 if code == ANY_CODE else 2 for code in self.specific.codes(self.attributes).tolist()]
        below = count_below(members, n_choices) if len(members) else 0
        return below + int(self.specific.is_empty and bool(self.general))

    def votes(self, X: Any) -> list[int]:
        """How many of the hypotheses cover each row, counted exactly.

        A hypothesis that covers x asks each attribute for the value of x or for nothing; so the votes are counted
        like the size, on the members of G that cover x.

        Parameters
        ----------
        X : data frame or array (n, d).
        """
        members = self._members()
        rows = self.attributes.code(X)
        # Members of G ask for values of S only, if S has any: rows that agree with S in the same places vote alike.
        agrees = None if self.specific.is_empty else rows == self.specific.codes(self.attributes)
        _, first, index = np.unique(rows if agrees is None else agrees, axis=0, return_index=True, return_inverse=True)
        counts = []
        for i in first:
            above = members[covered(members, rows[[i]])[:, 0]]
            choices = [2] * rows.shape[1] if agrees is None else np.where(agrees[i], 2, 1).tolist()
            counts.append(count_below(above, choices) if len(above) else 0)
        return [counts[i] for i in index.ravel().tolist()]

    def hypotheses(self) -> Iterator[Conjunction]:
        """One by one, each once; look at `size` first."""
        if self.specific.is_empty and self.general:
            yield self.specific
        lowest = self.specific.codes(self.attributes)
        choices = [
            [ANY_CODE, *range(size)] if low == NEVER_CODE else [ANY_CODE] if low == ANY_CODE else [ANY_CODE, int(low)]
            for low, size in zip(lowest.tolist(), self.attributes.sizes)
        ]
        for codes in _below(self._members(), choices, 0):
            yield Conjunction.from_codes(codes, self.attributes)

    def plot(self, ax: Any = None) -> Any:
        """Draw the boundaries, and all that is between if it is little: a `VersionSpaceDisplay`."""
        from learnable.concepts.version_space_display import VersionSpaceDisplay

        return VersionSpaceDisplay(self).plot(ax)

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.general[:20])) + (
            f", … ({len(self.general)})" if len(self.general) > 20 else ""
        )
        return f"S: {self.specific}\nG: {shown}"

    def _members(self) -> np.ndarray:
        """Codes of the members of G that are above S and cover anything."""
        able = [g.codes(self.attributes) for g in self.general if not g.is_empty and g.more_general_than(self.specific)]
        return np.array(able, dtype=np.int32).reshape(len(able), len(self.attributes))


def _below(members: np.ndarray, choices: list[list[int]], j: int) -> Iterator[list[int]]:
    """Codes from attribute j on that are below a member."""
    if not len(members):
        return
    if j == len(choices):
        yield []
        return
    for code in choices[j]:
        able = members[(members[:, j] == ANY_CODE) | (members[:, j] == code)]
        for rest in _below(able, choices, j + 1):
            yield [code, *rest]
