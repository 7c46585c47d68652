"""Counting conjunctions below a boundary exactly, without listing them."""

from collections import defaultdict
from collections.abc import Sequence
from math import prod

import numpy as np

from learnable.concepts.conjunction import ANY_CODE

# Memory for the sets of members that are followed at once; each takes a bit a member and some 150 bytes of its own.
MOST_BYTES = 2**29


def count_below(general: np.ndarray, n_choices: Sequence[int]) -> int:
    """How many conjunctions are below at least one member of a boundary.

    A conjunction chooses for attribute j one of n_choices[j] constraints: ? and some values, among them all that the
    members ask for. The attributes are decided one after the other. What a choice leaves is a set of members, held as
    the bits of an integer: those that ask for nothing else. Choices that leave the same set are counted together,
    and once a member asks for nothing more, everything that follows is below it.

    Parameters
    ----------
    general : codes (k, d) of the members, −1 for ?.
    n_choices : number of constraints each attribute can have.

    Syllabus: V7, V8.

    Examples
    --------
    Below ⟨0, ?⟩ or ⟨?, 0⟩ when both attributes are 0, 1 or free: ⟨0, ?⟩, ⟨0, 0⟩, ⟨0, 1⟩, ⟨?, 0⟩, ⟨1, 0⟩.

    >>> count_below(np.array([[0, -1], [-1, 0]]), [3, 3])
    5
    """
    general = np.asarray(general)
    most = MOST_BYTES // (150 + len(general) // 8)
    asks = general != ANY_CODE
    # The attributes that most members ask for come first: they settle most.
    order = np.argsort(-asks.sum(axis=0), kind="stable")
    total, ways_of = 0, {_bits(np.ones(len(general), dtype=bool)): 1}
    for place, j in enumerate(order):
        settled = _bits(~asks[:, order[place:]].any(axis=1))
        to_come = prod(int(n_choices[k]) for k in order[place:])
        values = np.unique(general[asks[:, j], j])
        choices = [(_bits(~asks[:, j]), int(n_choices[j]) - len(values))]
        choices += [(_bits(~asks[:, j] | (general[:, j] == value)), 1) for value in values]
        following: dict[int, int] = defaultdict(int)
        for members, ways in ways_of.items():
            if members & settled:
                total += ways * to_come
                continue
            for able, number in choices:
                if left := members & able:
                    following[left] += ways * number
        if len(following) > most:
            raise MemoryError(
                f"counting the hypotheses below {len(general)} members of a boundary takes more than {most} cases at "
                "once; more examples or fewer attributes make the boundary smaller"
            )
        ways_of = following
    return total + sum(ways_of.values())


def _bits(mask: np.ndarray) -> int:
    """A mask as the bits of an integer."""
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")
