"""Principal components: orthonormal axes, eigen-equations, the error they leave, and that no others leave less.

Syllabus: U10.
"""

import math
from collections.abc import Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable.certificates.core import Claim, Ledger, certifies, check_shapes, thorough
from learnable.certificates.core.origin import is_ours
from learnable.certificates.core.refitted import only_theirs
from learnable.certificates.unsupervised.inertia import eigenvalues_above
from learnable.certificates.unsupervised.orientation import orientation_claims
from learnable.certificates.unsupervised.principal_readings import Reading, by_one_probe, by_several_probes, images
from learnable.certificates.unsupervised.principal_scores import score_claims
from learnable.problems.unsupervised.minka import minka
from learnable.rows import Block, Rows, as_rows, centred_product, squares_about
from learnable.rows.arrays import ArrayRows

# Relative bounds for double and single precision.
ORTHONORMAL = {8: 1e-8, 4: 1e-4}
EQUATION = {8: 1e-7, 4: 1e-3}
STATED = {8: 1e-8, 4: 1e-4}
EPS = {8: float(np.finfo(float).eps), 4: float(np.finfo(np.float32).eps)}
TINY = float(np.finfo(float).tiny)
# scikit-learn centres its cross-products afterwards, which far from zero loses so many times eps ‖x̄‖² / variance: what
# fails by that, and by at most so much, is left open.
LOST, MOST_LOST = 100.0, 1e-3
# The scatter matrix of more columns is not looked at.
MOST_COLUMNS = 2000
# Our own fits of tables in memory of at most so many entries, and columns or rows, keep the digits of small variances.
MOST_ENTRIES, FEW_COLUMNS = 2**22, 1000

LEDGER = Ledger(
    verified=("components_", "explained_variance_", "mean_"),
    derived=("explained_variance_ratio_", "singular_values_", "noise_variance_", "n_components_", "n_samples_"),
)


@certifies("PCA", ledger=LEDGER, double=True, again=only_theirs)
@np.errstate(over="ignore", invalid="ignore")  # what overflows refutes
def principal_component_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of a PCA fit, ours or scikit-learn's."""
    V = np.asarray(model.components_)
    digits = _bytes(V)
    V = V.astype(float)
    rows = as_rows(X)
    q = len(model.components_)
    variances = ("explained_variance_", "explained_variance_ratio_", "singular_values_")
    check_shapes(model, components_=(q, rows.n_columns), **dict.fromkeys(variances, (q,)))
    values = np.maximum(np.asarray(model.explained_variance_, dtype=float), 0.0)
    near = np.asarray(model.mean_, dtype=float)
    near = near if near.shape == V.shape[1:] else np.zeros(V.shape[1])
    answer = Answer(V, values, near, digits)
    claims = []
    if not _approximate(model) and not rows.of_first(_is_sparse):
        reading = by_one_probe(rows, V, values, near)
        claims = _claims(model, rows.n_rows, answer, reading)
    if not claims or not all(claim.holds for claim in claims):
        # Axes that were sought, not computed, are too far from solving their equation for the one probe.
        reading = by_several_probes(rows, V, values, near)
        claims = _claims(model, rows.n_rows, answer, reading)
    elif thorough():
        reading = by_several_probes(rows, V, values, near)
        claims += _tried(model, answer, reading, _scale(answer, reading.total))
    if thorough():
        claims += _optimal(rows, answer, reading, _approximate(model))
        if q > 0 and rows.n_columns <= MOST_COLUMNS and not _approximate(model):
            asked = 0.0 if _of_all_digits(model, rows) else np.inf
            stated = np.asarray(model.mean_) if np.shape(model.mean_) == near.shape else near
            claims += score_claims("U10", rows, V, values, EPS[digits], asked, stated)
    claims.append(_count_claim(model, rows, answer, reading.total))
    claims += orientation_claims("U10", model, V)
    if is_ours(model):
        return claims
    lost = LOST * EPS[digits] * (1.0 + float(near @ near) / _scale(answer, reading.total).total)
    return [
        claim._replace(open=claim.open or (not claim.holds and claim.value <= min(lost, MOST_LOST))) for claim in claims
    ]


class Answer(NamedTuple):
    """The axes (q, p), their variances, the mean, and the bytes of a number of the axes."""

    V: np.ndarray
    values: np.ndarray
    mean: np.ndarray
    digits: int


class Scale(NamedTuple):
    """What errors are relative to: the largest variance, and that of all columns together; neither is zero."""

    largest: float
    total: float


def _scale(answer: Answer, total: float) -> Scale:
    q, p = answer.V.shape
    # Where the columns do not spread, what rounding makes of them must count for nothing; elsewhere all counts.
    rounded = p * (10.0 * EPS[answer.digits] * float(np.abs(answer.mean).max(initial=0.0))) ** 2
    least = max(rounded / STATED[answer.digits] if total <= rounded else 0.0, TINY)
    return Scale(max(float(answer.values[0]) if q else total, least), max(total, least))


def _claims(model: Any, n: int, answer: Answer, reading: Reading) -> list[Claim]:
    V, values, _, digits = answer
    q, p = V.shape
    scale = _scale(answer, reading.total)
    size = scale.largest
    off = V @ V.T
    off.flat[:: q + 1] -= 1.0
    rising = float((values[1:] - values[:-1]).max(initial=0.0))
    return [
        Claim.at_most("U10", "the axes are orthonormal (largest entry of VVᵀ − I)",
                      float(np.abs(off).max(initial=0.0)), ORTHONORMAL[digits]),
        Claim.at_most("U10", "variances stand in falling order, none negative (relative to λ₁)",
                      max(rising, -float(np.asarray(model.explained_variance_).min(initial=0.0))) / size,
                      STATED[digits]),
        Claim.at_most("U10", "ratios, singular values and noise variance follow from the variances (relative)",
                      _derived(model, values, reading.total, size, n, p), STATED[_bytes(model.explained_variance_)]),
        *_tried(model, answer, reading, scale),
    ]  # fmt: skip


def _count_claim(model: Any, rows: Rows, answer: Answer, total: float) -> Claim:
    """As many axes as `n_components` asks for: a number, a share of the variance, or Minka's choice."""
    asked, q, most = model.n_components, len(answer.V), min(rows.n_rows, rows.n_columns)
    if asked == "mle":
        # It hangs on all variances: computed again where every claim is.
        again = thorough() and most == rows.n_columns <= 2000
        off = abs(q - _minka(rows, answer.mean)) if again else 0
        if rows.n_columns == 1 and not is_ours(model):  # of ranks below it scikit-learn finds none
            off = q
    elif isinstance(asked, Real) and not isinstance(asked, Integral):
        share = np.concatenate([[0.0], np.cumsum(answer.values)]) / max(total, np.finfo(float).tiny)
        slack = STATED[answer.digits]
        off = int((q > 1 and share[q - 1] > asked + slack) or (q < most and share[q] < asked - slack))
    else:
        # Of sparse rows scikit-learn takes `arpack` by itself, which finds all axes but one.
        of_itself = not is_ours(model) and model.svd_solver == "auto" and rows.of_first(_is_sparse)
        one_less = model.svd_solver == "arpack" or of_itself
        off = abs(q - (most - one_less if asked is None else int(asked)))
    unsure = asked == "mle" and answer.digits == 4 and not is_ours(model)  # by variances of so few digits
    statement = "axes more or fewer than n_components asks for"
    return Claim.reached("U10", statement, off, 0.0, asked=np.inf if unsure else 0.0)


def _minka(rows: Rows, near: np.ndarray) -> int:
    S = images(rows, near, np.eye(rows.n_columns)).image
    return minka(np.maximum(linalg.eigvalsh(0.5 * (S + S.T))[::-1], 0.0), rows.n_rows)


def _is_sparse(block: Block) -> bool:
    return sparse.issparse(block.X)


def _derived(model: Any, values: np.ndarray, total: float, size: float, n: int, p: int) -> float:
    """Largest difference between what is stated and what follows from the variances, relative to the largest."""
    q = len(values)
    # scikit-learn's decomposition of the covariance counts the directions without variance as well.
    directions = p if getattr(model, "_fit_svd_solver", None) == "covariance_eigh" else min(n, p)
    noise = max(total - float(values.sum()), 0.0) / max(directions - q, 1) if q < min(n, p) else 0.0
    # What is left of the variance is told to the rounding of all of it; where nothing is, to the last digit.
    kept = _bytes(model.explained_variance_)
    # scikit-learn's is of squares about zero.
    whole = total if is_ours(model) else total + float(np.sum(np.asarray(model.mean_, dtype=float) ** 2))
    left = max(noise, 0.0 if q == directions else 64.0 * EPS[kept] * whole / STATED[kept], TINY)
    differences = (
        np.abs(np.asarray(model.explained_variance_ratio_) * total - values).max(initial=0.0) / size,
        np.abs(np.asarray(model.singular_values_, dtype=float) - np.sqrt((n - 1) * values)).max(initial=0.0)
        / np.sqrt((n - 1) * size),
        abs(float(model.noise_variance_) - noise) / left,
        abs(model.n_components_ - q) + abs(model.n_samples_ - n),
    )
    return math.nan if math.isnan(sum(differences)) else float(max(differences))


def _bytes(kept: Any) -> int:
    """Of a number of this array: ours keeps axes in the precision of the table, and all else in double."""
    return np.asarray(kept).dtype.itemsize


def _approximate(model: Any) -> bool:
    """Whether the axes are those of scikit-learn's randomised solver, which does not run until they are exact."""
    return getattr(model, "_fit_svd_solver", None) == "randomized"


def _of_all_digits(model: Any, rows: Rows) -> bool:
    """Whether the axes are ours, and neither sought nor those of cross-products alone."""
    n, p = rows.n_rows, rows.n_columns
    dense = isinstance(rows, ArrayRows) and not rows.of_first(_is_sparse)
    found = model.svd_solver in ("auto", "full", "covariance_eigh") and min(n, p) <= FEW_COLUMNS
    return is_ours(model) and dense and found and n * p <= MOST_ENTRIES


def _tried(model: Any, answer: Answer, reading: Reading, scale: Scale) -> list[Claim]:
    """The mean, Σv = λv, and the variance left in a direction off the axes."""
    _, values, mean, digits = answer
    size, total = scale
    own = _bytes(model.mean_)
    rounding = 10.0 * EPS[own] * math.sqrt(mean @ mean)
    astray = reading.astray if np.shape(model.mean_) == mean.shape else np.inf
    claims = [
        Claim.at_most("U10", f"mean_ is the mean of the rows (relative to the spread; tried along {reading.way})",
                      max(astray - rounding, 0.0) / np.sqrt(total), STATED[own])
    ]  # fmt: skip
    statement, bound = f"the axes solve Σv = λv (relative to λ₁; tried along {reading.way})", EQUATION[digits]
    residual = reading.residual / size
    if _approximate(model):
        bound = 1e-2
        claims += [
            Claim.disclosure("U10", statement, residual),
            Claim.at_most("U10", "variances along mixtures of the axes are those stated (relative)",
                          reading.misstated, bound),
        ]  # fmt: skip
    else:
        claims.append(Claim.at_most("U10", statement, residual, bound, kind="approximate"))
    if reading.beyond is not None:
        what = f"variance in a direction left out, beyond that of the last axis (relative to λ₁; beside {reading.way})"
        beyond = max(reading.beyond - float(values.min()), 0.0) / size
        claims.append(Claim.at_most("U10", what, beyond, bound, kind="approximate"))
    return claims


def _optimal(rows: Rows, answer: Answer, reading: Reading, approximate: bool) -> list[Claim]:
    """Eckart and Young: the error is Σ of the squared singular values left out, and no other axes leave less.

    How many eigenvalues of Σ exceed λ_q is read off the signs of an LDLᵀ factor (Sylvester), not off its spectrum.
    """
    V, values, near, digits = answer
    q, p = V.shape
    n, size, total = rows.n_rows, *_scale(answer, reading.total)
    error, sums = rows.reduce(partial(_error, near=near, V=V))
    # About the mean it is less by n times the square of what the axes leave of x̄ − c.
    error = (float(error) - float(np.sum((sums - (sums @ V.T) @ V) ** 2)) / n) / (n - 1)
    expected = reading.total - float(values.sum())
    claims = [
        Claim.at_most("U10", "the error of the projected rows is Σ of the variances left out (relative to the total)",
                      abs(error - expected) / total, 1e-2 if approximate else STATED[digits])
    ]  # fmt: skip
    if approximate or q in (0, min(n, p)) or p > MOST_COLUMNS:
        return claims
    S = images(rows, near, np.eye(p)).image
    # λ_q is no nearer to an eigenvalue than the residual of its equation says.
    threshold = float(values.min()) + min(max(STATED[digits], reading.residual / size), 1.0) * total
    above = eigenvalues_above(S, threshold)
    return [
        *claims,
        Claim.at_most("U10", "no other axes leave a smaller error: eigenvalues above λ_q, at most q − 1 (LDLᵀ)",
                      above, q - 1),
    ]  # fmt: skip


def _error(block: Block, near: np.ndarray, V: np.ndarray) -> tuple[float, np.ndarray]:
    """(Σ of the squares that the axes leave of x − c, Σ (x − c))."""
    scores = centred_product(block.X, near, V.T)
    if sparse.issparse(block.X):  # the axes being orthonormal, which is a claim of its own
        sums = block.X.T @ np.ones(block.X.shape[0]) - block.X.shape[0] * near
        return float(squares_about(block.X, near).sum() - np.vdot(scores, scores)), sums
    about = np.subtract(block.X, near, dtype=float)
    left = about - scores @ V
    return float(np.einsum("ij,ij->", left, left)), about.sum(axis=0)
