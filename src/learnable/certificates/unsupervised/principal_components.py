"""Principal components: orthonormal axes, eigen-equations, the error they leave, and that no others leave less.

Syllabus: U10.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable.certificates.core import Claim, Ledger, certifies, digest_generator, thorough
from learnable.certificates.core.origin import is_ours
from learnable.certificates.unsupervised.orientation import orientation_claims
from learnable.rows import Block, Rows, as_rows, centred_adjoint, centred_product, squares_about

# Relative bounds for double and single precision.
ORTHONORMAL = {8: 1e-8, 4: 1e-4}
EQUATION = {8: 1e-7, 4: 1e-3}
STATED = {8: 1e-8, 4: 1e-4}
# Random mixtures of the axes on which the equation is tried.
PROBES = 3
# scikit-learn centres its cross-products afterwards, which far from zero loses so many times eps ‖x̄‖² / variance: what
# fails by that, and by at most so much, is left open.
LOST, MOST_LOST = 100.0, 1e-3
# Power steps that a direction off the axes makes.
POWERS = 4

LEDGER = Ledger(
    verified=("components_", "explained_variance_", "mean_"),
    derived=("explained_variance_ratio_", "singular_values_", "noise_variance_", "n_components_", "n_samples_"),
)


@certifies("PCA", ledger=LEDGER)
@np.errstate(over="ignore", invalid="ignore")  # what overflows refutes
def principal_component_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of a PCA fit, ours or scikit-learn's."""
    V = np.asarray(model.components_)
    digits = V.dtype.itemsize
    V = V.astype(float)
    q, p = V.shape
    rows = as_rows(X)
    n = rows.n_rows
    values = np.maximum(np.asarray(model.explained_variance_, dtype=float), 0.0)
    near = np.asarray(model.mean_, dtype=float)
    near = near if near.shape == (p,) else np.zeros(p)
    probes = _probes(rows, near, V, values)
    mean, total, image = _one_reading(rows, near, probes.directions)
    eps = np.finfo(float if digits == 8 else np.float32).eps
    # Where the columns do not spread, what rounding makes of them must count for nothing; elsewhere all counts.
    rounded = p * (10.0 * eps * float(np.abs(mean).max(initial=0.0))) ** 2
    least = max(rounded / STATED[digits] if total <= rounded else 0.0, np.finfo(float).tiny)
    size = max(float(values[0]) if q else total, least)
    spread = np.sqrt(max(total, least))
    rounding = eps * float(np.linalg.norm(mean)) * 10.0
    claims = [
        Claim.at_most("U10", "the axes are orthonormal (largest entry of VVᵀ − I)",
                      float(np.abs(V @ V.T - np.eye(q)).max(initial=0.0)), ORTHONORMAL[digits]),
        Claim.at_most("U10", "mean_ is the mean of the rows (distance relative to the spread)",
                      max(float(np.linalg.norm(model.mean_ - mean)) - rounding, 0.0) / spread, STATED[digits]),
        Claim.at_most("U10", "variances stand in falling order, none negative (relative to λ₁)",
                      max(float(np.max(np.diff(values), initial=0.0)),
                          -float(np.min(model.explained_variance_, initial=0.0))) / size, STATED[digits]),
        Claim.at_most("U10", "ratios, singular values and noise variance follow from the variances (relative)",
                      _derived(model, values, total, size, n, p), STATED[digits]),
    ]  # fmt: skip
    away = image[:, :PROBES] - V.T @ (values[:, None] * probes.mixture)
    residual = float(np.sqrt(np.mean(np.sum(away**2, axis=0)))) / size
    claims += _equations(model, values, probes, image, residual, size, digits)
    if thorough():
        claims += _optimal(rows, near, V, values, total, max(total, least), residual, digits, _approximate(model))
    claims += orientation_claims("U10", model, V)
    if is_ours(model):
        return claims
    lost = min(LOST * eps * (1.0 + float(mean @ mean) / spread**2), MOST_LOST)
    return [claim._replace(open=claim.open or (not claim.holds and claim.value <= lost)) for claim in claims]


class Probes(NamedTuple):
    """Directions to try Σ along: random mixtures of the axes and, where axes are left out, one off them, at the end.

    The one off them is random, and then turned to where some rows spread most.
    """

    mixture: np.ndarray
    directions: np.ndarray
    off: bool


def _probes(rows: Rows, near: np.ndarray, V: np.ndarray, values: np.ndarray) -> Probes:
    q, p = V.shape
    random = digest_generator(V, values)
    mixture = random.standard_normal((q, PROBES))
    away = random.standard_normal((p, 1))
    away -= V.T @ (V @ away)
    along, norm = V.T @ mixture, float(np.linalg.norm(away))
    if q in (0, p) or norm <= 1e-6 * np.sqrt(p):
        return Probes(mixture, along, False)
    away = rows.of_first(partial(_turned, near=near, V=V, away=away / norm))
    return Probes(mixture, np.hstack([along, away]), True)


def _turned(block: Block, near: np.ndarray, V: np.ndarray, away: np.ndarray) -> np.ndarray:
    """A direction off the axes after some power steps with the covariance of a block."""
    for _ in range(POWERS):
        image = centred_adjoint(block.X, near, centred_product(block.X, near, away))
        for _again in range(2):  # for rounding
            image -= V.T @ (V @ image)
        norm = float(np.linalg.norm(image))
        if not 0.0 < norm < np.inf:
            break
        away = image / norm
    return away


def _one_reading(rows: Rows, near: np.ndarray, G: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
    """(x̄, the variance of all columns together, Σ G), from sums about a point that should be near the mean."""
    n = rows.n_rows
    sums, squares, image = rows.coarser(16).reduce(partial(_sums_about, near=near, G=G))
    # Σ (x − c)(x − c)ᵀ is the scatter about the mean and n (x̄ − c)(x̄ − c)ᵀ: far from zero, c is rounded.
    total = float(squares) - float(sums @ sums) / n
    return near + sums / n, total / (n - 1), (image - np.outer(sums, sums @ G) / n) / (n - 1)


def _sums_about(block: Block, near: np.ndarray, G: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
    if sparse.issparse(block.X):
        sums = np.asarray(block.X.sum(axis=0, dtype=float)).ravel() - block.X.shape[0] * near
        image = centred_adjoint(block.X, near, centred_product(block.X, near, G))
        return sums, float(squares_about(block.X, near).sum()), image
    about = np.subtract(block.X, near, dtype=float)
    # `np.dot` lets other threads go on where `@` may not.
    sums, image = np.dot(np.ones(len(about)), about), np.dot(about.T, np.dot(about, G))
    return sums, float(np.vdot(about, about)), image


def _derived(model: Any, values: np.ndarray, total: float, size: float, n: int, p: int) -> float:
    """Largest difference between what is stated and what follows from the variances, relative to the largest."""
    q = len(values)
    # scikit-learn's decomposition of the covariance counts the directions without variance as well.
    directions = p if getattr(model, "_fit_svd_solver", None) == "covariance_eigh" else min(n, p)
    noise = max(total - float(values.sum()), 0.0) / max(directions - q, 1) if q < min(n, p) else 0.0
    differences = (
        np.abs(np.asarray(model.explained_variance_ratio_) * total - values).max(initial=0.0) / size,
        np.abs(np.asarray(model.singular_values_, dtype=float) - np.sqrt((n - 1) * values)).max(initial=0.0)
        / np.sqrt((n - 1) * size),
        abs(float(model.noise_variance_) - noise) / size,
        abs(model.n_components_ - q) + abs(model.n_samples_ - n),
    )
    return float(np.max(differences))  # unlike Python's, it is no number where one of them is none


def _approximate(model: Any) -> bool:
    """Whether the axes are those of scikit-learn's randomised solver, which does not run until they are exact."""
    return getattr(model, "_fit_svd_solver", None) == "randomized"


def _equations(
    model: Any, values: np.ndarray, probes: Probes, image: np.ndarray, residual: float, size: float, digits: int
) -> list[Claim]:
    """Σv = λv tried on random mixtures of the axes, and the variance left in a direction off them.

    A mixture g of the axes gives Σ_j g_j (Σv_j − λ_j v_j): it is small for all random g only if every term is.
    """
    mixture = probes.mixture
    statement = "the axes solve Σv = λv (random mixtures of them, relative to λ₁)"
    if _approximate(model):
        claims = [Claim.disclosure("U10", statement, residual)]
        rayleigh = np.einsum("ij,ij->j", probes.directions[:, :PROBES], image[:, :PROBES])
        stated = np.einsum("i,ij,ij->j", values, mixture, mixture)
        claims.append(
            Claim.at_most("U10", "variances along mixtures of the axes are those stated (relative)",
                          float(np.abs(rayleigh / stated - 1.0).max()), 1e-2)
        )  # fmt: skip
    else:
        claims = [Claim.at_most("U10", statement, residual, EQUATION[digits], kind="approximate")]
    if probes.off:
        variance = float(probes.directions[:, -1] @ image[:, -1])
        claims.append(
            Claim.at_most("U10", "variance in a direction left out, beyond that of the last axis (relative to λ₁)",
                          max(variance - float(values.min()), 0.0) / size,
                          1e-2 if _approximate(model) else EQUATION[digits], kind="approximate")
        )  # fmt: skip
    return claims


def _optimal(
    rows: Rows, near: np.ndarray, V: np.ndarray, values: np.ndarray, total: float, size: float, residual: float,
    digits: int, approximate: bool,
) -> list[Claim]:  # fmt: skip
    """Eckart and Young: the error is Σ of the squared singular values left out, and no other axes leave less.

    How many eigenvalues of Σ exceed λ_q is read off the signs of an LDLᵀ factor (Sylvester), not off its spectrum.
    """
    q, p = V.shape
    n = rows.n_rows
    error, sums = rows.reduce(partial(_error, near=near, V=V))
    # About the mean it is less by n times the square of what the axes leave of x̄ − c.
    error = (float(error) - float(np.sum((sums - (sums @ V.T) @ V) ** 2)) / n) / (n - 1)
    expected = total - float(values.sum())
    claims = [
        Claim.at_most("U10", "the error of the projected rows is Σ of the variances left out (relative to the total)",
                      abs(error - expected) / size, 1e-2 if approximate else STATED[digits])
    ]  # fmt: skip
    if approximate or q in (0, min(n, p)) or p > 2000:
        return claims
    S = _one_reading(rows, near, np.eye(p))[2]
    # λ_q is no nearer to an eigenvalue than the residual of its equation says.
    threshold = float(values.min()) + min(max(STATED[digits], residual), 1.0) * size
    _, D, _ = linalg.ldl(0.5 * (S + S.T) - threshold * np.eye(p))
    above = _positive(D)
    return [
        *claims,
        Claim.at_most("U10", "no other axes leave a smaller error: eigenvalues above λ_q, at most q − 1 (LDLᵀ)",
                      above, q - 1),
    ]  # fmt: skip


def _positive(D: np.ndarray) -> int:
    """How many eigenvalues of a block-diagonal matrix of blocks of 1 and 2 are positive."""
    count, i = 0, 0
    while i < len(D):
        if i + 1 < len(D) and D[i + 1, i] != 0.0:
            a, b, c = D[i, i], D[i + 1, i], D[i + 1, i + 1]
            determinant, trace = a * c - b * b, a + c
            count += 1 if determinant < 0.0 else (2 if trace > 0.0 else 0)
            i += 2
        else:
            count += int(D[i, i] > 0.0)
            i += 1
    return count


def _error(block: Block, near: np.ndarray, V: np.ndarray) -> tuple[float, np.ndarray]:
    """(Σ of the squares that the axes leave of x − c, Σ (x − c))."""
    scores = centred_product(block.X, near, V.T)
    if sparse.issparse(block.X):  # the axes being orthonormal, which is a claim of its own
        sums = np.asarray(block.X.sum(axis=0, dtype=float)).ravel() - block.X.shape[0] * near
        return float(squares_about(block.X, near).sum() - np.vdot(scores, scores)), sums
    about = np.subtract(block.X, near, dtype=float)
    left = about - scores @ V
    return float(np.einsum("ij,ij->", left, left)), about.sum(axis=0)
