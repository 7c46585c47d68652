"""Certificates of Nyström's map and of random Fourier features. Syllabus: K2, K5."""

import math
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import lapack
from scipy.special import gammainccinv, gammaincinv

from learnable.certificates.core import Claim, Ledger, allowed, certifies, digest_generator, thorough
from learnable.certificates.core.origin import is_ours
from learnable.certificates.core.random_numbers import drawn_claim, seed_sequence
from learnable.certificates.core.refitted import only_theirs
from learnable.certificates.kernels.fourier_features import features
from learnable.problems.kernels.fourier import PAIRS, draw, error_bound, pair_errors, rows_in_pairs
from learnable.problems.kernels.kernel import Kernel
from learnable.problems.kernels.named import as_kernel, width
from learnable.rows import as_rows, is_streamed, taken

AGREE = 1e-7
DELTA = 1e-6


@certifies(
    "Nystroem", ledger=Ledger(verified=("normalization_", "components_"), derived=("component_indices_",)), double=True,
    again=only_theirs,  # which rows were drawn
)  # fmt: skip
def nystroem_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> list[Claim]:
    """The map is exact between the rows drawn, those are rows of X, and no feature is longer than k(x, x) allows."""
    rows = as_rows(X if sparse.issparse(X) or is_streamed(X) else np.asarray(X, dtype=float))
    degree, constant = (3 if model.degree is None else model.degree), (1 if model.coef0 is None else model.coef0)
    kernel = model.kernel
    if not isinstance(kernel, Kernel):
        given = getattr(model, "kernel_params", None) or {}
        function = (lambda x, z: model.kernel(x, z, **given)) if callable(model.kernel) else model.kernel
        kernel = as_kernel(
            function,
            width(model.gamma, model.components_, "Nystroem", model.kernel),
            degree,
            constant,
            callable(model.kernel),
        )
    chosen = np.asarray(model.component_indices_)
    kept, root = model.components_, np.asarray(model.normalization_, dtype=float)
    one, two = (
        part.toarray() if sparse.issparse(part) else np.asarray(part, dtype=float)
        for part in (kept, taken(rows, chosen))
    )
    other = float(np.count_nonzero(one != two)) + float(len(np.unique(chosen)) != len(chosen))
    K = kernel(kept)
    size = max(float(np.abs(K).max()), np.finfo(float).tiny)
    through, indefinite, asked = root @ K, 0.0, _asked(model, root, size)
    if _has_negative(K, 1e-5 * size):  # of such a kernel the map is that of |K|
        values, vectors = np.linalg.eigh(K)
        indefinite, K = -float(values[0]) / size, (vectors * np.abs(values)) @ vectors.T
    # S = K^{-1/2} K is the square root of K: SᵀS = K, symmetric, and no eigenvalue is negative, by Cholesky.
    exact = float(np.abs(through.T @ through - K).max()) / size
    largest = max(float(np.abs(through).max()), 1e-300)
    askew = float(np.abs(through - through.T).max()) / largest
    least = 0.0
    if _has_negative(through, 1e-5 * largest * len(through)):
        least = -float(np.linalg.eigvalsh(through)[0]) / (largest * len(through))
    claims = [
        Claim.at_most("K2", "components that are not the rows named", other, 0.0),
        Claim.at_most("K2", "components more or fewer than asked for",
                      abs(len(chosen) - min(model.n_components, rows.n_rows)), 0.0),
        Claim.reached("K2", "inner products between the components, off the kernel, relative",
                      exact, allowed(1e-5), asked),
        Claim.reached("K2", "map of the components, off its transpose: a square root is symmetric", askew, 1e-5, asked),
        Claim.reached("K2", "negative eigenvalue of the map of the components, relative", least, 1e-5, 1e-5 + asked),
        Claim.reached("K2", "negative eigenvalue of the kernel between the components, relative: no inner product",
                      indefinite, 1e-5, np.inf),
    ]  # fmt: skip
    if is_ours(model) and (source := seed_sequence(model)) is not None:
        again = np.random.default_rng(source).permutation(rows.n_rows)[: len(chosen)]
        claims.append(drawn_claim("K2", "component_indices_", model, chosen, again))
    if thorough():
        (full, kept_trace), longest = rows.reduce(lambda block: _lengths(block.X, kernel, kept, root), _both)
        what = "squared length of a row's features beyond k(x, x)"
        if indefinite == 0.0:
            # Between these components a kernel may be an inner product, and between others none.
            signed = model.kernel == "sigmoid" or (model.kernel in ("poly", "polynomial") and constant < 0.0)
            claims.append(Claim.reached("K2", what, longest / size, 1e-5, np.inf if signed else asked))
        if full != 0.0:  # as of a kernel of distances, which is no inner product
            what = "relative trace error of the approximation on these rows"
            claims.append(Claim.disclosure("K2", what, (full - kept_trace) / abs(full)))
    return claims


def _has_negative(A: np.ndarray, least: float) -> bool:
    """Whether a symmetric matrix has an eigenvalue below −least, by Cholesky."""
    return bool(lapack.dpotrf(A + least * np.eye(len(A)), lower=1)[1] > 0)


def _asked(model: Any, root: np.ndarray, size: float) -> float:
    """What scikit-learn's root of a kernel in single precision may miss: rounding of it, drawn out by its inverse."""
    if is_ours(model) or np.asarray(model.normalization_).dtype != np.float32:
        return 0.0
    lost = float(np.linalg.norm(root, 2)) * len(root) * 8.0 * float(np.finfo(np.float32).eps) * math.sqrt(size)
    return 2.0 * math.sqrt(len(root)) * lost + lost**2


def _lengths(X: Any, kernel: Kernel, kept: Any, root: np.ndarray) -> tuple[np.ndarray, float]:
    """The sums of k(x, x) and of the squared lengths of features over these rows, and by how much one is too long."""
    own = kernel.diagonal(X)
    length = np.einsum("ij,ij->i", *(2 * [kernel(X, kept) @ root.T]))
    return np.array([own.sum(), length.sum()]), float(np.max(length - own))


def _both(one: tuple[np.ndarray, float], two: tuple[np.ndarray, float]) -> tuple[np.ndarray, float]:
    return one[0] + two[0], max(one[1], two[1])


@certifies(
    "RBFSampler",
    ledger=Ledger(verified=("random_weights_", "random_offset_"), derived=("rms_error_",)),
    foreign=False,
    double=True,
)
def rbf_sampler_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> list[Claim]:
    """The draw is the one named, of the size of its law; the error on pairs of rows is within its bound."""
    weights, offset = np.asarray(model.random_weights_, dtype=float), np.asarray(model.random_offset_, dtype=float)
    p, m = weights.shape
    gamma = width(model.gamma, np.zeros((1, p)) if is_streamed(X) else X, "RBFSampler")
    claims = [Claim.at_most("K5", "features more or fewer than asked for", abs(m - model.n_components), 0.0)]
    if (source := seed_sequence(model)) is not None:
        again = draw(np.random.default_rng(source), p, m, gamma)
        off = max(float(np.abs(weights - again[0]).max()), float(np.abs(offset - again[1]).max()))
        claims.append(Claim.at_most("K5", "frequencies and phases, off those that random_state draws", off, 1e-12))
    total = float(np.vdot(weights, weights)) / (2.0 * gamma) if gamma > 0.0 else 0.0
    # Quantiles of χ² with pm degrees of freedom.
    low, high = 2.0 * gammaincinv(0.5 * p * m, 0.5 * DELTA), 2.0 * gammainccinv(0.5 * p * m, 0.5 * DELTA)
    outside = max((low - total) / low, (total - high) / high, 0.0) if gamma > 0.0 else 0.0
    claims.append(
        Claim.at_most(
            "K5", "size of the frequencies beyond what their law allows", outside, 0.0, kind="with probability",
            delta=DELTA, assumptions=("the frequencies were drawn from the normal law",),
        )
    )  # fmt: skip
    streamed = is_streamed(X)
    n = as_rows(X).n_rows if streamed else X.shape[0]
    # Of rows that come in blocks those drawn are looked for in a pass of its own.
    if n > 1 and (thorough() or not streamed):
        random = digest_generator(weights, offset)
        first, second = random.integers(0, n, (2, PAIRS))
        if streamed:
            X = taken(as_rows(X), np.concatenate([first, second]))
            first, second = np.arange(PAIRS), PAIRS + np.arange(PAIRS)
        cells, first, second = rows_in_pairs(X, first, second)
        errors = pair_errors(cells, first, second, features(cells, weights, offset), gamma)
        if not np.isnan(model.rms_error_):  # as after a fit to rows that come in blocks
            off = abs(math.sqrt(errors @ errors / PAIRS) - model.rms_error_)
            claims.append(Claim.at_most("K5", "root mean squared error on pairs of rows, off rms_error_", off, 1e-10))
        claims.append(
            Claim.at_most(
                "K5", "largest error of the kernel on pairs of rows", float(np.abs(errors).max()),
                error_bound(m, PAIRS, DELTA), kind="with probability", delta=DELTA,
                assumptions=("the frequencies were drawn independently of the rows",),
            )
        )  # fmt: skip
    return claims
