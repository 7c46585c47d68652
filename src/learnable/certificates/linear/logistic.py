"""Logistic regression: optimality conditions, duality gap, separation. Syllabus: C5, C8, L21, O6."""

from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy import linalg, sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed, thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.origin import asked_of, is_ours
from learnable.certificates.core.refitted import only_theirs
from learnable.certificates.linear.class_sums import sum_claim
from learnable.certificates.linear.logistic_likelihood import SMALL, Likelihood, Standing, ahead
from learnable.certificates.linear.newton_gain import MOST_LOST
from learnable.certificates.linear.separability import (
    Separability,
    about_means,
    decide,
    differences,
    others,
    refutes,
    shaped_weights,
)
from learnable.certificates.sparse.answer import brought_near
from learnable.problems.core.conventions import logistic_strength
from learnable.problems.linear.categorical import probabilities
from learnable.rows import as_rows, is_streamed

# Entries of the data up to which weak separation is looked for too.
EXAMINED = 2_000_000
# How far above its minimum an objective may be, in units of the loss of the best constant: scores are off by about the
# square root of this.
RELATIVE_GAP = 1e-6
# The same of a Newton step, which bounds more closely and costs more: `certify` asks it of the fits of this library.
# Scores are off by about the square root of this; by more where there are too many parameters for a Hessian.
# Between the two an answer is neither proved nor refuted.
CLOSE, CLOSE_OF_MANY, MANY = 1e-12, 1e-8, 1200
# Where rounding alone is a larger share than this, it is not made allowance for.
MOST_ROUNDING = 1e-6
# The same, beside how far scores differ: a hundredth of that.
MOST_LOST_SCORES = 1e-4
# How far predicted shares of the classes may be from the observed ones.
MISSED = 1e-4
# Parameters beyond which no Hessian is formed.
MOST_PARAMETERS = 3000


@certifies("LogisticRegression", ledger=Ledger(("coef_", "intercept_"), unverified=("n_iter_",)))
def logistic_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, coefficients, C, l1_ratio) prove about a logistic regression.

    Everything is relative to the loss of the best constant, which has no units. With a penalty the duality gap bounds
    how far the objective is above its minimum; without, the Newton decrement says how much a step would gain.
    """
    if _penalises_its_intercept(model):
        return list(logistic_claims(*_with_a_column_for_the_intercept(model, X), y, sample_weight))
    claims = _likelihood_claims(model, X, y, sample_weight)
    if len(model.classes_) > 2 and (is_ours(model) or only_theirs(model)):
        C, l1_ratio = logistic_strength(model.penalty, model.C, getattr(model, "l1_ratio", 0.0))
        # The gap of ours sees what all coefficients of a column have in common; of theirs a tenth of a score.
        claims.append(sum_claim("C5", model, bool(l1_ratio) or (is_ours(model) and not np.isinf(C))))
    return claims


def _likelihood_claims(model: Any, X: Any, y: Any, sample_weight: Any) -> list[Claim]:
    likelihood = Likelihood(*_near(model, X, y, sample_weight))
    penalty = likelihood.penalty
    at = likelihood.standing()
    row = "L21" if penalty.l1_ratio else "C5"
    asked = asked_of(model)
    if penalty.alpha > 0.0:
        gap = likelihood.gap(at)
        above, how = gap, "duality gap"
        if gap > allowed(RELATIVE_GAP) * likelihood.null_loss and not penalty.l1_ratio:
            # A weak penalty makes a wide gap of a small gradient; twice the Newton decrement is then the better bound.
            newton = 2.0 * likelihood.ridge_decrement(at, 0.5 * allowed(RELATIVE_GAP) * likelihood.null_loss)
            asked = _open_up_to(model, likelihood, asked)
            above, how = min((gap, how), (newton, "twice the Newton decrement"))
        elif gap > allowed(RELATIVE_GAP) * likelihood.null_loss and model.fit_intercept:
            # The rounding of an intercept alone may pull long columns far beyond what the penalty holds.
            gained, near = likelihood.balanced(at)
            above = min(gap, gained + near.gap(near.standing()))
        claims = [
            Claim.reached(
                row,
                f"the convex objective is above its minimum by at most ({how}, of the loss of the best constant)",
                above / likelihood.null_loss,
                allowed(RELATIVE_GAP),
                asked,
            ),
            _intercept_claim(row, likelihood, at, asked),
            Claim.disclosure("O6", "duality gap: the objective is above its minimum by at most", gap),
        ]
        return claims if penalty.l1_ratio else claims + _close_claims(model, likelihood, at, asked)
    whole = thorough() or likelihood.rows.n_rows * at.slope.size**2 <= SMALL
    whole = whole and at.slope.size <= MOST_PARAMETERS
    gain = likelihood.decrement(at) if whole else likelihood.coordinate_gain(at)
    asked = _open_up_to(model, likelihood, asked)
    return [
        Claim.reached(
            row,
            f"what {'a Newton step' if whole else 'a Newton step of one coefficient'} would take off the convex "
            "objective (of the loss of the best constant)",
            gain / likelihood.null_loss,
            allowed(RELATIVE_GAP),
            asked,
        ),
        _separation_claim(model, likelihood, X, y, sample_weight),
        *_close_claims(model, likelihood, at, asked),
    ]


def _intercept_claim(row: str, likelihood: Likelihood, at: Standing, asked: float) -> Claim:
    """With a free intercept the predicted shares of the classes are the observed ones: an objective that bends by a
    quarter at most is at least 2 m² above its minimum where they differ by m."""
    miss = float(np.abs(at.misses).max(initial=0.0))
    statement = "predicted shares of the classes differ from the observed ones by at most"
    return Claim.reached(row, statement, miss, MISSED, float(np.sqrt(0.5 * asked * likelihood.null_loss)))


def _close_claims(model: Any, likelihood: Likelihood, at: Standing, asked: float) -> list[Claim]:
    """That the probabilities are near their own, of a fit that goes on until they are; and that the scores are, however
    little a strong penalty leaves of them."""
    if not thorough() or at.slope.size > (MOST_PARAMETERS if is_ours(model) else MANY):
        return []
    null = likelihood.null_loss
    few = at.slope.size + at.misses.size <= MANY
    gain = likelihood.decrement(at)
    lost = likelihood.rounding(np.asarray(model.coef_).dtype) + likelihood.turned
    claims = []
    if few and (own := likelihood.own() + likelihood.moved) > lost:
        statement = "what one more Newton step would move the scores, beside how far they differ"
        bound = max(RELATIVE_GAP, min(lost / own, MOST_LOST_SCORES))
        claims.append(Claim.reached("C5", statement, likelihood.moved / own, bound, asked=np.inf))
    if not is_ours(model):
        return claims
    rounding = min(lost / null, MOST_ROUNDING)
    bound, asked = max(allowed(CLOSE if few else CLOSE_OF_MANY), rounding), _open_up_to(model, likelihood, asked)
    statement = "what one more Newton step would take off (of the loss of the best constant)"
    return [Claim.reached("C5", statement, gain / null, bound, max(asked, CLOSE_OF_MANY)), *claims]


def _open_up_to(model: Any, likelihood: Likelihood, asked: float) -> float:
    """What is lost in rounding is left open; and what cross-products do not see: of our fits as far as those without it
    are held to."""
    told = max(asked, min(likelihood.turned / likelihood.null_loss, MOST_LOST))
    if likelihood.seen <= max(asked, CLOSE_OF_MANY) * likelihood.null_loss:
        return max(told, RELATIVE_GAP) if is_ours(model) else np.inf
    return told


def _penalises_its_intercept(model: Any) -> bool:
    """Whether it is scikit-learn's by liblinear, to which the intercept is the coefficient of one more column."""
    theirs = type(model).__module__.startswith("sklearn.")
    return theirs and getattr(model, "solver", "") == "liblinear" and bool(model.fit_intercept)


def _with_a_column_for_the_intercept(model: Any, X: Any) -> tuple[Any, Any]:
    size = float(model.intercept_scaling)
    column = np.full((X.shape[0], 1), size)
    X = sparse.hstack([X, column], format="csr") if sparse.issparse(X) else np.hstack([np.asarray(X, float), column])
    coef = model.coef_.toarray() if sparse.issparse(model.coef_) else np.asarray(model.coef_, dtype=float)
    offset = np.asarray(model.intercept_, dtype=float)
    stated = {
        "coef_": np.column_stack([coef, offset / size]),
        "intercept_": np.zeros(len(coef)),
        "fit_intercept": False,
    }
    return SimpleNamespace(**vars(model) | stated), X


def _near(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
    """(model, rows, what was taken off the columns): those far from zero are about their means, and the intercept is
    then another."""
    shape = (1 if len(model.classes_) == 2 else len(model.classes_), X.shape[1]) if hasattr(X, "shape") else ()
    if is_streamed(X) or not isinstance(X, np.ndarray) or X.dtype.kind not in "fiu" or np.shape(model.coef_) != shape:
        return model, as_rows(X, y, sample_weight)
    near, centre = brought_near(X, None, model.fit_intercept)
    if near is X:
        return model, as_rows(X, y, sample_weight)
    coef = model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_
    moved = np.asarray(model.intercept_, dtype=float) + np.asarray(coef, dtype=float) @ centre
    return SimpleNamespace(**vars(model) | {"intercept_": moved}), as_rows(near, y, sample_weight), centre


def _separation_claim(model: Any, likelihood: Likelihood, X: Any, y: Any, sample_weight: Any) -> Claim:
    rows, K = likelihood.rows, likelihood.n_classes
    if is_streamed(X) or rows.n_rows * rows.n_columns * (K - 1) > EXAMINED:
        return Claim.at_most(
            "C8",
            "the fitted scores do not separate the classes (1 when they do); weak separation was not looked for, the "
            "data being large",
            float(likelihood.separates()),
            0.0,
        )
    found = separation(model, X, y, sample_weight)
    return Claim.at_most(
        "C8",
        "no direction separates the classes, even weakly: a maximum likelihood estimate exists (1 when one does)",
        float(not found.likelihood_has_maximum),
        0.0,
    )


def separation(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Separability:
    """Whether the classes are separated, from a fitted unpenalised logistic regression where that is proof enough.

    Scores that classify every row correctly are a separating direction. Near a finite maximum the residual weights
    λ = w(1 − P) are positive and nearly make Σ λz = 0; if a small correction that keeps them positive makes it exact,
    they refute separation. Otherwise a linear program decides.
    """
    index = np.searchsorted(model.classes_, np.asarray(y))
    X = X.tocsr() if sparse.issparse(X) else np.asarray(X)
    weight = Likelihood(model, as_rows(X, y, sample_weight)).weights_of(index, sample_weight)
    counted = weight > 0.0
    X, index, weight = X[counted], index[counted], weight[counted]
    K = len(model.classes_)
    theta, theta0 = np.asarray(model.coef_, dtype=float), np.asarray(model.intercept_, dtype=float)
    scores = np.asarray(X @ theta.T) + theta0
    lead = ahead(index, scores)
    if lead.min() > 0.0:
        if K > 2:
            return Separability("separated", model.classes_, theta, theta0, 0.0, None)
        margin = float(lead.min() / np.linalg.norm(theta))
        return Separability("separated", model.classes_, theta[0], float(theta0[0]), margin, None)
    Z, _ = differences(about_means(X, model.fit_intercept)[0], index, K, model.fit_intercept)
    if K == 2:
        weights = _corrected(Z, weight * probabilities(-lead[:, None])[:, 0])
    else:
        weights = _corrected(Z, (weight[:, None] * probabilities(scores))[others(index, K)])
    if weights is not None and refutes(Z, weights, strictly=True):
        return Separability("overlapping", model.classes_, None, None, 0.0, shaped_weights(weights, index, K))
    return decide(X, index, model.classes_, model.fit_intercept)


def _corrected(Z: Any, weights: np.ndarray) -> np.ndarray | None:
    """λ∘(1 − Zδ) with Σ λᵢ(1 − zᵢ·δ)zᵢ = 0: the smallest relative change that makes the sum vanish, or None."""
    # Below this the curvature of a row drowns in rounding and the correction cannot be trusted.
    if weights.min() < 1e-8 * weights.mean():
        return None
    for _ in range(2):
        weighted = Z.multiply(np.sqrt(weights)[:, None])
        M = (weighted.T @ weighted).toarray()
        weights = weights * (1.0 - Z @ linalg.lstsq(M, weights @ Z)[0])
        if weights.min() <= 0.0:
            return None
    return weights
