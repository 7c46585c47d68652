"""Principal components: orthonormal axes, eigen-equations, the error they leave, and that no others leave less.

Syllabus: U10.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable.certificates.core import Claim, Ledger, certifies, digest_generator, thorough
from learnable.certificates.unsupervised.orientation import orientation_claims
from learnable.rows import Block, Rows, as_rows, centred_adjoint, centred_product, squares_about

# Relative bounds for double and single precision.
ORTHONORMAL = {8: 1e-8, 4: 1e-4}
EQUATION = {8: 1e-7, 4: 1e-3}
STATED = {8: 1e-8, 4: 1e-4}
PROBES = 3

LEDGER = Ledger(
    verified=("components_", "explained_variance_", "mean_"),
    derived=("explained_variance_ratio_", "singular_values_", "noise_variance_", "n_components_", "n_samples_"),
)


@certifies("PCA", ledger=LEDGER)
def principal_component_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of a PCA fit, ours or scikit-learn's."""
    V = np.asarray(model.components_)
    digits = V.dtype.itemsize
    V = V.astype(float)
    q, p = V.shape
    rows = as_rows(X)
    n = rows.n_rows
    values = np.maximum(np.asarray(model.explained_variance_, dtype=float), 0.0)
    probes = _probes(V, values)
    stated = np.asarray(model.mean_, dtype=float)
    mean, total, image = _one_reading(rows, stated if stated.shape == (p,) else np.zeros(p), probes.directions)
    total = max(total, np.finfo(float).tiny)
    top = max(float(values.max(initial=0.0)), np.finfo(float).tiny)
    spread = np.sqrt(max(total, np.finfo(float).tiny))
    rounding = np.finfo(float if digits == 8 else np.float32).eps * float(np.linalg.norm(mean)) * 10.0
    claims = [
        Claim.at_most("U10", "the axes are orthonormal (largest entry of VVᵀ − I)",
                      float(np.abs(V @ V.T - np.eye(q)).max(initial=0.0)), ORTHONORMAL[digits]),
        Claim.at_most("U10", "mean_ is the mean of the rows (distance relative to the spread)",
                      max(float(np.linalg.norm(model.mean_ - mean)) - rounding, 0.0) / spread, STATED[digits]),
        Claim.at_most("U10", "variances stand in falling order, none negative (relative to λ₁)",
                      max(float(np.max(np.diff(values), initial=0.0)),
                          -float(np.min(model.explained_variance_, initial=0.0))) / top, STATED[digits]),
        Claim.at_most("U10", "ratios, singular values and noise variance follow from the variances (relative)",
                      _derived(model, values, total, n, p), STATED[digits]),
    ]  # fmt: skip
    claims += _equations(model, rows, mean, V, values, probes, image, digits)
    if thorough():
        claims += _optimal(rows, mean, V, values, total, digits, _approximate(model))
    claims += orientation_claims("U10", model, V)
    return claims


class Probes(NamedTuple):
    """Directions to try Σ along: random mixtures of the axes and, where axes are left out, one off them, at the end."""

    mixture: np.ndarray
    directions: np.ndarray
    off: bool


def _probes(V: np.ndarray, values: np.ndarray) -> Probes:
    q, p = V.shape
    random = digest_generator(V, values)
    mixture = random.standard_normal((q, PROBES))
    away = random.standard_normal((p, 1))
    away -= V.T @ (V @ away)
    norm = float(np.linalg.norm(away))
    off = q < p and norm > 1e-6 * np.sqrt(p)
    along = V.T @ mixture
    return Probes(mixture, np.hstack([along, away / norm]) if off else along, off)


def _one_reading(rows: Rows, near: np.ndarray, G: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
    """(x̄, the variance of all columns together, Σ G), from sums about a point that should be near the mean."""
    n = rows.n_rows
    sums, squares, image = rows.reduce(partial(_sums_about, near=near, G=G))
    # Σ (x − c)(x − c)ᵀ is the scatter about the mean and n (x̄ − c)(x̄ − c)ᵀ.
    total = float(squares) - float(sums @ sums) / n
    return near + sums / n, total / (n - 1), (image - np.outer(sums, sums @ G) / n) / (n - 1)


def _sums_about(block: Block, near: np.ndarray, G: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
    if sparse.issparse(block.X):
        sums = np.asarray(block.X.sum(axis=0, dtype=float)).ravel() - block.X.shape[0] * near
        image = centred_adjoint(block.X, near, centred_product(block.X, near, G))
        return sums, float(squares_about(block.X, near).sum()), image
    about = np.subtract(block.X, near, dtype=float)
    return about.sum(axis=0), float(np.vdot(about, about)), about.T @ (about @ G)


def _derived(model: Any, values: np.ndarray, total: float, n: int, p: int) -> float:
    """Largest relative difference between what is stated and what follows from the variances."""
    q = len(values)
    top = max(float(values.max(initial=0.0)), np.finfo(float).tiny)
    total = 0.0 if total <= np.finfo(float).tiny else total
    ratios = values / total if total else values
    noise = max(total - float(values.sum()), 0.0) / max(min(n, p) - q, 1) if q < min(n, p) else 0.0
    differences = (
        np.abs(np.asarray(model.explained_variance_ratio_) - ratios).max(initial=0.0) * total / top,
        np.abs(np.asarray(model.singular_values_, dtype=float) - np.sqrt((n - 1) * values)).max(initial=0.0)
        / np.sqrt((n - 1) * top),
        abs(float(model.noise_variance_) - noise) / top,
        abs(model.n_components_ - q) + abs(model.n_samples_ - n),
    )
    return float(np.max(differences))  # unlike Python's, it is no number where one of them is none


def _approximate(model: Any) -> bool:
    """Whether the axes are those of scikit-learn's randomised solver, which does not run until they are exact."""
    return getattr(model, "_fit_svd_solver", None) == "randomized"


def _equations(model, rows: Rows, mean, V, values, probes: Probes, image: np.ndarray, digits: int) -> list[Claim]:
    """Σv = λv tried on random mixtures of the axes, and the variance left in a random direction off them.

    A mixture g of the axes gives Σ_j g_j (Σv_j − λ_j v_j): it is small for all random g only if every term is.
    """
    mixture = probes.mixture
    size = max(float(values.max(initial=0.0)), np.finfo(float).tiny)
    away = image[:, :PROBES] - V.T @ (values[:, None] * mixture)
    residual = float(np.sqrt(np.mean(np.sum(away**2, axis=0)))) / size
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
        probe = image[:, -1] - V.T @ (V @ image[:, -1])
        norm = float(np.linalg.norm(probe))
        if len(V) and norm > 1e-12 * size:
            probe /= norm
            variance = float(probe @ _covariance_times(rows, mean, probe[:, None])[:, 0])
            claims.append(
                Claim.at_most("U10", "variance in a direction left out, beyond that of the last axis (relative to λ₁)",
                              max(variance - float(values.min()), 0.0) / size,
                              1e-2 if _approximate(model) else EQUATION[digits], kind="approximate")
            )  # fmt: skip
    return claims


def _optimal(rows: Rows, mean, V, values, total: float, digits: int, approximate: bool) -> list[Claim]:
    """Eckart and Young: the error is Σ of the squared singular values left out, and no other axes leave less.

    How many eigenvalues of Σ exceed λ_q is read off the signs of an LDLᵀ factor (Sylvester), not off its spectrum.
    """
    q, p = V.shape
    n = rows.n_rows
    error = float(rows.reduce(partial(_error, mean=mean, V=V))) / (n - 1)
    expected = total - float(values.sum())
    claims = [
        Claim.at_most("U10", "the error of the projected rows is Σ of the variances left out (relative to the total)",
                      abs(error - expected) / total, 1e-2 if approximate else STATED[digits])
    ]  # fmt: skip
    if approximate or q in (0, min(n, p)) or p > 2000:
        return claims
    S = _covariance_times(rows, mean, np.eye(p))
    threshold = float(values.min()) + 1e-8 * total
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


def _covariance_times(rows: Rows, mean: np.ndarray, G: np.ndarray) -> np.ndarray:
    return rows.reduce(partial(_applied, mean=mean, G=G)) / (rows.n_rows - 1)


def _applied(block: Block, mean: np.ndarray, G: np.ndarray) -> np.ndarray:
    return centred_adjoint(block.X, mean, centred_product(block.X, mean, G))


def _error(block: Block, mean: np.ndarray, V: np.ndarray) -> float:
    scores = centred_product(block.X, mean, V.T)
    if sparse.issparse(block.X):  # the axes being orthonormal, which is a claim of its own
        return float(squares_about(block.X, mean).sum() - np.vdot(scores, scores))
    left = block.X - mean - scores @ V
    return float(np.einsum("ij,ij->", left, left))
