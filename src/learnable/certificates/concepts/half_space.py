"""Half-spaces of largest margin: two nearest points of the hulls, or a common one. Syllabus: V2, P2."""

from typing import Any

import numpy as np

from learnable.certificates.bayes.shapes import misshapen
from learnable.certificates.concepts.consistency import agreement_claim, answer_claims, witness_rows
from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.linear.separability import ROUNDING, about_means, differences

EPS = float(np.finfo(float).eps)


@certifies(
    "HalfSpaceLearner",
    ledger=Ledger(("coef_", "intercept_", "weights_", "consistent_", "witness_"), derived=("margin_",)),
    foreign=False,
)
def half_space_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """V2: every row on its side. P2: no half-space has a larger margin, or none separates.

    With the columns scaled to size 1, those far from zero about their means, z = ±(x, 1) and any convex weights λ in
    each class, every w with ‖w‖∞ ≤ 1 has min z·(w, b) ≤ ½ Σ λᵢ zᵢ·(w, b) ≤ ½ ‖Σ λᵢ zᵢ‖₁, where b drops out because the
    two sums of weights are equal.
    """
    shapes: dict[str, tuple[int, ...]] = {"coef_": (1, X.shape[1]), "intercept_": (1,), "weights_": (X.shape[0],)}
    if misfits := misshapen("P2", model, shapes | {"margin_": ()}):
        return misfits
    index = np.searchsorted(model.classes_, y)
    X, origin = about_means(X, fit_intercept=True)
    Z, scale = differences(X, index, 2, fit_intercept=True)
    coef, intercept = np.asarray(model.coef_, dtype=float)[0], float(np.asarray(model.intercept_)[0])
    direction = np.append(coef, intercept + coef @ origin) * scale
    # What is left of an intercept that takes columns back from afar is known to its own rounding.
    rounding = 4.0 * EPS * (np.abs(coef) @ np.abs(origin) + abs(intercept))
    ahead = Z @ direction
    weights = np.asarray(model.weights_, dtype=float)
    sums = np.bincount(index, weights, 2)
    uneven = float(np.abs(sums - 1.0).max() + max(0.0, -weights.min()))
    distance = float(np.abs((weights @ Z)[:-1]).sum())
    size = float(np.abs(direction[:-1]).max())
    margin = float(ahead.min()) / size if size else 0.0
    wrong = int((ahead <= 0.0).sum())
    unweighted = len(np.setxor1d(witness_rows(model.witness_), np.flatnonzero(weights) if wrong else ()))
    claims = [
        agreement_claim(model, "V2", "rows on the wrong side or on the boundary", wrong),
        Claim.at_most("P2", "the weights are convex in each class (largest deviation)", uneven, ROUNDING),
        *answer_claims(model, wrong == 0, "rows by which witness_ differs from those whose hulls meet", unweighted),
    ]
    if wrong == 0:
        statement = "half the ℓ1 distance of two points of the hulls, less the margin: none is larger by more"
        return [
            *claims,
            Claim.at_most("P2", statement, distance / 2 - margin, 1e-7 + rounding),
            Claim.at_most("P2", "the largest coefficient of a column scaled to size 1 is 1 (difference)",
                          abs(size - 1.0), 1e-7),
            Claim.at_most("P2", "margin_ is the margin (difference)", abs(margin - model.margin_), 1e-9 + rounding),
        ]  # fmt: skip
    statement = "no half-space separates: ℓ1 distance of a point of one hull to a point of the other"
    return [
        *claims,
        Claim.at_most("P2", statement, distance, ROUNDING * Z.shape[1]),
        Claim.at_most("P2", "margin_ is 0 (difference)", abs(model.margin_), 0.0),
    ]
