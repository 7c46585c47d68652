"""Probabilities of a calibrated learner, found again: the cross-fitted scores, and the logistic regression on them."""

from typing import Any

import numpy as np

from learnable.app.result import ClaimResult
from learnable.app.trials.blend import is_blend
from learnable.app.trials.calibrated import CALIBRATOR, Calibrated, spread

# Share of a deviation of the scores by which another machine may find them different.
AGREEMENT = 1e-6


def calibrated_in(model: Any) -> list[Calibrated]:
    """The model itself or members of a blend, where they are calibrated."""
    members = model.members if is_blend(model) else [model]
    return [member for member in members if isinstance(member, Calibrated)]


def calibration_claims(
    model: Calibrated, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None
) -> list[ClaimResult]:
    """That classes, centre and scale are those of the training rows, and what `certify` says of the calibrator."""
    from learnable.app.commands.certify import claims_of
    from learnable.certificates import certify
    from learnable.linear import LogisticRegression

    present, counts = np.unique(y, return_counts=True)
    kinds = (model.classes_, model.estimator_.classes_, model.calibrator_.classes_)
    others = sum(not np.array_equal(each, present) for each in kinds) + int(np.sum(counts < 2))
    said = "classes of the calibrated learner that are not those of the target, in order, or have one row (how often)"
    claims = [_at_most(said, others)]
    if others:  # a fold to learn from may lack a class
        return claims
    raw = model.cross_fitted(X, y, weight)
    centre, scale = spread(raw)
    apart = np.inf
    if np.shape(model.centre_) == np.shape(model.scale_) == centre.shape:
        apart = float(np.max(np.abs([model.centre_ - centre, model.scale_ - scale]) / scale))
    sort = type(model.calibrator_) is not LogisticRegression or any(
        model.calibrator_.get_params()[name] != value
        for name, value in (LogisticRegression().get_params() | CALIBRATOR).items()
    )
    claims += [
        _at_most("the calibration is the logistic regression that it is said to be (1: it is not)", int(sort)),
        _at_most("centre and scale of cross-fitted scores (distance, in deviations)", apart, AGREEMENT),
    ]
    if not all(claim.holds for claim in claims):
        return claims
    return claims + claims_of(certify(model.calibrator_, (raw - centre) / scale, y))


def _at_most(statement: str, value: float, bound: float = 0.0) -> ClaimResult:
    return ClaimResult("E10", statement, float(value), bound, bool(value <= bound), "exact")
