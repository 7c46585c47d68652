"""What a concept learner says of itself: whether it agrees with the rows, and which rows prove that nothing can."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.core.claim import Claim


def answer_claims(model: Any, agrees: bool, statement: str, unforced: int) -> list[Claim]:
    """`consistent_` is what the rows say, and `witness_` is a proof of NO: empty after YES.

    Parameters
    ----------
    agrees : whether the hypothesis agrees with every row.
    statement, unforced : what there must be none of if the rows of `witness_` prove NO, and how many there are.
    """
    claims = [
        Claim.at_most("V2", "consistent_ says what the rows say (1 if not)", float(agrees != model.consistent_), 0)
    ]
    if not agrees or len(model.witness_):
        claims.append(Claim.at_most("V2", statement, unforced, 0))
    return claims


def witness_sides(witness: Sequence[int], inside: np.ndarray, teachers: bool) -> tuple[int, np.ndarray] | None:
    """(the row refused, the rows that force it), or None where the witness cannot be that.

    It is that if the rows exist, the first one has another label than `teachers` (True inside the concept), and all
    others, at least one, have that label.
    """
    rows = np.asarray(witness, dtype=np.intp)
    if len(rows) < 2 or rows.min() < 0 or rows.max() >= len(inside):
        return None
    if inside[rows[0]] == teachers or np.any(inside[rows[1:]] != teachers):
        return None
    return int(rows[0]), rows[1:]
