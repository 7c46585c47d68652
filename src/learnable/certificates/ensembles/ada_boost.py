"""AdaBoost and stumps: the rounds again from the data, the best stump of each, the numbers of the bound.

Syllabus: B1–B4, B8, B9.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.core import Claim, Ledger, certifies, check_shapes, reported, thorough
from learnable.certificates.core.worst import worst_of
from learnable.certificates.ensembles.member_links import check_members
from learnable.certificates.ensembles.member_tables import as_members_read
from learnable.certificates.trees.decision_tree import beyond_rounding, said_by
from learnable.certificates.trees.reading import is_foreign
from learnable.problems.ensembles.votes import Stumps

# Of weighted errors, which are sums of shares.
ROUNDING = 1e-8
# An error below this share of the weight may count as none, where the model says that it does: half of it does, but
# for rounding.
PERFECT = 2e-15
# Shares that scikit-learn keeps rows at that count.
LEAST_SHARE = float(np.finfo(float).eps)
# Cells read for the search of stumps by a certificate that comes with a fit.
CELLS = 2**16
# Rounds whose votes are added up at once.
AT_ONCE = 16


@certifies(
    "DecisionStump",
    # The threshold of a constant is −∞, which an answer proper may not hold.
    ledger=Ledger(verified=("feature_", "sign_"), derived=("threshold_", "error_")),
)
def stump_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The stump errs least among all, and as stated."""
    X, sign, w = counted_rows(model, X, y, sample_weight)
    one = Stumps(*(np.array([part]) for part in (model.feature_, model.threshold_, model.sign_)))
    said, cuts = _stump(X, model.feature_, model.threshold_, model.sign_), cuts_of(X)
    error = float(w[said != sign].sum())
    return [
        Claim.at_most("B1", "error beyond that of the best stump", error - least_error(cuts, sign, w), ROUNDING),
        Claim.at_most("B1", "the error differs from the one stated by", abs(error - model.error_), ROUNDING),
        Claim.at_most("B1", "the threshold is off the middle by", off_middle(cuts, one, sides(X, one)), 1e-6),
        Claim.at_most("B1", "the sign is neither 1 nor -1 (1 if so)", int(model.sign_ not in (1, -1)), 0.0),
        Claim.at_most(
            "B1",
            "a constant has the threshold -inf on column 0 (1 if not)",
            int(np.isinf(model.threshold_) and (model.feature_ != 0 or model.threshold_ > 0.0)),
            0.0,
        ),
        Claim.at_most("B1", "predictions unlike the stump's", _unlike(model, X, said), 0.0),
    ]


def counted_rows(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(X, labels ±1, shares of the weight) of the rows that have one: no threshold lies beside others."""
    X, sign = np.asarray(X, dtype=float), np.where(np.asarray(y) == model.classes_[1], 1.0, -1.0)
    if sample_weight is None:
        return X, sign, np.full(len(X), 1.0 / len(X))
    w = np.asarray(sample_weight, dtype=float)
    rows = w > 0.0
    return X[rows], sign[rows], w[rows] / w.sum()


class Cuts(NamedTuple):
    """The rows in the order of each column, after which of them a threshold can lie, the cells (p, n) in this order."""

    order: np.ndarray
    last: np.ndarray
    lines: np.ndarray


def cuts_of(X: np.ndarray) -> Cuts:
    """Every cut of every column."""
    order = np.argsort(X, axis=0, kind="stable")
    line = np.take_along_axis(X, order, axis=0)
    return Cuts(order, line[1:] > line[:-1], np.ascontiguousarray(line.T))


def least_error(cuts: Cuts, sign: np.ndarray, w: np.ndarray) -> float:
    """The least error of a stump: with c the signed weight below a cut, negatives plus c or positives less c."""
    up, down = float(w[sign > 0].sum()), float(w[sign < 0].sum())
    below = np.cumsum((w * sign)[cuts.order], axis=0)[:-1][cuts.last]
    return min(up, down, down + float(below.min(initial=np.inf)), up - float(below.max(initial=-np.inf)))


def beyond_purest(X: np.ndarray, cuts: Cuts, sign: np.ndarray, w: np.ndarray, stump: tuple[int, float, int]) -> float:
    """By how much a stump is not the majority on the sides of the cut of least Gini impurity.

    For weights w of sum 1, with c = Σ w y and m = Σ w below a cut and C = Σ w y of all rows, the impurity is
    ½ (1 − c²/m − (C − c)²/(1 − m)). A constant may stand for any cut of its column whose sides say the same.
    """
    feature, threshold, said = stump
    C, c, m = float(w @ sign), np.cumsum((w * sign)[cuts.order], axis=0)[:-1], np.cumsum(w[cuts.order], axis=0)[:-1]
    purity = _purity(c, m, C, cuts.last)
    best = max(C * C, float(purity.max(initial=-np.inf)))
    if threshold > -np.inf:
        below = X[:, feature] <= threshold
        c, m = np.array([w[below] @ sign[below]]), np.array([w[below].sum()])
        off = np.maximum(best - _purity(c, m, C, np.full(1, 0 < below.sum() < len(below))), said * c)
        return float(np.maximum(off, -said * (C - c)).min())
    c, off = c[:, feature], best - purity[:, feature]
    uncut = max(best - C * C, -said * C)
    return float(min(uncut, np.maximum(off, np.maximum(-said * c, -said * (C - c))).min(initial=np.inf)))


def _purity(c: np.ndarray, m: np.ndarray, C: float, allowed: np.ndarray) -> np.ndarray:
    """c²/m + (C − c)²/(1 − m); −∞ where there is no cut."""
    allowed = allowed & (m > 0.0) & (m < 1.0)
    apart = np.where(allowed, m * (1.0 - m), 1.0)
    return np.where(allowed, (c * c * (1.0 - m) + (C - c) ** 2 * m) / apart, -np.inf)


def _stump(X: np.ndarray, feature: int, threshold: float, sign: int) -> np.ndarray:
    return np.where(X[:, feature] - threshold > 0.0, float(sign), -float(sign))


def off_middle(cuts: Cuts, stumps: Stumps, above: Sequence[np.ndarray]) -> float:
    """How far thresholds are at most from the middle of the cells beside them, in units of their distance.

    `above` says of each stump which rows are. A constant has no threshold.
    """
    n = len(cuts.order)
    counts = np.array([np.count_nonzero(rows) for rows in above], dtype=int)
    cut = (counts > 0) & (counts < n)
    if not np.all(cut | (stumps.threshold == -np.inf)):
        return 1.0
    feature, place = stumps.feature[cut], n - counts[cut]
    low, high = cuts.lines[feature, place - 1], cuts.lines[feature, place]
    return float(np.max(np.abs(stumps.threshold[cut] - 0.5 * (low + high)) / (high - low), initial=0.0))


def _unlike(model: Any, X: np.ndarray, score: np.ndarray) -> int:
    return int(np.count_nonzero(said_by(model.predict, X) != model.classes_[(score >= 0.0).astype(int)]))


@certifies(
    "AdaBoostClassifier",
    ledger=Ledger(
        verified=("stumps_", "members_", "estimator_weights_"),
        derived=("estimator_errors_", "normalizers_", "margins_", "n_classes_"),
        unverified=("estimators_", "estimator_"),
        sometimes=("stumps_", "members_", "margins_"),
    ),
    again=lambda model, found: not hasattr(model, "stumps_"),
)
def ada_boost_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of a vote on its training data."""
    X, y = as_members_read(model, X), np.asarray(y)
    foreign, K = is_foreign(model), len(model.classes_)
    # Stated votes are those of ½ log((1 − ε)/ε), or twice as large.
    factor = 2.0 if foreign or model.convention == "full" else 1.0
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    check_members(model.stumps_ if hasattr(model, "stumps_") else model.estimators_, X.shape[1])
    counted = weight > 0.0
    hits, cuts, beside_middle = _hits(model, X, y, counted)
    T = len(hits)
    alpha = np.asarray(model.estimator_weights_, dtype=float)[:T] / factor
    check_shapes(model, estimator_errors_=np.shape(model.estimator_weights_))
    errors = np.asarray(model.estimator_errors_, dtype=float)[:T]
    D = weight / weight.sum()
    shares = np.where(weight > 0.0, weight, 0.0) / weight.sum()
    off_alpha, off_z, half, short = 0.0, 0.0, 0.0, 0.0
    z, found = np.ones(T), errors.copy()
    sign = np.where(y == model.classes_[-1], 1.0, -1.0)
    perfect, after = False, 0
    by_error = not foreign and model.estimator is not None
    for t, hit in enumerate(hits):
        missed = (~hit).astype(float)
        if foreign:
            D = np.where(shares > 0.0, np.maximum(D, LEAST_SHARE), 0.0)
            D /= D.sum()
        error = found[t] = float(missed @ D)
        perfect = error == 0.0 if foreign else errors[t] == 0.0 and error <= PERFECT
        if cuts is not None and (thorough() or (t + 1) * X.size <= CELLS):
            stump = int(model.stumps_.feature[t]), float(model.stumps_.threshold[t]), int(model.stumps_.sign[t])
            of = sign[counted], D[counted]
            beyond = error - least_error(cuts, *of) if by_error else beyond_purest(X[counted], cuts, *of, stump)
            short = worst_of(short, beyond)
        if perfect:
            want, z[t] = 1.0 / factor if foreign else 1.0 + alpha[:t].sum(), 0.0
            off_alpha = worst_of(off_alpha, abs(alpha[t] - want) / max(want, 1.0))
            after = T - 1 - t
            break
        if T == 1 and alpha[0] == 0.0:
            z[t] = 1.0
            break
        want = model.learning_rate * 0.5 * np.log((1.0 - error) / error * (K - 1))
        off_alpha = worst_of(off_alpha, abs(alpha[t] - want) / max(abs(want), 1.0))
        D = D * np.exp([want, -want]).take(hit.view(np.int8))
        z[t] = D.sum()
        D /= z[t]
        half = worst_of(half, abs(float(missed @ D) - 0.5))
    off_error = float(np.max(np.abs(found - errors), initial=0.0))
    claims = [
        Claim.at_most("B2", "weighted errors of the rounds differ from those stated by", off_error, ROUNDING),
        Claim.at_most("B2", "votes differ from those of the errors by", off_alpha, ROUNDING),
        Claim.at_most(
            "B2",
            "rounds without an error, a vote or a hypothesis",
            # scikit-learn keeps votes of zero for the rounds that were not made.
            int(np.count_nonzero(model.estimator_weights_[T:])) if foreign else abs(len(model.estimator_weights_) - T),
            0.0,
        ),
        Claim.at_most("B2", "rounds after one without an error, which ends the boosting", after, 0.0),
        reported("B2", "n_classes_", model.n_classes_, K, 0.0),
    ]
    if foreign:
        room = len(model.estimator_weights_)
        claims.append(reported("B2", "the number of rounds asked for", room, int(model.n_estimators), 0.0))
    if cuts is not None and 0 < T < model.n_estimators and not (perfect or (T == 1 and alpha[0] == 0.0)):
        spare = 0.5 - least_error(cuts, sign[counted], D[counted])
        claims.append(Claim.at_most("B2", "a round fewer than asked for, though a stump beats chance by", spare, 1e-9))
    if not foreign:
        by_stumps = model.estimator is None or type(model.estimator).__name__ == "DecisionStump"
        wrong = int(model.n_estimators < T) + int(hasattr(model, "stumps_") != (by_stumps and K == 2))
        claims.append(Claim.at_most("B2", "rounds or hypotheses that were not asked for", wrong, 0.0))
        off_z = float(np.max(np.abs(z - np.asarray(model.normalizers_)) / np.maximum(z, 1.0), initial=0.0))
        claims.append(Claim.at_most("B2", "normalisers differ from those stated by", off_z, ROUNDING))
    if hasattr(model, "stumps_"):
        worse = "error of a stump" if by_error else "Gini impurity of a stump, or weight it is wrong on at a side,"
        text = f"{worse} beyond the best under its weights (some rounds after a fit, all in `certify`)"
        claims += [
            Claim.at_most("B1", text, beyond_rounding(short, ROUNDING), ROUNDING),
            Claim.at_most("B1", "thresholds are off the middle by", beside_middle, 1e-6),
        ]
    if K == 2:
        claims += _bound_claims(model, X, sign, shares, alpha, errors, z, half, hits, foreign)
    return claims


def _hits(model: Any, X: np.ndarray, y: np.ndarray, counted: np.ndarray) -> tuple[list[np.ndarray], Cuts | None, float]:
    """(which rows each member is right on, of stumps all cuts between rows that count, and how far their thresholds
    are off the middle)."""
    if not hasattr(model, "stumps_"):
        return [said_by(member.predict, X) == y for member in model.estimators_], None, 0.0
    stumps, second = model.stumps_, y == model.classes_[1]
    if not np.all(np.abs(stumps.sign) == 1):
        raise ValueError("certify: a stump has a sign other than 1 and -1")
    cuts, above = cuts_of(X[counted]), sides(X, stumps)
    hits = [rows == (second if sign > 0 else ~second) for rows, sign in zip(above, stumps.sign.tolist())]
    return hits, cuts, off_middle(cuts, stumps, [rows[counted] for rows in above])


def sides(X: np.ndarray, stumps: Stumps) -> list[np.ndarray]:
    """Of each stump the rows above its threshold."""
    X = np.asfortranarray(X)  # a column at a time
    return [X[:, j] - threshold > 0.0 for j, threshold in zip(stumps.feature.tolist(), stumps.threshold.tolist())]


def _bound_claims(model, X, sign, shares, alpha, errors, z, half, hits, foreign) -> list[Claim]:
    score = np.zeros(len(sign))
    for t in range(0, len(hits), AT_ONCE):
        votes = alpha[t : t + AT_ONCE]
        score += votes @ (2.0 * np.array(hits[t : t + len(votes)], dtype=float) - 1.0)
    score *= sign
    product = float(np.prod(z))
    mistakes = float(shares[sign * score <= 0.0].sum())
    claims = []
    if model.learning_rate == 1.0:
        product_bound = float(np.exp(-2.0 * np.sum((0.5 - errors) ** 2)))
        claims += [
            Claim.at_most("B3", "weighted errors after their round differ from 1/2 by", half, 1e-6),
            Claim.at_most("B4", "training error, bounded by the product of Z", mistakes, product + 1e-9),
            Claim.at_most("B4", "the product of Z, bounded by exp(-2 Σ (1/2 - ε)²)", product, product_bound + 1e-9),
        ]
    total = float(np.abs(alpha).sum())
    margins = sign * score / total if total > 0.0 else np.zeros(len(sign))
    if not foreign:
        off = float(np.max(np.abs(margins - np.asarray(model.margins_))))
        claims.append(Claim.at_most("B8", "margins differ from those stated by", off, ROUNDING))
        claims.append(Claim.at_most("B2", "predictions unlike the vote's", _far_unlike(model, X, score, total), 0.0))
    claims.append(Claim.disclosure("B8", "least margin y f(x)/‖α‖₁", float(margins.min())))
    if model.learning_rate == 1.0 and np.all((errors > 0.0) & (errors < 0.5)):
        rho = 0.1
        bound = float(
            np.exp(np.sum(np.log(2.0) + 0.5 * (1 - rho) * np.log(errors) + 0.5 * (1 + rho) * np.log1p(-errors)))
        )
        claims.append(
            Claim.at_most("B9", "share of margins <= 0.1, bounded", float(shares[margins <= rho].sum()), bound + 1e-9)
        )
    return claims


def _far_unlike(model: Any, X: np.ndarray, score: np.ndarray, total: float) -> int:
    """Rows whose prediction is not that of the vote, where the vote is clear."""
    clear = np.abs(score) > 1e-12 * max(total, 1.0)
    said = said_by(model.predict, X)
    return int(np.count_nonzero((said != model.classes_[(score >= 0.0).astype(int)]) & clear))
