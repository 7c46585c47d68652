"""Gaussian mixtures: likelihood and EM equations computed again, from eigenvectors instead of Cholesky factors.

Syllabus: U5.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.core import Claim, Ledger, certifies, check_shapes
from learnable.certificates.unsupervised.missing_cells import marginals
from learnable.problems.unsupervised.mixtures import covariance_matrices, covariance_shape
from learnable.rows import Block, Rows, as_rows

# What one more EM step is sure to add to the mean log-likelihood of a mixture that is proved, and at most of one with
# the default tolerance, which says what it reached and is left open. It has no units.
SETTLED, LOOSE = 1e-6, 2e-3
# How far the point that EM steps tend to may be, in deviations of a row. The ratio of two steps is looked at where the
# first is longer than so much of that: of shorter ones rounding tells nothing.
NEAR, SHORT = 1e-2, 1e-4
ROUNDING = {8: 1e-8, 4: 1e-3}
# scikit-learn states the likelihood before its last step, which may have added as much as its default tolerance.
STALE = 1e-2
# Far from zero its covariances are rounded by as much.
ROUNDED = 1e-3
SYMMETRIC = {8: 1e-6, 4: 1e-3}
# Half a row: below it a component is as good as empty. Components this near each other, in deviations, are the same.
HALF, SAME = 0.5, 1e-6
# Of all rows, the share below which a component has none.
EMPTY = 1e-12

LEDGER = Ledger(
    verified=("weights_", "means_", "covariances_"),
    derived=("precisions_", "precisions_cholesky_", "lower_bound_"),
    unverified=("n_iter_", "converged_", "lower_bounds_"),
)


class Expected(NamedTuple):
    """Σ w log density; Σ w r; Σ w r (x − o); Σ w r (x − o)(x − o)ᵀ; Σ w."""

    log_likelihood: float
    counts: np.ndarray
    firsts: np.ndarray
    seconds: np.ndarray
    weight: float


class Mixture(NamedTuple):
    """Weights (K,), means (K, d) less an origin, and covariances (K, d, d)."""

    weights: np.ndarray
    means: np.ndarray
    matrices: np.ndarray


class Shapes(NamedTuple):
    """Covariances, each column in units of its own deviation, so that those in large units do not swallow the others.

    Attributes
    ----------
    unit : (K, d) deviations. eigenvalues : (K, d) of the covariances in these units.
    roots : (K, d, d) square roots of the precisions in these units, by eigenvectors.
    """

    unit: np.ndarray
    eigenvalues: np.ndarray
    roots: np.ndarray

    @classmethod
    def of(cls, matrices: np.ndarray) -> "Shapes":
        unit = np.sqrt(np.maximum(np.diagonal(matrices, axis1=1, axis2=2), np.finfo(float).tiny))
        eigenvalues, V = np.linalg.eigh(matrices / (unit[:, :, None] * unit[:, None, :]))
        with np.errstate(divide="ignore", invalid="ignore"):
            return cls(unit, eigenvalues, V / np.sqrt(eigenvalues)[:, None, :])

    @property
    def log_determinants(self) -> np.ndarray:
        return np.log(self.eigenvalues).sum(axis=1)

    @property
    def in_units(self) -> np.ndarray:
        """The roots for rows in the units of the table."""
        return self.roots / self.unit[:, :, None]


# No claim tells a fixed point from another, or from itself under other names.
@certifies("GaussianMixture", ledger=LEDGER, again=lambda model, found: True)
def gaussian_mixture_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of a mixture, ours or scikit-learn's."""
    digits = np.asarray(model.means_).dtype.itemsize
    weights, means = np.asarray(model.weights_, dtype=float), np.asarray(model.means_, dtype=float)
    K, d = means.shape
    kind = model.covariance_type
    shape = covariance_shape(kind, K, d)
    if model.n_components != K or np.shape(model.covariances_) != shape or weights.shape != (K,):
        return [Claim.at_most("U5", "components and covariances are those asked for (1: others)", 1, 0.0)]
    rows = as_rows(X, None, sample_weight)
    check_shapes(model, means_=(K, rows.n_columns), precisions_=shape, precisions_cholesky_=shape)
    matrices = covariance_matrices(model.covariances_, kind, K, d)
    shapes = Shapes.of(matrices)
    theirs = type(model).__module__.startswith("sklearn")
    flaw = max(abs(float(weights.sum()) - 1.0), -float(weights.min()), float(shapes.eigenvalues.min() <= 0.0))
    sound = Claim.at_most("U5", "weights add up to 1, covariances are positive definite", flaw, 1e-6)
    if not sound.holds:
        return [sound]
    skew = float(np.abs(matrices - np.swapaxes(matrices, 1, 2)).max()) / float(np.abs(matrices).max())
    origin = weights @ means
    at = Mixture(weights, means - origin, matrices)
    found = _expected(rows, at, shapes, origin, kind)
    value = found.log_likelihood / found.weight
    better = em_step(at, found, kind, model.reg_covar)
    gain = sure_gain(at, shapes, better, found, kind, model.reg_covar)
    away = abs(value - model.lower_bound_) / (1.0 + abs(value))
    rounded, settled, near = ROUNDED if theirs else 0.0, max(SETTLED, ROUNDING[digits]), []
    # A fit that says that its budget was spent may have stopped anywhere.
    spent = np.inf if theirs and not model.converged_ else 0.0
    if gain <= settled:
        near = [Claim.reached("U5", "EM steps tend to a point that is away by (deviations of a row, from two steps)",
                              _distance(rows, better, gain, origin, kind, model.reg_covar),
                              max(NEAR, ROUNDING[digits] ** 0.5), asked=np.inf, kind="approximate")]  # fmt: skip
    return [
        sound,
        Claim.reached("U5", "the covariances are symmetric (largest difference, relative)", skew, SYMMETRIC[digits],
                      asked=rounded),
        Claim.reached("U5", "precisions and their factors belong to the covariances (relative)",
                      _precision_flaw(model, matrices, shapes, kind), 1e-6 if digits == 8 else 1e-2,
                      asked=rounded if digits == 8 else 1e2 * rounded),
        Claim.reached("U5", "mean log-likelihood differs from the one stated by (relative)", away,
                      settled if theirs else ROUNDING[digits], asked=max(spent, STALE) if theirs else 0.0),
        Claim.reached("U5", "one more EM step is sure to add to the mean log-likelihood", gain, settled,
                      asked=max(spent, LOOSE, float(model.tol))),
        *near,
        *_never_fell(model, shapes),
        *_held_up(matrices, shapes, model.reg_covar),
        *_standing_still(means, matrices, found, rows.n_rows),
    ]  # fmt: skip


def _expected(rows: Rows, at: Mixture, shapes: Shapes, origin: np.ndarray, kind: str) -> Expected:
    """The E-step over all rows."""
    with np.errstate(divide="ignore"):
        log_weights = np.log(at.weights)
    d = at.means.shape[1]
    offsets = log_weights - 0.5 * (shapes.log_determinants + d * np.log(2.0 * np.pi)) - np.log(shapes.unit).sum(axis=1)
    crossed = kind in ("full", "tied")
    complete = partial(expectation, means=at.means, roots=shapes.in_units, offsets=offsets, crossed=crossed)
    partly = partial(partial_expectation, means=at.means, log_weights=log_weights, matrices=at.matrices)
    return rows.reduce(partial(_either, complete=complete, partly=partly, origin=origin))


def _distance(rows: Rows, at: Mixture, gain: float, origin: np.ndarray, kind: str, reg_covar: float) -> float:
    """How far the point that EM steps tend to is from the one before `at`, from which the step to `at` gains `gain`.

    A step of length δ, in deviations of a row that tells its component, gains δ²/2. Near the end steps shorten by a
    constant ratio ρ, the share of the information that is missing, so that δ / (1 − ρ) is left.
    """
    length = float(np.sqrt(2.0 * max(gain, 0.0)))
    if length <= SHORT * NEAR:
        return length
    shapes = Shapes.of(at.matrices)
    found = _expected(rows, at, shapes, origin, kind)
    again = sure_gain(at, shapes, em_step(at, found, kind, reg_covar), found, kind, reg_covar)
    ratio = float(np.sqrt(max(again, 0.0) / gain))
    return length / (1.0 - ratio) if ratio < 1.0 else float(np.finfo(float).max)


def _either(block: Block, complete, partly, origin) -> Expected:
    X = np.asarray(block.X, dtype=float) - origin
    w = np.ones(len(X)) if block.weight is None else np.asarray(block.weight, dtype=float)
    return (partly if np.isnan(X).any() else complete)(X, w)


def expectation(X: np.ndarray, w: np.ndarray, means, roots, offsets, crossed: bool) -> Expected:
    """The E-step on a block of rows; of precisions and second moments only the diagonals unless they are `crossed`."""
    K, d = means.shape
    log_terms = np.empty((len(X), K))
    for k in range(K):
        away = X - means[k]
        squares = np.sum((away @ roots[k]) ** 2, axis=1) if crossed else away**2 @ np.sum(roots[k] ** 2, axis=1)
        log_terms[:, k] = offsets[k] - 0.5 * squares
    r, log_density = _memberships(log_terms)
    r *= w[:, None]
    if crossed:
        seconds = np.array([(X * r[:, k, None]).T @ X for k in range(K)])
    else:
        seconds = (r.T @ X**2)[:, :, None] * np.eye(d)
    return Expected(float(w @ log_density), r.sum(axis=0), r.T @ X, seconds, float(w.sum()))


def partial_expectation(X: np.ndarray, w: np.ndarray, means, log_weights, matrices) -> Expected:
    """The same where cells are missing: their means given the others stand for them, their covariances are added."""
    found = marginals(X, log_weights, means, matrices)
    r, log_density = _memberships(found.log_terms)
    r *= w[:, None]
    firsts = np.array([r[:, k] @ rows for k, rows in enumerate(found.rows)])
    seconds = np.array([(rows * r[:, k, None]).T @ rows for k, rows in enumerate(found.rows)])
    for members, columns, spread in found.spreads:
        seconds[:, columns[:, None], columns] += r[members].sum(axis=0)[:, None, None] * spread
    return Expected(float(w @ log_density), r.sum(axis=0), firsts, seconds, float(w.sum()))


def _memberships(log_terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(r (m, K), log-density (m,)) from log π_k N(x; μ_k, Σ_k)."""
    top = log_terms.max(axis=1, keepdims=True)
    r = np.exp(log_terms - top)
    totals = r.sum(axis=1, keepdims=True)
    return r / totals, (top + np.log(totals))[:, 0]


def em_step(at: Mixture, found: Expected, kind: str, reg_covar: float) -> Mixture:
    """The next EM iterate; components without rows stay as they are."""
    d = at.means.shape[1]
    means, each = _moments(found)
    pooled = np.einsum("k,kij->ij", found.counts, each) / found.counts.sum()
    trace = np.trace(each, axis1=1, axis2=2) / d
    eye = np.eye(d)
    matrices = {
        "full": lambda: each,
        "tied": lambda: np.broadcast_to(pooled, each.shape),
        "diag": lambda: each * eye,
        "spherical": lambda: trace[:, None, None] * eye,
        "shared_spherical": lambda: np.broadcast_to(np.trace(pooled) / d * eye, each.shape),
    }[kind]() + reg_covar * eye
    share = found.counts / found.weight
    told = share > EMPTY
    return Mixture(
        share, np.where(told[:, None], means, at.means), np.where(told[:, None, None], matrices, at.matrices)
    )


def _moments(found: Expected) -> tuple[np.ndarray, np.ndarray]:
    """Mean (K, d) and covariance (K, d, d) of the rows of each component."""
    counts = np.maximum(found.counts, np.finfo(float).tiny)
    means = found.firsts / counts[:, None]
    return means, found.seconds / counts[:, None, None] - means[:, :, None] * means[:, None, :]


def sure_gain(at: Mixture, shapes: Shapes, better: Mixture, found: Expected, kind: str, reg_covar: float) -> float:
    """Q(θ′ | θ) − Q(θ | θ) per unit of weight, θ′ being the next EM iterate: the likelihood rises by no less.

    It is Σ_k p_k [log(p_k / π_k) + KL(N(μ′_k, Σ′_k) ‖ N(μ_k, Σ_k))] with p_k = Σ r_k / n.
    """
    K, d = at.means.shape
    _, each = _moments(found)
    total = 0.0
    for k in range(K):
        share = better.weights[k]
        if share <= EMPTY:
            continue
        unit, root = shapes.unit[k], shapes.roots[k]
        new = better.matrices[k] / np.outer(unit, unit)
        away = (better.means[k] - at.means[k]) / unit
        # The scatter that the step sees is `each`; what is added for regularity counts on both sides.
        seen = (each[k] + reg_covar * np.eye(d)) / np.outer(unit, unit)
        before = shapes.log_determinants[k] + np.vdot(root, seen @ root) + np.sum((away @ root) ** 2)
        after = np.linalg.slogdet(new)[1] + (d if kind == "full" else np.sum(np.linalg.inv(new) * seen))
        total += share * (np.log(share / max(at.weights[k], np.finfo(float).tiny)) + 0.5 * (before - after))
    return float(total)


def _standing_still(means: np.ndarray, matrices: np.ndarray, found: Expected, n_rows: int) -> list[Claim]:
    """EM learns nothing about a component without rows, and never tells two equal ones apart: open, not proved."""
    claims = []
    empty = int(np.count_nonzero(found.counts < HALF * found.weight / n_rows))
    if empty:
        statement = "components that hold less than half a row, about which the data say nothing"
        claims.append(Claim.reached("U5", statement, empty, 0.0, asked=np.inf))
    unit = np.sqrt(np.diagonal(matrices, axis1=1, axis2=2).mean(axis=0))
    spread = (matrices / np.outer(unit, unit)).reshape(len(means), -1)
    features = np.hstack([(means - means.mean(axis=0)) / unit, spread])
    twins = sum(np.abs(features[i] - features[j]).max() <= SAME for i in range(len(means)) for j in range(i))
    if twins:
        statement = "pairs of components that are the same, which no EM step tells apart"
        claims.append(Claim.reached("U5", statement, twins, 0.0, asked=np.inf))
    return claims


def _held_up(matrices: np.ndarray, shapes: Shapes, reg_covar: float) -> list[Claim]:
    """Directions in which a component would be flat, had not `reg_covar` been added: their spread is not the rows'."""
    least = (shapes.unit**2).min(axis=1) * shapes.eigenvalues.min(axis=1)  # no direction has less variance
    maybe = matrices[least <= 2.0 * reg_covar]
    flat = int(np.count_nonzero(np.linalg.eigvalsh(maybe) <= 2.0 * reg_covar)) if len(maybe) else 0
    statement = "directions of components whose variance is mostly reg_covar, not that of the rows"
    return [Claim.disclosure("U5", statement, flat)] if flat else []


def _precision_flaw(model: Any, matrices: np.ndarray, shapes: Shapes, kind: str) -> float:
    """Largest entry of ΣP − I and of Σ(LLᵀ) − I, P and L as stated."""
    (K, d), unit = matrices.shape[:2], shapes.unit
    outer = unit[:, :, None] * unit[:, None, :]
    precisions = covariance_matrices(model.precisions_, kind, K, d) * outer
    factors = covariance_matrices(model.precisions_cholesky_, kind, K, d) * unit[:, :, None]
    eye, matrices = np.eye(d), matrices / outer
    direct = np.abs(matrices @ precisions - eye).max()
    factored = np.abs(matrices @ (factors @ np.swapaxes(factors, 1, 2)) - eye).max()
    # `np.max` is no number where one of the three is none.
    signs = float(np.min(np.diagonal(factors, axis1=1, axis2=2)) <= 0.0)
    condition = float(np.max(shapes.eigenvalues.max(axis=1) / shapes.eigenvalues.min(axis=1)))
    return float(np.max([direct, factored, signs])) / max(condition * 1e-8, 1.0)


def _never_fell(model: Any, shapes: Shapes) -> list[Claim]:
    """Each step raises the likelihood, but for what is added to the variances for regularity."""
    history = np.asarray(getattr(model, "lower_bounds_", ()), dtype=float)
    if len(history) < 2:
        return []
    slack = 0.5 * model.reg_covar * float(np.max(np.sum(shapes.in_units**2, axis=(1, 2))))
    fall = float(np.max(-np.diff(history), initial=0.0))
    scale = 1.0 + float(np.abs(history).max())
    return [Claim.at_most("U5", "the mean log-likelihood never fell during the fit (relative)", fall / scale,
                          1e-8 + slack)]  # fmt: skip
