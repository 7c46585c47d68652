"""The perceptron: replay of the mistake log and Novikoff's bound. Syllabus: P5, P8, P9."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.origin import is_ours
from learnable.certificates.core.reported import reported
from learnable.certificates.core.shapes import check_shapes
from learnable.certificates.core.worst import worst_of

# Updates of the log taken together, at least, and their cells, which stay in the cache.
FEWEST, STRETCH = 64, 2**16


@certifies(
    "Perceptron",
    ledger=Ledger(
        ("coef_", "intercept_", "mistake_log_"), ("n_mistakes_",), ("n_iter_", "t_"), sometimes=("mistake_log_",)
    ),
    again=lambda model, found: is_ours(model) and found.holds,  # in which order the rows were visited
)
def perceptron_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, mistake log) prove: a separator that the log adds up to.

    Without a log (a penalty, a start other than zero, scikit-learn's perceptron) and without separation nothing is.
    """
    claims: list[Claim] = []
    classes = model.classes_
    positive = classes[1:] if len(classes) == 2 else classes
    check_shapes(model, coef_=(len(positive), X.shape[1]), intercept_=(len(positive),))
    coef = model.coef_.toarray() if sparse.issparse(model.coef_) else np.asarray(model.coef_, dtype=float)
    y = np.asarray(y)
    X = X if sparse.issparse(X) else np.asarray(X, dtype=float)
    logs = getattr(model, "mistake_log_", None) if model.penalty is None else None
    if logs is not None:
        total = sum(len(log) for log in logs) if len(logs) == len(positive) else -1
        claims.append(reported("P5", "n_mistakes_", model.n_mistakes_, total, scale=1.0))
        if total < 0:
            return claims
    finished = str(getattr(model, "status_", "")) == "optimal" and not model.early_stopping and logs is not None
    for k, label in enumerate(positive):
        sign = np.where(y == label, 1.0, -1.0)
        name = "" if len(positive) == 1 else f" (class {label!s} against the rest)"
        theta, offset = coef[k], float(np.atleast_1d(model.intercept_)[k])
        rate = _rates(model, y, sign, sample_weight)
        if logs is not None:
            claims += log_claims(X, sign, rate, np.asarray(logs[k]), theta, offset, model.fit_intercept, name)
        claims.append(separation_claim(X[rate > 0.0], sign[rate > 0.0], theta, offset, name, finished))
    if logs is None:
        value = float(np.abs(coef).max(initial=0.0))
        statement = "no log of mistakes tells how the answer came about; its largest coefficient"
        claims.append(Claim.disclosure("P9", statement, value)._replace(open=True))
    return claims


def log_claims(
    X: Any, sign: np.ndarray, rate: np.ndarray, log: np.ndarray, theta: np.ndarray, offset: float, free: bool, name: str
) -> list[Claim]:
    """The log adds up to θ, each entry was a mistake, and Novikoff's bound where θ separates the rows."""
    if log.dtype.kind not in "iu" or log.ndim != 1 or log.min(initial=0) < 0 or log.max(initial=0) >= X.shape[0]:
        return [Claim.at_most("P9", f"the log names rows of the table{name}", np.inf, 0.0)]
    replayed = replay(X, sign, rate, log, free)
    difference = float(np.max(np.abs(np.append(theta - replayed.theta, offset - replayed.offset))))
    rounding = 1e-15 * (len(log) + 10)
    claims = [
        Claim.at_most("P9", f"θ is the sum of the logged updates{name} (difference)",
                      difference, rounding * replayed.scale),
        Claim.at_most("P5", f"every logged update answered a mistake{name} (largest y·f before an update)",
                      replayed.worst, rounding * replayed.scale * replayed.radius),
    ]  # fmt: skip
    margin = sign * (np.asarray(X @ theta).ravel() + offset)
    if margin.min() > 0.0 and np.ptp(rate) == 0.0:
        norm = float(np.hypot(np.linalg.norm(theta), offset if free else 0.0))
        bound = (replayed.radius * (norm / float(margin.min()))) ** 2
        claims.append(Claim.at_most("P8", f"mistakes made, within (R‖θ*‖/γ)² with θ* = θ{name}", len(log), bound))
    return claims


def separation_claim(X: Any, sign: np.ndarray, theta: np.ndarray, offset: float, name: str, finished: bool) -> Claim:
    """The claim that no row is on the wrong side; left open for a fit that does not say it finished."""
    size = np.sqrt(_squared_lengths(X)) * float(np.linalg.norm(theta)) + abs(offset)
    margin = sign * (np.asarray(X @ theta).ravel() + offset)
    # A fit may end with a row on the boundary as far as rounding lets one see.
    clearly = ~(margin > -4.0 * (len(theta) + 10.0) * np.finfo(float).eps * size)
    wrong = float(np.mean(clearly | ~(size > 0.0))) if len(sign) else 1.0
    statement = f"share of the training rows on the wrong side{name}"
    return Claim.at_most("P5", statement, wrong, 0.0) if finished else Claim.reached("P5", statement, wrong, 0.0, 1.0)


class Replay(NamedTuple):
    """What the mistake log leads to.

    Attributes
    ----------
    theta, offset : the sum of the logged updates.
    worst : largest y·f just before an update; a mistake has y·f ≤ 0.
    scale : sum of the lengths of the updates, the size against which rounding counts.
    radius : length of the longest row.
    """

    theta: np.ndarray
    offset: float
    worst: float
    scale: float
    radius: float


def replay(X, sign: np.ndarray, rate: np.ndarray, log: np.ndarray, intercept: bool) -> Replay:
    """Run through the log in chunks: inside one, the updates before each are a running sum."""
    theta, offset, worst = np.zeros(X.shape[1]), 0.0, -np.inf
    length = np.sqrt(_squared_lengths(X) + float(intercept))
    chunk = max(FEWEST, STRETCH // max(X.shape[1], 1))
    for start in range(0, len(log), chunk):
        index = log[start : start + chunk]
        rows = X[index].toarray() if sparse.issparse(X) else X[index]
        update = rate[index] * sign[index]
        moved = np.cumsum(update[:, np.newaxis] * rows, axis=0)
        before = rows @ theta + offset
        before[1:] += np.einsum("ij,ij->i", rows[1:], moved[:-1])
        theta = theta + moved[-1]
        if intercept:
            steps = np.cumsum(update)
            before[1:] += steps[:-1]
            offset += float(steps[-1])
        worst = worst_of(worst, float(np.max(sign[index] * before)))
    scale = float(np.sum(rate[log] * length[log]))
    return Replay(theta, offset, worst if len(log) else 0.0, scale, float(length.max(initial=0.0)))


def _rates(model, y: np.ndarray, sign: np.ndarray, sample_weight) -> np.ndarray:
    """The step of each row: η times its weight, times the weight of its class (its own class alone if several)."""
    rate = np.full(len(y), float(model.eta0))
    if sample_weight is not None:
        rate = rate * sample_weight
    if model.class_weight is not None:
        index = np.searchsorted(model.classes_, y)
        if model.class_weight == "balanced":
            counts = np.bincount(index, minlength=len(model.classes_))
            weights = len(y) / (len(counts) * counts)
        else:
            weights = np.array([model.class_weight.get(label, 1.0) for label in model.classes_.tolist()])
        own = (sign > 0.0) if len(model.classes_) > 2 else np.ones(len(y), dtype=bool)
        rate = rate * np.where(own, weights[index], 1.0)
    return rate


def _squared_lengths(X) -> np.ndarray:
    return np.asarray(X.multiply(X).sum(axis=1)).ravel() if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)
