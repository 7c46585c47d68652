"""Consistency of a hypothesis with examples: complete on the members, correct on the others."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Consistency(NamedTuple):
    """Whether a hypothesis agrees with every example, and if not, where.

    Attributes
    ----------
    missed : rows inside the concept that it does not cover; none if it is complete.
    admitted : rows outside the concept that it covers; none if it is correct.
    """

    missed: tuple[int, ...]
    admitted: tuple[int, ...]

    @property
    def complete(self) -> bool:
        """It covers every member."""
        return not self.missed

    @property
    def correct(self) -> bool:
        """It covers nothing else."""
        return not self.admitted

    @property
    def holds(self) -> bool:
        """Complete and correct."""
        return self.complete and self.correct

    @property
    def counter_example(self) -> int | None:
        """The first row on which it is wrong, or None."""
        return min((*self.missed, *self.admitted), default=None)

    def __bool__(self) -> bool:
        return self.holds


def consistency(hypothesis: Any, X: Any, y: Any, inside: Any = True) -> Consistency:
    """Compare a hypothesis with labelled examples.

    Parameters
    ----------
    hypothesis : an object with `covers(row)`, or a function of a row.
    X : data frame, array or sequence of rows.
    y : labels.
    inside : the label of the members of the concept.

    Syllabus: V2.

    Examples
    --------
    >>> from learnable.concepts import ANY, Conjunction
    >>> X, y = [("Sunny", "Warm"), ("Rainy", "Cold"), ("Sunny", "Cold")], [True, False, False]
    >>> consistency(Conjunction(("Sunny", ANY)), X, y)
    Consistency(missed=(), admitted=(2,))
    >>> consistency(Conjunction((ANY, "Warm")), X, y).holds
    True
    """
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    rows = frame.rows() if isinstance(frame, nw.DataFrame) else list(X)
    labels = list(y)
    if len(rows) != len(labels):
        raise ValueError(f"consistency: X has {len(rows)} rows, but y has {len(labels)}")
    covers: Callable[[Any], Any] = getattr(hypothesis, "covers", hypothesis)
    verdicts = [(bool(covers(row)), bool(label == inside)) for row, label in zip(rows, labels)]
    missed = tuple(i for i, (covers_it, member) in enumerate(verdicts) if member and not covers_it)
    admitted = tuple(i for i, (covers_it, member) in enumerate(verdicts) if covers_it and not member)
    return Consistency(missed, admitted)
