"""Kernel PCA: the eigen-equations of the centred kernel matrix, its trace, and that no larger eigenvalue was missed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import linalg, sparse

from learnable.certificates.core import Certificate, Claim, Ledger, certifies, check_shapes, digest_generator, thorough
from learnable.certificates.core.origin import is_ours
from learnable.certificates.core.refitted import only_theirs, unless_refitted
from learnable.certificates.core.reported import reported
from learnable.certificates.unsupervised.inertia import eigenvalues_above
from learnable.certificates.unsupervised.orientation import orientation_claims
from learnable.problems.unsupervised.similarities import default_gamma, kernel_matrix

# Residuals of eigenvectors, relative to the first eigenvalue and to their own.
EQUATION = 1e-6
# The same relative to how far the next eigenvalue is, which is what turns an axis.
TURNED = 1e-3
# What rounding may make of the means that are taken off new rows, relative to the centred kernel.
CENTRED = 1e-3
# Eigenvalues below this share of the first are zero.
LEAST = 1e-12
EPS = float(np.finfo(float).eps)
TIED = "axes that no rounding tells from the next"
# What scikit-learn's eigenvectors in single precision may miss of these, which proves nothing.
SINGLE = 1e-4
# Rows up to which eigenvalues are counted: n³ operations.
DENSE = 1500

LEDGER = Ledger(
    verified=("eigenvalues_", "eigenvectors_", "dual_coef_"),
    derived=("gamma_", "trace_", "X_fit_", "X_transformed_fit_"),
    sometimes=("dual_coef_", "X_transformed_fit_"),
)  # fmt: skip


def left_to_the_fit(model: Any, found: Certificate) -> bool:
    """Whether other axes solve the same equations: those that nothing tells apart, or none but rounding."""
    return only_theirs(model, found) or any(TIED in claim.statement for claim in found)


@certifies("KernelPCA", ledger=LEDGER, again=left_to_the_fit)
def kernel_pca_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of a kernel PCA, ours or scikit-learn's."""
    X, coarse = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float), X.dtype == np.float32
    q = len(model.eigenvalues_)
    check_shapes(model, eigenvalues_=(q,), eigenvectors_=(len(X), q))
    wanted = model.gamma if model.gamma is not None else default_gamma(model.kernel, X.shape[1])
    options = {"gamma": wanted, "degree": model.degree, "coef0": model.coef0}
    options = (model.kernel_params or {}) if callable(model.kernel) else options
    # Centred, these do not change where every row is moved by the same: digits far from zero stay.
    Z = X - X[0] if model.kernel in ("linear", "rbf", "laplacian") else X
    K = X if model.kernel == "precomputed" else kernel_matrix(Z, Z, model.kernel, **options)
    # Centred by its definition, (I − 11ᵀ/n) K (I − 11ᵀ/n).
    raw, K = K, K - K.mean(axis=0)
    K = K - K.mean(axis=1, keepdims=True)
    values, V = np.asarray(model.eigenvalues_, dtype=float), np.asarray(model.eigenvectors_, dtype=float)
    top = max(float(values.max(initial=0.0)), np.finfo(float).tiny)
    away = np.sqrt(np.sum(((K @ V - V * values) / top) ** 2, axis=0))  # relative first: squares may overflow
    noise = _noise(model, wanted, Z, raw, top, EPS)
    # Axes in single precision are no closer to orthogonal than that, and what they leave of themselves would grow.
    axes = linalg.qr(V, mode="economic")[0] if V.size else V
    off = digest_generator(V).standard_normal(len(K))
    for _ in range(8):
        off = off - axes @ (axes.T @ off)
        length = linalg.norm(off, check_finite=False)
        off = K @ (off / length) if length > 0.0 else off
    off = off - axes @ (axes.T @ off)
    length = linalg.norm(off, check_finite=False)
    left = float((off / length) @ K @ (off / length)) if length > 1e-8 * top else 0.0
    # All eigenvalues may have been asked for; then nothing is left but rounding.
    beyond = max(left - float(values.min(initial=np.inf)), 0.0) / top
    single = np.asarray(model.eigenvectors_).dtype == np.float32
    precision = 64.0 * float(np.finfo(np.float32).eps) if single else 1e-6
    rough = SINGLE if single and not is_ours(model) else 0.0
    # What rounding of a kernel leaves of it beside its mean is an answer to no question.
    digits = float(np.finfo(np.float32).eps) if coarse else EPS
    blurred = 0.0 if is_ours(model) else _noise(model, wanted, X, raw, top, digits)
    claims = [
        Claim.reached("U10", "the eigenvectors solve their equation (largest residual, relative to the first)",
                      float(away.max(initial=0.0)), EQUATION, max(rough, blurred)),
        *_turned(K / top, values / top, away, left / top, noise, is_ours(model)),
        _small_ones(values / top, away, left / top, noise, asked=0.0 if is_ours(model) else np.inf),
        Claim.reached("U10", "the eigenvectors are orthonormal (largest entry of VᵀV − I)",
                      float(np.abs(V.T @ V - np.eye(V.shape[1])).max(initial=0.0)), precision, rough),
        Claim.at_most("U10", "eigenvalues stand in falling order, none negative (relative)",
                      max(float(np.max(np.diff(values), initial=0.0)), -float(values.min(initial=0.0))) / top, 1e-9),
        Claim.at_most("U10", "variance in a direction left out, beyond that of the last one kept (relative)",
                      beyond, EQUATION, kind="approximate"),
    ]  # fmt: skip
    if thorough() and len(K) <= DENSE and q and (last := float(values.min())) > noise * top:
        # No larger one was missed, however near to the last.
        above = eigenvalues_above(K / top, last / top * (1.0 + EQUATION) + noise)
        asked = 0.0 if is_ours(model) else np.inf
        claims.append(Claim.reached("U10", "eigenvalues above the last one kept, at most all others (LDLᵀ)",
                                    above, q - 1, asked))  # fmt: skip
    # Fewer than asked for are kept where the rest is zero.
    wished = len(K) if model.n_components is None else min(model.n_components, len(K))
    nothing_left = abs(float(np.trace(K)) - float(values.sum())) <= max(EQUATION, precision) * top
    if thorough() and len(K) <= DENSE and not nothing_left:  # of kernels that are no inner products some is below zero
        nothing_left = eigenvalues_above(K / top, max(noise, LEAST)) <= q
    spare = model.n_components is None or model.remove_zero_eig
    missing = 0 if len(values) < wished and spare and nothing_left else abs(wished - len(values))
    # One axis is kept at least.
    zero = int(np.count_nonzero(values[1:] == 0.0)) if spare and is_ours(model) else 0
    claims.append(Claim.at_most("U10", "axes more or fewer than n_components asks for", missing + zero, 0.0))
    claims += orientation_claims("U10", model, V.T)
    ours = is_ours(model)
    if ours or hasattr(model, "X_fit_"):  # new rows are compared with these
        kept = model.X_fit_.toarray() if sparse.issparse(model.X_fit_) else model.X_fit_
        # Kernels that are given scikit-learn centres where they are kept, of which new ones know nothing.
        centred = not ours and model.kernel == "precomputed" and not np.array_equal(kept, X)
        claims.append(reported("U10", "X_fit_", kept, K if centred else X, EQUATION if centred else 0.0))
    if hasattr(model, "_centerer"):  # scikit-learn's, which takes these off new rows; in `linear` they have an origin
        raw = X @ X.T if model.kernel == "linear" else raw
        columns = raw.mean(axis=0)
        away = np.abs(np.append(model._centerer.K_fit_rows_ - columns, model._centerer.K_fit_all_ - columns.mean()))
        # What is left of a kernel once it is centred may be far less than its own size.
        size = max(float(np.abs(K).max()), 1e-300)
        beside = float(np.abs(raw).max()) / size
        statement = "new rows are centred by the means of the kernel's columns (largest difference, relative)"
        bound, most = max(EQUATION, min(8.0 * digits * beside, CENTRED)), 1e-2 * max(beside, 1.0)
        claims.append(Claim.reached("U10", statement, float(away.max(initial=0.0)) / size, bound, asked=most))
    if ours or hasattr(model, "gamma_"):
        claims.append(reported("U10", "gamma_", model.gamma_, wanted, 1e-12))
    if hasattr(model, "dual_coef_") or (ours and model.fit_inverse_transform):
        claims += _way_back_claims(model, X, V * np.sqrt(np.maximum(values, 0.0)), options, rough)
    if ours or hasattr(model, "trace_"):
        trace = float(np.trace(K))
        claims.append(Claim.at_most("U10", "trace_ is the trace of the centred kernel matrix (relative)",
                                    abs(model.trace_ - trace) / max(trace, np.finfo(float).tiny), 1e-9))  # fmt: skip
    return claims


def _noise(model: Any, gamma: Any, X: np.ndarray, raw: np.ndarray, top: float, eps: float) -> float:
    """What rounding of the kernel values, by `eps`, makes of a residual, relative to the first eigenvalue."""
    far = 0.0
    if model.kernel in ("rbf", "laplacian"):  # of distances as large as these
        about = X - X.mean(axis=0)
        size = np.sum(about**2, axis=1) if model.kernel == "rbf" else np.sum(np.abs(about), axis=1)
        far = float(gamma) * float(size.max(initial=0.0))
    kept = float(np.finfo(np.asarray(model.eigenvectors_).dtype).eps)
    return 8.0 * (kept + eps * len(X) * float(np.abs(raw / top).max(initial=1.0)) * (1.0 + far))


def _turned(K: np.ndarray, values: np.ndarray, away: np.ndarray, left: float, noise: float, ours: bool) -> list[Claim]:
    """An axis is turned by its residual over the distance to the next eigenvalue; all are relative to the first one.

    Axes of eigenvalues that are the same to rounding are any of a plane, of which nobody can tell which a fit chose.
    """
    near = np.minimum(
        np.abs(values - np.append(values[1:], left)), np.abs(values - np.append(np.inf, values[:-1]))[: len(values)]
    )
    turned = float(np.max(np.where(away > noise, away / np.maximum(near, LEAST), 0.0), initial=0.0))
    if thorough() and len(K) <= DENSE and len(values) and away[-1] > noise:
        # One left out may be nearer than it seems.
        turned = max(turned, float(eigenvalues_above(K, values[-1] - away[-1] / TURNED) > len(values)))
    statement = "an eigenvector is turned towards that of the next eigenvalue by at most (past rounding)"
    claims = [Claim.reached("U10", statement, turned, TURNED, asked=np.inf)]
    if tied := int(np.count_nonzero((near <= noise) & (values > noise))):
        claims.append(Claim.disclosure("U10", TIED, tied) if ours else unless_refitted("U10", TIED, tied))
    return claims


def _small_ones(values: np.ndarray, away: np.ndarray, left: float, noise: float, asked: float) -> Claim:
    """Errors relative to the first eigenvalue say nothing of vectors whose own is far below it: by which scores are
    divided."""
    own, most = np.where(values > 0.0, values, LEAST), noise + np.where(values > 0.0, 0.0, LEAST)
    rising = np.max((values[1:] - values[:-1] - noise) / own[1:], initial=0.0)
    beyond = max(left - noise, 0.0) / float(own.min(initial=np.inf)) - 1.0
    off = max(float(np.max((away - most) / own, initial=0.0)), float(rising), beyond)
    statement = "each eigenvector solves its equation, and none left out is larger (relative to its own, past rounding)"
    return Claim.reached("U10", statement, off, EQUATION, asked)


def _way_back_claims(
    model: Any, X: np.ndarray, scores: np.ndarray, options: dict[str, Any], rough: float
) -> list[Claim]:
    """The rows are regressed on their scores: (K + α I) A = X, residual relative to the terms that make it up."""
    dual = np.asarray(model.dual_coef_, dtype=float)
    same = reported("U10", "X_transformed_fit_", model.X_transformed_fit_, scores, 1e-6)
    if not same.holds or dual.shape != X.shape:
        return [same, Claim.at_most("U10", "dual_coef_ has a row for each row of X", float(dual.shape != X.shape), 0.0)]
    K = kernel_matrix(scores, scores, model.kernel, **options)
    left = np.abs(K @ dual + model.alpha * dual - X)
    terms = np.abs(K) @ np.abs(dual) + model.alpha * np.abs(dual) + np.abs(X)
    off = float(np.max(left / np.maximum(terms, np.finfo(float).tiny), initial=0.0))
    statement = "dual_coef_ solves the regression of the rows on their scores (largest residual, relative to its terms)"
    bound = 64.0 * float(np.finfo(np.float32).eps) if np.asarray(model.dual_coef_).dtype == np.float32 else 1e-9
    return [same, Claim.reached("U10", statement, off, bound, rough)]
