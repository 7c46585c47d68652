"""The averaged perceptron: the mean of the points that its log of mistakes passes through. Syllabus: P3, P5, P9, P10.

After T visits, an update made at visit t is in T − t + 1 of the T points averaged.
"""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.reported import reported
from learnable.certificates.core.shapes import check_shapes
from learnable.certificates.linear.perceptron import replay, separation_claim
from learnable.certificates.linear.stochastic_gradient import longest_row
from learnable.problems.linear import losses
from learnable.problems.linear.losses import PerceptronLoss


@certifies(
    "AveragedPerceptron",
    ledger=Ledger(
        ("coef_", "intercept_", "last_coef_", "last_intercept_", "mistake_log_", "mistake_visits_"),
        derived=("objective_", "smallest_margin_", "n_mistakes_", "n_iter_"),
    ),
    again=lambda model, found: True,  # in which order the rows were visited
)
def averaged_perceptron_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The log leads to the answer, the numbers reported are its own; without separation no more is proved."""
    X, y = (X if sparse.issparse(X) else np.asarray(X, dtype=float)), np.asarray(y)
    positive = model.classes_[1:] if len(model.classes_) == 2 else model.classes_
    linear: dict[str, tuple[int, ...]] = {"coef_": (len(positive), X.shape[1]), "intercept_": (len(positive),)}
    check_shapes(model, n_iter_=(), **linear, **{f"last_{name}": shape for name, shape in linear.items()})
    logs, visits = model.mistake_log_, model.mistake_visits_
    if not len(logs) == len(visits) == len(positive) == len(model.coef_) == len(model.intercept_):
        return [Claim.at_most("P9", "one log and one answer for each binary problem", np.inf, 0.0)]
    claims = [
        Claim.at_most("P9", "passes more or fewer than asked for", abs(model.n_iter_ - model.n_passes), 0.0),
        reported("P5", "n_mistakes_", model.n_mistakes_, sum(len(log) for log in logs), scale=1.0),
    ]
    smallest, lost, roundings = [], [], []
    for k, label in enumerate(positive):
        sign = np.where(y == label, 1.0, -1.0)
        theta, offset = np.asarray(model.coef_[k], dtype=float), float(model.intercept_[k])
        name = "" if len(positive) == 1 else f" (class {label!s} against the rest)"
        claims += _log_claims(model, k, X, sign, np.asarray(logs[k]), np.asarray(visits[k]), name)
        scores = np.asarray(X @ theta).ravel() + offset
        size = longest_row(X) * float(np.linalg.norm(theta)) + abs(offset)
        roundings.append(4.0 * (len(theta) + 10.0) * np.finfo(float).eps * size)
        lost.append(float(np.mean(losses.value(PerceptronLoss(), sign, scores))))
        smallest.append(float(np.min(sign * scores)))
        claims.append(separation_claim(X, sign, theta, offset, name, finished=False))
    for id, attribute, again in (("P10", "objective_", lost), ("P3", "smallest_margin_", smallest)):
        stated = np.asarray(getattr(model, attribute), dtype=float)
        apart = np.abs(stated - again) if stated.shape == (len(again),) else np.full(len(again), np.inf)
        statement = f"{attribute} is that of this answer (difference beyond rounding)"
        claims.append(Claim.at_most(id, statement, float(np.max(apart - roundings)), 0.0))
    return claims


def _log_claims(
    model: Any, k: int, X: Any, sign: np.ndarray, log: np.ndarray, visits: np.ndarray, name: str
) -> list[Claim]:
    n = X.shape[0]
    total = n * int(model.n_iter_)
    whole = log.dtype.kind in "iu" and visits.dtype.kind in "iu" and log.shape == visits.shape and log.ndim == 1
    if not whole or log.min(initial=0) < 0 or log.max(initial=0) >= n:
        return [Claim.at_most("P9", f"the log names rows of the table and visits{name}", np.inf, 0.0)]
    # Visits are numbered from 1, in order; a pass visits each row once, as it stands or shuffled.
    passes = (visits - 1) // n
    wrong = int(np.count_nonzero(np.diff(visits) <= 0)) + int(np.count_nonzero((visits < 1) | (visits > total)))
    wrong += len(log) - len(np.unique(passes.astype(np.int64) * n + log))
    if not model.shuffle:
        wrong += int(np.count_nonzero((visits - 1) % n != log))
    replayed = replay(X, sign, np.ones(n), log, model.fit_intercept)
    share = (total - visits + 1.0) / total * sign[log]
    mean = np.asarray(X[log].T @ share).ravel() if len(log) else np.zeros(X.shape[1])
    free = float(model.fit_intercept)
    answer = np.append(model.coef_[k] - mean, model.intercept_[k] - free * share.sum())
    last = np.append(model.last_coef_[k] - replayed.theta, model.last_intercept_[k] - replayed.offset)
    rounding = 4e-15 * (len(log) + 10) * replayed.scale
    return [
        Claim.at_most("P5", f"visits of the log that cannot be{name}", wrong, 0.0),
        Claim.at_most("P5", f"every logged update answered a mistake{name} (largest y·f before an update)",
                      replayed.worst, rounding * replayed.radius),
        Claim.at_most("P9", f"the last point is the sum of the logged updates{name} (difference)",
                      float(np.abs(last).max()), rounding),
        Claim.at_most("P9", f"the answer is the mean of the points that the log passes through{name} (difference)",
                      float(np.abs(answer).max()), rounding),
    ]  # fmt: skip
