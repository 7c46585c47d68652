"""The tightest box round the positive examples. Syllabus: V2, T10."""

from typing import Any

import numpy as np

from learnable.certificates.bayes.shapes import misshapen
from learnable.certificates.concepts.consistency import (
    agreement_claim,
    answer_claims,
    inside_claim,
    witness_sides,
)
from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger


@certifies(
    "RectangleLearner",
    # An empty box has corners at infinity: they are compared, as derived ones are.
    ledger=Ledger(("support_", "consistent_", "witness_"), derived=("low_", "high_", "inside_")),
    foreign=False,
)
def rectangle_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """V2: complete and correct. T10: every face is touched by a positive example, so that no smaller box holds them.

    `witness_` names a negative row, then positive ones whose box holds it.
    """
    corner = (X.shape[1],)
    if misfits := misshapen("T10", model, {"low_": corner, "high_": corner, "support_": (2, X.shape[1])}):
        return misfits
    X, positive = np.asarray(X, dtype=float), np.asarray(y) == model.inside_
    low, high = np.asarray(model.low_), np.asarray(model.high_)
    outside = ((low > X) | (high < X)).any(axis=1)
    members = X[positive]
    if len(members):
        untouched = int((~(members == low).any(axis=0)).sum() + (~(members == high).any(axis=0)).sum())
        tight = Claim.at_most("T10", "faces that no positive example touches", untouched, 0)
    else:
        tight = Claim.at_most("T10", "sides of the box, which must be empty", int((low <= high).all()), 0)
    sides = witness_sides(model.witness_, positive, teachers=True)
    apart = X.shape[1]
    if sides is not None:
        refused, around = X[sides[0]], X[sides[1]]
        apart = int(np.count_nonzero((refused < around.min(axis=0)) | (refused > around.max(axis=0))))
    missed, enclosed = int((outside & positive).sum()), int((~outside & ~positive).sum())
    return [
        inside_claim(model),
        Claim.at_most("V2", "positive examples outside the box", missed, 0),
        agreement_claim(model, "V2", "negative examples inside the box", enclosed),
        tight,
        Claim.at_most("T10", "faces that the row of support_ does not touch", _untouched(model, X, positive), 0),
        *answer_claims(
            model, missed + enclosed == 0, "sides by which a box could tell the rows of witness_ apart", apart
        ),
    ]


def _untouched(model: Any, X: np.ndarray, positive: np.ndarray) -> int:
    """Faces whose row of `support_` is no positive example on them; without such examples, rows that are given."""
    rows, faces = np.asarray(model.support_), np.array([model.low_, model.high_])
    if rows.shape != faces.shape:
        return faces.size
    if not positive.any():
        return int(np.count_nonzero(rows != -1))
    there = (rows >= 0) & (rows < len(X))
    known = np.where(there, rows, 0)
    touches = there & positive[known] & (X[known, np.arange(X.shape[1])] == faces)
    return int(np.count_nonzero(~touches))
