"""ℓ1-regularised AdaBoost: the edges of all stumps, and a dual bound. Syllabus: B13."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import xlogy

from learnable.certificates.core import Claim, Ledger, allowed, certifies
from learnable.certificates.ensembles.ada_boost import _stump, counted_rows, cuts_of, least_error, off_middle, sides
from learnable.certificates.ensembles.member_links import check_members
from learnable.certificates.trees.decision_tree import said_by


@certifies(
    "L1AdaBoost",
    ledger=Ledger(verified=("stumps_", "alpha_"), derived=("objective_",), unverified=("n_iter_",)),
)
def l1_ada_boost_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """Optimality over all stumps.

    With u = w e^{−yf} scaled by t ≤ 1 so that no stump has an edge above λ, the dual value Σ (u − u log(u/w)) bounds
    every objective from below.
    """
    X, sign, w = counted_rows(model, X, y, sample_weight)
    alpha, stumps = np.asarray(model.alpha_, dtype=float), model.stumps_
    check_members(stumps, X.shape[1])
    H = np.array([_stump(X, *each) for each in zip(*stumps)]).reshape(len(alpha), len(X))
    score = alpha @ H
    u = w * np.exp(-sign * score)
    lam = float(model.penalty)
    cuts = cuts_of(X)
    largest = float(u.sum() - 2.0 * least_error(cuts, sign, u))
    on_support = float(np.max(np.abs(H @ (u * sign) - lam), initial=0.0))
    objective = float(u.sum() + lam * alpha.sum())
    v = u * min(1.0, lam / largest) if largest > 0.0 else u
    dual = float(np.sum(v - xlogy(v, v / w)))
    clear = np.abs(score) > 1e-12 * max(alpha.sum(), 1.0)
    unlike = int(np.count_nonzero((said_by(model.predict, X) != model.classes_[(score >= 0.0).astype(int)]) & clear))
    beside = off_middle(cuts, stumps, sides(X, stumps))
    odd = int(np.any(np.abs(stumps.sign) != 1)) + int(np.any(stumps.feature[np.isinf(stumps.threshold)] != 0))
    return [
        Claim.at_most("B13", "votes that are not positive", int(np.count_nonzero(alpha <= 0.0)), 0.0),
        Claim.at_most(
            "B13", "largest edge of all stumps above λ (relative)", max(largest / lam - 1.0, 0.0), allowed(1e-6)
        ),
        Claim.at_most(
            "B13", "edges of stumps with a vote differ from λ by (relative)", on_support / lam, allowed(1e-6)
        ),
        Claim.at_most("B13", "objective above its lower bound", objective - dual, allowed(1e-6)),
        Claim.at_most("B13", "the objective differs from the one stated by", abs(objective - model.objective_), 1e-8),
        Claim.at_most("B13", "predictions unlike the vote's", unlike, 0.0),
        Claim.at_most("B1", "thresholds are off the middle by", beside, 1e-6),
        Claim.at_most("B1", "stumps written another way (signs, constants)", odd, 0.0),
    ]
