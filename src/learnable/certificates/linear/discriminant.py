"""Linear discriminant analysis: averages, discriminant equations, boundary, canonical coordinates. Syllabus: C1."""

from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.bayes.shapes import misshapen, stored_precision
from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.refitted import only_theirs
from learnable.certificates.linear.canonical_variates import canonical_claims, component_claims, sign_claim
from learnable.certificates.linear.class_probe import worth_a_probe
from learnable.certificates.linear.class_spread import (
    EPS,
    ClassSpread,
    average_claims,
    class_covariances,
    class_rows,
    class_spread,
    class_triangle,
    expected_priors,
    inflation_of,
    log_softmax,
    strange_to_svd,
    unchecked_covariance,
)
from learnable.certificates.linear.discriminant_probe import linear_probe_claims
from learnable.rows import Rows

# Condition number of Σ above which its cross-products no longer tell what nearly equal columns differ by.
TOLD_BY_SQUARES = 1e6
# Share of the distance of two classes, or of a deviation, that is too large to be called rounding.
MOST_ROUNDING = 1e-3
# How far the log odds midway between two classes may be off, whatever rounding makes of large terms in them.
MOST_LOG_ODDS = 0.01
# How near a singular value may lie to the threshold below which it counts as zero, for either verdict to be right.
BORDERLINE = 1e-6
LEDGER = Ledger(
    verified=("coef_", "intercept_", "means_", "priors_", "scalings_", "xbar_"),
    derived=("covariance_", "explained_variance_ratio_", "rank_", "n_components_"),
    sometimes=("covariance_", "explained_variance_ratio_", "scalings_", "xbar_"),
)


# Along which side of an axis classes are scored, no claim tells.
@certifies("LinearDiscriminantAnalysis", ledger=LEDGER, again=only_theirs)
def linear_discriminant_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about linear discriminants with any solver."""
    rows = class_rows(model, X, y, sample_weight)
    K, p = len(model.classes_), rows.n_columns
    shapes: dict[str, tuple[int, ...]] = {
        "coef_": (1 if K == 2 else K, p), "intercept_": (1 if K == 2 else K,), "means_": (K, p), "priors_": (K,),
    }  # fmt: skip
    if model.solver != "svd" or model.store_covariance:
        shapes["covariance_"] = (p, p)
    if model.solver == "svd":
        shapes["xbar_"] = (p,)
    if wrong := strange_to_svd("C1", model) or misshapen("C1", model, shapes):
        return wrong
    precision = stored_precision(rows)
    weighted = "covariance_" in shapes
    if not weighted and worth_a_probe(model, rows):
        quick = _tried(model, rows, precision)
        if quick and all(claim.holds for claim in quick):
            return quick
    by_class = weighted and (model.priors is not None or model.shrinkage == "auto")
    found = class_spread(rows, model.means_, by_class)
    claims = average_claims("C1", model, found, found.rounding * precision)
    if model.covariance_estimator is not None:
        claims.append(unchecked_covariance("C1"))
    priors, inflation = expected_priors(model, found), inflation_of(model, found.weight)
    within = _within(model, rows, found, priors) * inflation if weighted else None
    if within is not None and model.covariance_estimator is None:
        size = np.sqrt(np.diag(within))
        apart = np.abs(model.covariance_ / np.outer(found.unit, found.unit) - within)
        ratio = apart / np.where(np.outer(size, size) > 0.0, np.outer(size, size), 1.0)
        statement = "covariance_ is the mean of the class covariances by the priors (largest relative difference)"
        bound = found.rounding * precision
        claims.append(Claim.reached("C1", statement, ratio.max(), bound, asked=bound + found.blur(precision)))
    if model.solver == "svd":
        within = found.pooled * inflation
        claims.append(_centre_claim(model, found, priors, found.rounding * precision))
    return claims + _equation_claims(model, rows, found, priors, within, precision)


def _tried(model: Any, rows: Rows, precision: float) -> list[Claim]:
    """The claims of a fit on many rows by "svd", from one reading in random directions; none where that does not do."""
    found, claims = linear_probe_claims(model, rows, precision)
    if found is None:
        return []
    priors, rounding = expected_priors(model, found), found.rounding * precision
    reference = found.mean[0] if len(priors) == 2 else priors @ found.mean
    return [
        *claims,
        _centre_claim(model, found, priors, rounding),
        _boundary_claim(model, found, reference, priors, rounding),
        *component_claims(model, *found.mean.shape),
        sign_claim(np.asarray(model.scalings_, dtype=float)),
    ]


def _centre_claim(model: Any, found: ClassSpread, priors: np.ndarray, rounding: float) -> Claim:
    size = np.sqrt(found.variance + priors @ found.mean**2)
    apart = np.abs(np.asarray(model.xbar_, dtype=float) / found.unit - priors @ found.mean)
    ratio = np.divide(apart, size, out=np.where(apart > 0.0, np.inf, 0.0), where=size > 0.0)
    return Claim.at_most(
        "C1", "xbar_ is the mean of the class means by the priors (largest relative difference)", ratio.max(), rounding
    )


def _within(model, rows: Rows, found: ClassSpread, priors: np.ndarray) -> np.ndarray:
    """Σ_k π_k Σ_k as the parameters define it, in units."""
    if model.covariance_estimator is not None:
        return np.asarray(model.covariance_, dtype=float) / np.outer(found.unit, found.unit)
    if len(found.scatter) == len(found.weight) and (model.priors is not None or model.shrinkage == "auto"):
        return np.tensordot(priors, class_covariances(model, rows, found), axes=1)
    # With the shares as priors the mean of the class covariances is the pooled one, and shrinking is linear.
    pooled = found._replace(weight=found.weight.sum(keepdims=True))
    return class_covariances(model, rows, pooled)[0]


class Equations(NamedTuple):
    """Σ coef = means − reference in columns of unit deviation.

    Attributes
    ----------
    A : (p, p) the covariance, V diag(values) Vᵀ.
    factor : R with RᵀR = A from the rows themselves, where cross-products tell too little; None where they do.
    B : (K or 1, p) coefficients.
    values, V, kept : eigenvalues, eigenvectors, and which of them count as variance.
    deviation : (p,) units of the columns.
    reference : (p,) the point about which the class means are taken.
    moved : (K, p) class means less the reference.
    whitened : (K, r) these in coordinates in which Σ = I, less what "svd" leaves out.
    shares : with "svd", of the variance of these means in each direction.
    """

    A: np.ndarray
    factor: np.ndarray | None
    B: np.ndarray
    values: np.ndarray
    V: np.ndarray
    kept: np.ndarray
    deviation: np.ndarray
    reference: np.ndarray
    moved: np.ndarray
    whitened: np.ndarray
    shares: np.ndarray


def _equations(
    model, rows: Rows, found: ClassSpread, priors: np.ndarray, within: np.ndarray, precision: float
) -> tuple[Equations | None, list[Claim]]:
    """The equations, and claims about which directions count; without any where rounding leaves that open."""
    svd, p = model.solver == "svd", len(within)
    deviation = np.sqrt(np.maximum(np.diagonal(within), 0.0))
    rounding = 32.0 * EPS * np.abs(found.mean).max(axis=0)
    deviation = np.where(deviation > rounding, deviation, 1.0)
    for scale in (deviation, np.ones_like(deviation)):
        A = within / (scale[:, np.newaxis] * scale)
        values, V = np.linalg.eigh(A)
        noise, factor = 10.0 * p * EPS * max(values[-1], 0.0), None
        if _told_too_little(model, values, noise):
            factor = class_triangle(rows, found, _shares(model, found, priors), scale)
            values, V, noise = _spectrum(factor, found)
        # A singular Σ: "svd" works in columns of unit deviation, least norm by "lsqr" is meant in the original units.
        if svd or values[0] > noise:
            break
    if svd and model.tol**2 <= noise and (values <= noise).any():
        statement = "directions whose variance is below the rounding of cross-products: not proved"
        return None, [Claim.reached("C1", statement, np.sum(values <= noise), 0.0, asked=p)]
    least = max(model.tol**2, noise) if svd else noise
    kept = values > least
    claims = []
    if hasattr(model, "rank_"):
        kept = np.arange(p) >= p - int(model.rank_)
        # What is left out may not be variance, what is kept must be; near the threshold either is right.
        slack = 1.0 + BORDERLINE if svd and model.tol**2 > noise else 100.0
        wrong = int((values[~kept] > slack * least).sum() + (values[kept] * slack * slack < least).sum())
        wrong += int(not 0 < model.rank_ <= p) + int(model.rank_ != kept.sum())
        claims.append(Claim.at_most("C1", "rank_ counts the directions with variance (wrong ones)", wrong, 0.0))
    B = np.asarray(model.coef_, dtype=float) * found.unit * scale
    whitener = V[:, kept] / np.sqrt(np.maximum(values[kept], noise * 1e-3)) / scale[:, np.newaxis]
    centre = priors @ found.mean
    reference, moved = np.zeros(p), found.mean
    if len(B) == 1:
        reference, moved = found.mean[0], found.apart - found.apart[0]
    elif _about_centre(model, B, centre, whitener, precision, within, found):
        reference, moved = centre, found.about_centre(priors)
    return Equations(A, factor, B, values, V, kept, scale, reference, moved, moved @ whitener, np.zeros(0)), claims


def _told_too_little(model, values: np.ndarray, noise: float) -> bool:
    """Whether directions count of which cross-products of the rows have lost the digits, and the rows have not."""
    if model.shrinkage is not None or model.covariance_estimator is not None:
        return False
    least = 0.5 * model.tol**2 if model.solver == "svd" else 0.0
    lost = values < values[-1] / TOLD_BY_SQUARES
    return bool(np.any(lost & (values > least))) or (least <= noise and bool(np.any(lost)))


def _shares(model, found: ClassSpread, priors: np.ndarray) -> np.ndarray:
    """(K,) what the scatter of each class is multiplied by in Σ."""
    inflation = inflation_of(model, found.weight)
    if model.solver == "svd":
        return np.full(len(priors), inflation / found.weight.sum())
    return inflation * priors / found.weight


def _spectrum(factor: np.ndarray, found: ClassSpread) -> tuple[np.ndarray, np.ndarray, float]:
    """(eigenvalues of RᵀR in rising order, eigenvectors, what rounding of R leaves of an eigenvalue)."""
    p = factor.shape[1]
    _, d, Vt = np.linalg.svd(factor, full_matrices=True)
    lengths = np.concatenate([d, np.zeros(p - len(d))])[::-1]
    noise = EPS * (0.25 * found.rounding * lengths[-1] + 4.0 * p**0.5 * found.far[0])
    return lengths**2, Vt[::-1].T, noise**2


def _about_centre(model, B, centre, whitener, precision: float, within, found: ClassSpread) -> bool:
    """Whether the discriminants are those about the centre, which differ from the others by what all classes share.

    "svd" takes them so; the others, between more than two classes, where the centre is so far from zero that scores
    about zero would lose half of their digits. Near that limit both are right, and the answer says which it is.
    """
    if model.solver == "svd":
        return True
    if not type(model).__module__.startswith("learnable."):
        return False
    squares, limit = float(np.sum((centre @ whitener) ** 2)), precision**-0.5
    if not 0.5 * limit < squares < 2.0 * limit:
        return squares > limit
    mean_coef = np.asarray(model.priors_, dtype=float) @ np.asarray(model.coef_, dtype=float) * found.unit
    return float(np.linalg.norm(mean_coef @ within)) < 0.5 * float(np.linalg.norm(centre))


def _projected(model, priors: np.ndarray, e: Equations, tolerance: float) -> tuple[Equations, list[Claim]]:
    """The class means in the directions in which they differ: "svd" leaves out singular values of at most tol."""
    _, s, Vt = np.linalg.svd(np.sqrt(priors)[:, np.newaxis] * e.whitened, full_matrices=False)
    columns = np.shape(model.scalings_)[1]
    least, noise = model.tol * s[0], tolerance * s[0]
    wrong = int(columns > len(s)) + int((s[columns:] > (1.0 + BORDERLINE) * least + noise).sum())
    wrong += int(((1.0 + BORDERLINE) * s[:columns] + noise < least).sum())
    statement = "scalings_ has a column for each direction in which the class means differ (how many are wrong)"
    directions = Vt[:columns]
    kept = e.whitened @ directions.T @ directions
    shares = s**2 / (s**2).sum() if s[0] > 0.0 else np.zeros_like(s)
    return e._replace(whitened=kept, shares=shares), [Claim.at_most("C1", statement, wrong, 0.0)]


def _equation_claims(model, rows: Rows, found: ClassSpread, priors, within, precision: float) -> list[Claim]:
    two = len(priors) == 2
    start = 1 if two else 0
    e, claims = _equations(model, rows, found, priors, within, precision)
    if e is None:
        return claims
    if not e.kept.any():
        return [*claims, Claim.at_most("C1", "no column varies within the classes (1 if so)", 1.0, 0.0)]
    largest, smallest = e.values[-1], max(e.values[e.kept].min(), EPS * e.values[-1])
    # A solution through Σ⁻¹ leaves a residual that grows with the condition number; from the rows, with its root.
    squared = EPS * largest / smallest
    borne = found.rounding * (precision + squared if e.factor is None else precision * (largest / smallest) ** 0.5)
    tolerance = max(min(borne, MOST_ROUNDING), 1e-9)
    by_squares = e.factor is not None and type(model).__module__.startswith("sklearn.") and model.solver != "svd"
    # What whoever solves by cross-products can be asked for.
    borne = found.rounding * (precision + squared) if by_squares else borne
    # Whoever takes one rounded mean from another has no more digits than they leave.
    blurred = tolerance + found.blur(precision)
    if model.solver == "svd":
        e, more = _projected(model, priors, e, blurred)
        claims += more
    V, root = e.V[:, e.kept], np.sqrt(e.values[e.kept])
    if e.factor is not None:
        claims.append(_whitened_claim(e, start, found, tolerance, borne))
    size = np.linalg.norm(e.moved[start:] / e.deviation, axis=1) + largest * np.linalg.norm(e.B, axis=1)
    size = np.where(size > 0.0, size, 1.0)
    # Class means that are all but one differ by rounding alone.
    off = np.linalg.norm(e.whitened[start:] * root - e.B @ e.A @ V, axis=1)
    residual, asked = np.maximum(off - found.noise, 0.0) / size, blurred + found.blurred_noise / size.min()
    statement = "Σ coef = class mean − reference (largest relative residual)"
    claims.append(Claim.reached("C1", statement, residual.max(), tolerance, asked))
    if not e.kept.all():
        along = np.linalg.norm(e.B @ e.V[:, ~e.kept], axis=1) / np.maximum(np.linalg.norm(e.B, axis=1), 1e-300)
        claims += [
            Claim.disclosure(
                "C1", f"directions without within-class variance, left out of {len(e.kept)}", np.sum(~e.kept)
            ),
            Claim.at_most("C1", "coef_ has no part along them (largest relative part)", along.max(), 1e-6),
        ]
    bound, raw, in_scores = found.rounding * precision, None, borne
    if type(model).__module__.startswith("sklearn.") and model.solver != "svd":
        raw = (found.mean / e.deviation) @ V / root
        spread = np.linalg.eigvalsh(within)  # which it solves in, whatever the units of the columns
        condition = spread[-1] / max(spread[0], EPS * spread[-1])
        in_scores = max(borne, min(found.rounding * EPS * condition, MOST_ROUNDING))
    claims.append(_boundary_claim(model, found, e.reference, priors, bound, raw, in_scores))
    if thorough():  # what the equations and the boundary say already, once more by Bayes' rule
        # Squares of whitened means lose the digits that the condition number takes.
        lost = found.rounding * squared if e.factor is None else borne
        claims.append(_posterior_claim(model, found, priors, e, blurred, precision, lost))
    if e.factor is not None:  # coordinates of length 1/√λ are as exact as their products with R
        exact = max(found.rounding * precision, 1e-12)
        return claims + canonical_claims(model, rows, found, priors, e, exact, borne if by_squares else exact + blurred)
    return claims + canonical_claims(model, rows, found, priors, e, tolerance, blurred)


def _whitened_claim(e: Equations, start: int, found: ClassSpread, tolerance: float, borne: float) -> Claim:
    """Where Σ = I the discriminants are the class means: what nearly equal columns differ by is like others.

    Σ coef shows nothing there: it is small along them whatever the coefficients are.
    """
    root = np.sqrt(e.values[e.kept])
    told = e.whitened[start:]
    off = np.linalg.norm(told - (e.B @ e.V[:, e.kept]) * root, axis=1)
    size, noise = np.linalg.norm(told, axis=1), found.noise / root.min()
    size = np.where(size > 0.0, size, 1.0)
    residual = np.maximum(off - np.minimum(noise, MOST_ROUNDING * np.maximum(size, 1.0)), 0.0) / size
    statement = "where Σ = I, the discriminants are the class means (largest relative difference)"
    return Claim.reached(
        "C1", statement, residual.max(), tolerance, borne + float(found.blurred_noise / (root.min() * size.min()))
    )


def _boundary_claim(
    model,
    found: ClassSpread,
    reference: np.ndarray,
    priors: np.ndarray,
    bound: float,
    raw: np.ndarray | None = None,
    borne: float = 0.0,
) -> Claim:
    """`raw`, of scikit-learn's fits not by "svd": the class means about zero in coordinates in which Σ = I; `borne` is
    what can be asked of their coefficients, which the scores of each class are taken from alone.
    """
    two = len(priors) == 2
    centre = 0.5 * (found.mean[1 if two else 0 :] + reference)
    log_prior = np.log(priors[1:] / priors[0]) if two else np.log(priors)
    terms = centre * (np.asarray(model.coef_, dtype=float) * found.unit)
    midway = terms.sum(axis=1) + np.asarray(model.intercept_, dtype=float)
    entered = 1.0 + np.abs(log_prior) + np.abs(terms).sum(axis=1) + np.abs(model.intercept_)
    asked = bound
    if raw is not None:
        # Its scores are differences of μᵀΣ⁻¹μ about the origin: far from it they keep no more digits than that.
        asked = borne + bound * (1.0 + float(np.max(np.sum(raw**2, axis=1)))) / float(np.min(entered))
    statement = (
        "midway between a class mean and the reference the score is the log prior odds (largest relative difference)"
    )
    # Of terms so large that their rounding decides, nothing is proved.
    off, most = np.abs(midway - log_prior), np.minimum(bound * entered, MOST_LOG_ODDS)
    value = max(bound * float((off / most).max()), float((off / entered).max()))
    asked = value if (off <= max(asked, bound) * entered).all() else asked
    return Claim.reached("C1", statement, value, bound, asked)


def _posterior_claim(
    model, found: ClassSpread, priors, e: Equations, tolerance: float, precision: float, lost: float
) -> Claim:
    """P(k | x) from the fitted scores against π_k φ(x; μ_k, Σ) / Σ_l π_l φ(x; μ_l, Σ), at the class means."""
    scores = (found.mean * found.unit) @ np.asarray(model.coef_, dtype=float).T + model.intercept_
    if len(priors) == 2:
        scores = np.hstack([np.zeros_like(scores), scores])
    squares = np.sum((e.whitened[:, np.newaxis, :] - e.whitened) ** 2, axis=2)
    fitted = np.exp(log_softmax(scores))
    off = np.abs(fitted - np.exp(log_softmax(np.log(priors) - 0.5 * squares)))
    entered = np.abs(found.mean * found.unit) @ np.abs(np.asarray(model.coef_, dtype=float)).T
    size = 1.0 + float(entered.max()) + float(np.abs(model.intercept_).max()) + float(np.max(e.whitened**2))
    return Claim.reached(
        "C1",
        "posteriors at the class means sum to 1 and follow Bayes' rule (largest difference)",
        max(off.max(), np.abs(fitted.sum(axis=1) - 1.0).max()),
        min(tolerance * size, 0.01),
        # Scores that cancel to below the rounding of their terms can be no better than that.
        asked=8.0 * precision * float(entered.max() + np.abs(model.intercept_).max()) + lost * size,
    )
