"""Quadratic discriminant analysis: averages, class covariances, posteriors. Syllabus: C2."""

from typing import Any

import numpy as np

from learnable.certificates.bayes.shapes import misshapen, stored_precision
from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.origin import is_ours
from learnable.certificates.linear.class_probe import worth_a_probe
from learnable.certificates.linear.class_spread import (
    EPS,
    ClassSpread,
    average_claims,
    centred_pieces,
    class_covariances,
    class_rows,
    class_spread,
    expected_priors,
    log_softmax,
    strange_to_svd,
    unchecked_covariance,
)
from learnable.certificates.linear.discriminant_probe import TRUSTED_CONDITION, quadratic_probe_claims

# Above it, posteriors at the class means can no longer be found again from cross-products.
LARGEST_CONDITION = 1e10
# How far from I a covariance may be in the coordinates of its axes, whatever rounding makes of it.
MOST_TURNED = 0.01


@certifies(
    "QuadraticDiscriminantAnalysis",
    ledger=Ledger(
        verified=("means_", "priors_", "rotations_", "scalings_"), derived=("covariance_",), sometimes=("covariance_",)
    ),
)
def quadratic_discriminant_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about quadratic discriminants."""
    rows = class_rows(model, X, y, sample_weight)
    K, p = len(model.classes_), rows.n_columns
    shapes = {"means_": (K, p), "priors_": (K,), "rotations_": (K, p, p), "scalings_": (K, p)}
    shapes |= {"covariance_": (K, p, p)} if model.store_covariance else {}
    if wrong := strange_to_svd("C2", model) or misshapen("C2", model, shapes):
        return wrong
    precision = stored_precision(rows)
    if worth_a_probe(model, rows):
        quick = quadratic_probe_claims(model, rows, precision)
        if quick is not None and all(claim.holds for claim in quick):
            return quick
    found = class_spread(rows, model.means_, each=True)
    rounding = found.rounding * precision
    blurred = rounding + found.blur(precision)
    claims = average_claims("C2", model, found, rounding)
    V = np.asarray(model.rotations_, dtype=float)
    values = np.asarray(model.scalings_, dtype=float)
    turned = np.abs(V.transpose(0, 2, 1) @ V - np.eye(V.shape[2]))
    claims.append(Claim.at_most("C2", "rotationsᵀ rotations = I (largest difference)", turned.max(), rounding))
    negative = bool((values <= 0.0).any())
    claims.append(Claim.at_most("C2", "scalings are positive (1 when one is not)", negative, 0.0))
    if model.covariance_estimator is not None:
        claims.append(unchecked_covariance("C2"))
    if negative or model.covariance_estimator is not None:
        return claims
    fitted = (V * values[:, np.newaxis, :]) @ V.transpose(0, 2, 1)
    covariances = _covariances(model, rows, found)
    size = np.abs(covariances).max(axis=(1, 2))
    apart = np.abs(fitted - covariances).max(axis=(1, 2)) / size
    claims.append(
        Claim.reached(
            "C2",
            "rotation · scaling · rotationᵀ is the covariance of each class (largest relative difference)",
            apart.max(),
            rounding,
            asked=blurred,
        )
    )
    if model.store_covariance:
        off = np.abs(np.asarray(model.covariance_, dtype=float) - covariances).max(axis=(1, 2)) / size
        statement = "covariance_ holds the class covariances (largest relative difference)"
        claims.append(Claim.reached("C2", statement, off.max(), rounding, asked=blurred))
    condition = float((values.max(axis=1) / values.min(axis=1)).max())
    if tied := _below_rounding(found, V, values):
        statement = "classes whose columns are tied together to within the rounding of the cells: not proved"
        claims.append(Claim.reached("C2", statement, tied, 0.0, asked=K))
        return claims
    # Beside the largest scaling, what the rounding of the cells allows tells nothing of smaller ones than that.
    told = condition <= min(TRUSTED_CONDITION, MOST_TURNED / (8.0 * rounding))
    if not told and model.solver == "svd":
        claims.append(_whitened_claim(model, rows, found, V, values, precision, condition))
    else:
        if not told:
            claims.append(_turned_claim(model, covariances, V, values, precision, condition))
        if condition <= LARGEST_CONDITION:
            claims.append(_posterior_claim(model, found, covariances, V, values, blurred, condition))
    return claims


def _covariances(model, rows, found: ClassSpread) -> np.ndarray:
    """(K, p, p) as the parameters define them, in original units."""
    units = found.unit[:, np.newaxis] * found.unit
    if model.solver == "eigen":
        return class_covariances(model, rows, found) * units
    return (1.0 - model.reg_param) * found.each * units + model.reg_param * np.eye(len(units))


def _below_rounding(found: ClassSpread, V: np.ndarray, values: np.ndarray) -> int:
    """How many classes have an axis along which the rows differ by no more than the rounding of their cells."""
    cells = np.einsum("ki,kil->kl", np.abs(found.mean * found.unit), np.abs(V))
    return int(np.count_nonzero((np.sqrt(values) <= 8.0 * EPS * cells).any(axis=1)))


def _whitened_claim(model, rows, found: ClassSpread, V, values, precision: float, condition: float) -> Claim:
    """The covariance of the rows of a class in the coordinates (x − μ_k) V_k Λ_k^(−½), which is I.

    An entry of (x − μ)V is off by rounding relative to |x − μ|, so this sees the smallest scaling to within √condition
    roundings, where the cross-products of the columns see it to within `condition` of them.
    """
    share, r = (1.0 - model.reg_param) / found.weight, model.reg_param
    axes = found.unit[:, np.newaxis] * V / np.sqrt(values)[:, np.newaxis, :]

    def squares(block):
        total, moved = np.zeros_like(V), np.zeros(V.shape[:2])
        for Z, index, w in centred_pieces(block, found.mean * found.unit, found.unit):
            for k, axis in enumerate(axes):
                inside = np.flatnonzero(index == k)
                A, share_of_row = Z[inside] @ axis, w[inside]
                moved[k] += share_of_row @ A
                if block.weight is not None:
                    A *= np.sqrt(share_of_row)[:, np.newaxis]
                total[k] += A.T @ A
        return total, moved

    total, moved = rows.reduce(squares)
    total -= np.einsum("ki,kj,k->kij", moved, moved, 1.0 / found.weight)
    spread = share[:, np.newaxis, np.newaxis] * total + r * np.array([np.diag(1.0 / each) for each in values])
    far = 1.0 + float(np.max(np.abs(found.mean * found.unit)) / np.sqrt(values.max()))
    # Single precision cannot store axes that are good to 1% at any condition.
    stored = max(MOST_TURNED, 8.0 * precision * np.sqrt(condition))
    borne = min(found.rounding * precision * np.sqrt(condition) * far, stored)
    statement = "the rows of each class, turned by rotation and divided by √scaling, have covariance I"
    off = float(np.abs(spread - np.eye(V.shape[2])).max())
    return Claim.reached("C2", f"{statement} (largest difference)", off, min(borne, MOST_TURNED), asked=borne)


def _turned_claim(model, covariances, V, values, precision: float, condition: float) -> Claim:
    """Λ_k^(−½) V_kᵀ Σ_k V_k Λ_k^(−½) = I, which sees the smallest scalings beside the largest.

    An entry of Σ_k is off by rounding relative to the deviations of its columns; eigenvalues as good as can be are off
    by the rounding of the largest one, and axes stored in fewer digits mix the scalings.
    """
    axes = V / np.sqrt(values)[:, np.newaxis, :]
    off = np.abs(axes.transpose(0, 2, 1) @ covariances @ axes - np.eye(V.shape[2])).max()
    mixed = precision * np.sqrt(condition)
    borne = 8.0 * V.shape[1] * (EPS * condition + mixed + mixed**2)
    statement = "each class covariance, turned by rotation and divided by √scaling, is I (largest difference)"
    asked = borne if is_ours(model) else 8.0 * V.shape[1] * precision * condition
    return Claim.reached("C2", statement, off, min(borne, MOST_TURNED), asked)


def _posterior_claim(model, found: ClassSpread, covariances, V, values, rounding: float, condition: float) -> Claim:
    """P(k | x) of the fitted Gaussians against those of the recomputed ones, at the class means."""
    mean, log_prior = found.mean * found.unit, np.log(expected_priors(model, found))
    # (K, p, K): the class means about that of class k, the first of the three.
    at = (mean[np.newaxis] - mean[:, np.newaxis, :]).transpose(0, 2, 1)
    distance = np.einsum("kij,kij->jk", at, np.linalg.solve(covariances, at))
    exact = -0.5 * (np.linalg.slogdet(covariances)[1] + distance)
    fitted_at = mean[:, np.newaxis, :] - np.asarray(model.means_, dtype=float)
    variates = np.einsum("jki,kil->jkl", fitted_at, V)
    scores = log_prior - 0.5 * (np.log(values) + variates**2 / values).sum(axis=2)
    posterior = np.exp(log_softmax(scores))
    off = np.abs(posterior - np.exp(log_softmax(exact + log_prior)))
    size = 1.0 + float(np.abs(scores).max()) + float(np.abs(exact).max())
    return Claim.at_most(
        "C2",
        "posteriors at the class means sum to 1 and follow Bayes' rule (largest difference)",
        max(off.max(), np.abs(posterior.sum(axis=1) - 1.0).max()),
        min((rounding + found.rounding * EPS * condition) * size * np.sqrt(condition), 0.01),
    )
