"""Gaussian mixtures: likelihood and EM equations computed again, from eigenvectors instead of Cholesky factors.

Syllabus: U5.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.core import Claim, Ledger, certifies
from learnable.certificates.unsupervised.missing_cells import marginals
from learnable.problems.unsupervised.mixtures import covariance_matrices, covariance_shape
from learnable.rows import Block, as_rows

# What one more EM step is sure to add to the mean log-likelihood; it has no units.
STATIONARY = 2e-3
ROUNDING = {8: 1e-8, 4: 1e-3}
# scikit-learn states the likelihood before its last step, which may have added as much as its default tolerance: its
# fits are proved where they went on until neither moved by more than this, and open up to the bounds of a default fit.
SETTLED, STALE = 1e-6, 1e-2
# Far from zero its covariances are rounded by as much.
ROUNDED = 1e-3
SYMMETRIC = {8: 1e-6, 4: 1e-3}
# Half a row: below it a component is as good as empty. Components this near each other, in deviations, are the same.
HALF, SAME = 0.5, 1e-6

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


@certifies("GaussianMixture", ledger=LEDGER)
def gaussian_mixture_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of a mixture, ours or scikit-learn's."""
    digits = np.asarray(model.means_).dtype.itemsize
    weights, means = np.asarray(model.weights_, dtype=float), np.asarray(model.means_, dtype=float)
    K, d = means.shape
    kind = model.covariance_type
    shape = covariance_shape(kind, K, d)
    if model.n_components != K or np.shape(model.covariances_) != shape or weights.shape != (K,):
        return [Claim.at_most("U5", "components and covariances are those asked for (1: others)", 1, 0.0)]
    matrices = covariance_matrices(model.covariances_, kind, K, d)
    shapes = Shapes.of(matrices)
    theirs = type(model).__module__.startswith("sklearn")
    flaw = max(abs(float(weights.sum()) - 1.0), -float(weights.min()), float(shapes.eigenvalues.min() <= 0.0))
    sound = Claim.at_most("U5", "weights add up to 1, covariances are positive definite", flaw, 1e-6)
    if not sound.holds:
        return [sound]
    skew = float(np.abs(matrices - np.swapaxes(matrices, 1, 2)).max()) / float(np.abs(matrices).max())
    with np.errstate(divide="ignore"):
        log_weights = np.log(weights)
    offsets = log_weights - 0.5 * (shapes.log_determinants + d * np.log(2.0 * np.pi)) - np.log(shapes.unit).sum(axis=1)
    rows = as_rows(X, None, sample_weight)
    origin = weights @ means
    crossed = kind in ("full", "tied")
    roots = shapes.roots / shapes.unit[:, :, None]
    complete = partial(expectation, means=means - origin, roots=roots, offsets=offsets, crossed=crossed)
    partly = partial(partial_expectation, means=means - origin, log_weights=log_weights, matrices=matrices)
    found: Expected = rows.reduce(partial(_either, complete=complete, partly=partly, origin=origin))
    value = found.log_likelihood / found.weight
    gain = sure_gain(weights, means - origin, shapes, found, kind, model.reg_covar)
    away = abs(value - model.lower_bound_) / (1.0 + abs(value))
    rounded = ROUNDED if theirs else 0.0
    return [
        sound,
        Claim.reached("U5", "the covariances are symmetric (largest difference, relative)", skew, SYMMETRIC[digits],
                      asked=rounded),
        Claim.reached("U5", "precisions and their factors belong to the covariances (relative)",
                      _precision_flaw(model, matrices, shapes, kind), 1e-6 if digits == 8 else 1e-2, asked=rounded),
        Claim.reached("U5", "mean log-likelihood differs from the one stated by (relative)", away,
                      max(SETTLED, ROUNDING[digits]) if theirs else ROUNDING[digits], asked=STALE if theirs else 0.0),
        Claim.reached("U5", "one more EM step is sure to add to the mean log-likelihood", gain,
                      max(SETTLED, ROUNDING[digits]) if theirs else STATIONARY, asked=STATIONARY),
        *_never_fell(model, roots),
        *_held_up(matrices, shapes, model.reg_covar),
        *_standing_still(means, matrices, found, rows.n_rows),
    ]  # fmt: skip


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


def sure_gain(weights, means, shapes: Shapes, found: Expected, kind: str, reg_covar: float) -> float:
    """Q(θ′ | θ) − Q(θ | θ) per unit of weight, θ′ being the next EM iterate: the likelihood rises by no less.

    It is Σ_k p_k [log(p_k / π_k) + KL(N(μ′_k, Σ′_k) ‖ N(μ_k, Σ_k))] with p_k = Σ r_k / n.
    """
    K, d = means.shape
    counts = np.maximum(found.counts, np.finfo(float).tiny)
    share = found.counts / found.weight
    new_means = found.firsts / counts[:, None]
    scatter = found.seconds - counts[:, None, None] * new_means[:, :, None] * new_means[:, None, :]
    each = scatter / counts[:, None, None]
    pooled = scatter.sum(axis=0) / found.counts.sum()
    trace = np.trace(each, axis1=1, axis2=2) / d
    eye = np.eye(d)
    update = {
        "full": lambda: each,
        "tied": lambda: np.broadcast_to(pooled, each.shape),
        "diag": lambda: each * eye,
        "spherical": lambda: trace[:, None, None] * eye,
        "shared_spherical": lambda: np.broadcast_to(np.trace(pooled) / d * eye, each.shape),
    }[kind]() + reg_covar * eye
    total = 0.0
    for k in range(K):
        if share[k] <= 1e-12:
            continue
        unit, root = shapes.unit[k], shapes.roots[k]
        new = update[k] / np.outer(unit, unit)
        away = (new_means[k] - means[k]) / unit
        # The scatter that the step sees is `each`; what is added for regularity counts on both sides.
        seen = (each[k] + reg_covar * eye) / np.outer(unit, unit)
        before = shapes.log_determinants[k] + np.vdot(root, seen @ root) + np.sum((away @ root) ** 2)
        after = np.linalg.slogdet(new)[1] + (d if kind == "full" else np.sum(np.linalg.inv(new) * seen))
        total += share[k] * (np.log(share[k] / max(weights[k], np.finfo(float).tiny)) + 0.5 * (before - after))
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


def _never_fell(model: Any, roots: np.ndarray) -> list[Claim]:
    """Each step raises the likelihood, but for what is added to the variances for regularity."""
    history = np.asarray(getattr(model, "lower_bounds_", ()), dtype=float)
    if len(history) < 2:
        return []
    slack = 0.5 * model.reg_covar * float(np.max(np.sum(roots**2, axis=(1, 2))))
    fall = float(np.max(-np.diff(history), initial=0.0))
    scale = 1.0 + float(np.abs(history).max())
    return [Claim.at_most("U5", "the mean log-likelihood never fell during the fit (relative)", fall / scale,
                          1e-8 + slack)]  # fmt: skip
