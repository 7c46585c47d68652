"""Candidate elimination for attribute conjunctions: both boundaries after every example, as matrices of codes."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable.concepts.attributes import Attributes
from learnable.concepts.concept_learner import Examples
from learnable.concepts.conjunction import ANY_CODE, NEVER_CODE, Conjunction, covered
from learnable.concepts.find_s import generalised

# Entries of the largest comparison of two groups of hypotheses that is made at once.
COMPARED_AT_ONCE = 10_000_000
# Examples compared with the boundaries at once, at most.
LOOK_AHEAD = 1024


class EliminationState(NamedTuple):
    """Both boundaries after one example.

    Attributes
    ----------
    objective : examples still to come.
    row : the example just met; None at the start.
    inside : whether it is a member of the concept.
    specific_codes : S, the one most specific consistent hypothesis.
    general_codes : G, the most general consistent hypotheses, one a row.
    removed_codes : what this example removed from G.
    collapsed : no hypothesis is consistent with this example and those before; S and G are as they were before it.
    attributes : names and domains behind the codes.
    """

    objective: float
    row: int | None
    inside: bool
    specific_codes: np.ndarray
    general_codes: np.ndarray
    removed_codes: np.ndarray
    collapsed: bool
    attributes: Attributes

    @property
    def specific(self) -> Conjunction:
        """S."""
        return Conjunction.from_codes(self.specific_codes, self.attributes)

    @property
    def general(self) -> tuple[Conjunction, ...]:
        """G."""
        return tuple(Conjunction.from_codes(codes, self.attributes) for codes in self.general_codes)

    @property
    def removed(self) -> tuple[Conjunction, ...]:
        """What left G."""
        return tuple(Conjunction.from_codes(codes, self.attributes) for codes in self.removed_codes)

    @property
    def reason(self) -> str:
        """What the example did, in words."""
        if self.row is None:
            return "before the first example"
        if self.collapsed:
            return f"row {self.row} leaves no consistent hypothesis"
        if self.inside:
            return f"row {self.row} is inside: what does not cover it leaves G, and S is generalised to cover it"
        return f"row {self.row} is outside: what covers it in G is replaced by its minimal specialisations"

    def __str__(self) -> str:
        lines = [self.reason, f"  S: {self.specific}", f"  G: {', '.join(map(str, self.general))}"]
        if len(self.removed_codes):
            lines.append(f"  removed from G: {', '.join(map(str, self.removed))}")
        return "\n".join(lines)


def eliminated(examples: Examples, max_general: int) -> Iterator[EliminationState]:
    """One state at the start and one an example, until the last or until nothing is left.

    S ← {⟨∅, …, ∅⟩}, G ← {⟨?, …, ?⟩}. A member x drops from G what does not cover it and generalises S as little as
    possible. An example outside the concept replaces each g in G that covers it by the most *general* specialisations
    of g that do not and are above S; those below another member of G are dropped.

    In this language S is a single hypothesis, and G is empty exactly when S covers an example outside the concept.

    Parameters
    ----------
    examples : coded examples.
    max_general : members of G at which to give up.
    """
    codes, inside, attributes = examples.codes, examples.inside, examples.attributes
    n, d = codes.shape
    specific = np.full(d, NEVER_CODE, dtype=np.int32)
    general = np.full((1, d), ANY_CODE, dtype=np.int32)
    nobody = general[:0]
    yield EliminationState(float(n), None, False, specific, general, nobody, False, attributes)
    order = np.fromiter(visiting_order(inside), dtype=np.intp)
    met, ahead = 0, 1
    while met < n:
        # Look ahead, twice as far each time, for the next example that changes anything.
        block = order[met : met + ahead]
        uncovered, admitted = ~covered(specific[None], codes[block])[0], covered(general, codes[block]).any(axis=0)
        changes = np.where(inside[block], uncovered, admitted)
        unchanged = int(np.argmax(changes)) if changes.any() else len(block)
        for row in block[:unchanged].tolist():
            met += 1
            yield EliminationState(float(n - met), row, bool(inside[row]), specific, general, nobody, False, attributes)
        ahead = min(2 * ahead, LOOK_AHEAD) if unchanged == len(block) else 1
        if unchanged == len(block):
            continue
        row, met = int(order[met]), met + 1
        x, left = codes[row], float(n - met)
        above = covered(general, x[None])[:, 0]
        if inside[row]:
            kept, removed = general[above], general[~above]
            next_specific = generalised(specific, x)
        else:
            refuted = bool(covered(specific[None], x[None])[0, 0])
            removed = general[above]
            kept = nobody if refuted else _without(general, above, x, specific, attributes, max_general)
            next_specific = specific
        if not len(kept):
            yield EliminationState(left, row, bool(inside[row]), specific, general, nobody, True, attributes)
            return
        specific, general = next_specific, kept
        yield EliminationState(left, row, bool(inside[row]), specific, general, removed, False, attributes)


def visiting_order(inside: np.ndarray) -> Iterator[int]:
    """The rows in their order, but for the first member, which comes first.

    The version space is the same for every order. While S is empty each g has Σ(nⱼ − 1) specialisations, and G can
    grow a hundredfold with every example; once a member is known only the attributes of S can be asked for.

    >>> list(visiting_order(np.array([False, False, True, True])))
    [2, 0, 1, 3]
    """
    first = int(np.argmax(inside)) if inside.any() else 0
    yield first
    yield from (row for row in range(len(inside)) if row != first)


def _without(
    general: np.ndarray, above: np.ndarray, x: np.ndarray, specific: np.ndarray, attributes: Attributes, ceiling: int
) -> np.ndarray:
    """G after an example x outside the concept, with `above` the members that cover it."""
    if not above.any():
        return general
    parents, others = general[above], general[~above]
    # A specialisation g ∧ (j = v) can only be below a member that fails x at j alone, and there by v: whatever else is
    # above it either covers x, so is not in G any more, or is above g itself.
    fails = (others != ANY_CODE) & (others != x)
    once = fails.sum(axis=1) == 1
    place = fails.argmax(axis=1)
    found, total = [others], len(others)
    for j, v in _questions(x, specific, attributes):
        free = parents[parents[:, j] == ANY_CODE]
        rivals = others[once & (place == j) & (others[:, j] == v)]
        children = free[~_below_any(free, rivals, j)].copy()
        children[:, j] = v
        found.append(children)
        total += len(children)
        if total > ceiling:
            raise ValueError(
                f"CandidateElimination(max_general={ceiling}): the general boundary has more members than that; "
                "put the rows of the concept first (the version space is the same), leave out attributes, or raise "
                "max_general"
            )
    if total == 0:  # every row of the instance space is outside: ∅ alone is consistent
        return np.full((1, len(x)), NEVER_CODE, dtype=np.int32)
    return np.concatenate(found)


def _questions(x: np.ndarray, specific: np.ndarray, attributes: Attributes) -> Iterator[tuple[int, int]]:
    """(attribute, value) that exclude x and keep S below."""
    for j, size in enumerate(attributes.sizes):
        if specific[j] == NEVER_CODE:
            yield from ((j, v) for v in range(size) if v != x[j])
        elif specific[j] not in (ANY_CODE, x[j]):
            yield j, int(specific[j])


def _below_any(hypotheses: np.ndarray, rivals: np.ndarray, j: int) -> np.ndarray:
    """Which hypotheses are below a rival, attribute j aside."""
    below = np.zeros(len(hypotheses), dtype=bool)
    rest = np.arange(hypotheses.shape[1]) != j
    step = max(1, COMPARED_AT_ONCE // max(len(hypotheses) * hypotheses.shape[1], 1))
    for start in range(0, len(rivals), step):
        some = rivals[start : start + step, rest]
        met = (some[:, None, :] == ANY_CODE) | (some[:, None, :] == hypotheses[None, :, rest])
        below |= met.all(axis=2).any(axis=0)
    return below
