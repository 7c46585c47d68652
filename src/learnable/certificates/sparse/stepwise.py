"""Stepwise selection: the log, played again from the data. Syllabus: L2."""

from functools import partial
from typing import Any

import numpy as np
from scipy import linalg

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.sparse.best_subset import Centred, centred, subset_answer_claims
from learnable.problems.sparse.subset import aim, information

ROUNDING = 1e-7
# A column whose part outside the span of those chosen is shorter than this share of it cannot enter.
INDEPENDENT = 1e-8


@certifies("Stepwise")
def stepwise_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The coefficients solve the normal equations, and every move of the log was the best one left."""
    at = centred(X, y, sample_weight, model.fit_intercept)
    _, claims = subset_answer_claims(model, at, X, y, sample_weight)
    worst, support = _replay(model, at, len(np.asarray(y)))
    claims = [claim for claim in claims if claim.id == "R1"]
    differ = len(set(support) ^ set(np.flatnonzero(np.asarray(model.coef_)).tolist()))
    return [
        *claims,
        Claim.at_most("L2", "columns in which the answer differs from the end of the log", differ, 0.0),
        Claim.at_most(
            "L2",
            "every move of the log was the best one and made the criterion fall, and none is left that does (largest "
            "miss of the criterion)",
            worst,
            ROUNDING * max(1.0, abs(model.log_[-1]["criterion"])),
        ),
    ]


def _replay(model: Any, at: Centred, n: int) -> tuple[float, list[int]]:
    """(largest miss of the criterion by a move of the log, columns in the model after the last)."""
    p = len(at.length)
    size = model.k if model.criterion != "cv" else int(np.argmin(model.cv_errors_))
    largest = max(min(p if size is None else size, n - model.fit_intercept - 1), 0)
    if model.criterion in ("rss", "cv"):
        criterion = partial(aim, target=largest)
    else:
        price = 2.0 if model.criterion == "aic" else float(np.log(n))
        criterion = partial(information, n=n, price=price, free=int(model.fit_intercept))
    enter, leave = model.direction != "backward", model.direction != "forward"
    U, t = at.X / np.where(at.length > 0.0, at.length, np.inf), at.y / np.sqrt(at.square)
    inside = [j for j in range(p) if at.length[j] > 0.0] if model.direction == "backward" else []
    rss, after = _one_move_away(U, t, inside)
    value = criterion(rss, len(inside))
    worst = abs(value - model.log_[0]["criterion"])
    for line in [*model.log_[1:], None]:
        allowed = np.full(p, enter and len(inside) < largest)
        allowed[inside] = leave
        sizes = np.full(p, len(inside) + 1)
        sizes[inside] -= 2
        values = np.full(p, np.inf)
        for i in np.flatnonzero(allowed & np.isfinite(after)).tolist():
            values[i] = criterion(after[i], int(sizes[i]))
        best = float(values.min(initial=np.inf))
        if line is None:
            return max(worst, value - best), inside
        j = int(line["column"])
        if not np.isfinite(values[j]):
            return np.inf, inside
        worst = max(worst, values[j] - best, abs(values[j] - line["criterion"]), values[j] - value)
        value = float(values[j])
        inside = [i for i in inside if i != j] if j in inside else [*inside, j]
        rss, after = _one_move_away(U, t, inside)
    raise AssertionError("the loop ends with the line after the last")


def _one_move_away(U: np.ndarray, t: np.ndarray, inside: list[int]) -> tuple[float, np.ndarray]:
    """(RSS of the columns inside, RSS after each column has entered or left; ∞ where it cannot)."""
    Q, R = np.linalg.qr(U[:, inside])
    residual = t - Q @ (Q.T @ t)
    rss = float(residual @ residual)
    outside = U - Q @ (Q.T @ U)
    square = np.einsum("ij,ij->j", outside, outside)
    with np.errstate(divide="ignore", invalid="ignore"):
        after = np.where(square > INDEPENDENT, np.maximum(rss - (outside.T @ residual) ** 2 / square, 0.0), np.inf)
    if inside:
        inverse = linalg.solve_triangular(R, np.eye(len(inside)))
        after[inside] = rss + (inverse @ (Q.T @ t)) ** 2 / np.einsum("ij,ij->i", inverse, inverse)
    return rss, after
