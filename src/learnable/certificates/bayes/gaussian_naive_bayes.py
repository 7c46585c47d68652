"""Gaussian naive Bayes: means and variances of the known cells of each class, computed again. Syllabus: Y6."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.certificates.bayes.class_members import labelled_rows, row_weights
from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.rows import Block, Rows


class _AboutMeans(NamedTuple):
    """(K,) members; (K, p) weight of known cells, Σ w (x − θ), Σ w (x − θ)²."""

    members: np.ndarray
    observed: np.ndarray
    moved: np.ndarray
    squares: np.ndarray

    @property
    def offset(self) -> np.ndarray:
        return self.moved / np.where(self.observed > 0.0, self.observed, 1.0)

    @property
    def variance(self) -> np.ndarray:
        return self.squares / np.where(self.observed > 0.0, self.observed, 1.0) - self.offset**2


@certifies("GaussianNB")
def gaussian_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about means, variances and priors."""
    rows = labelled_rows(model, X, y, sample_weight)
    theta, var = np.asarray(model.theta_, dtype=float), np.asarray(model.var_, dtype=float)
    found = _about(rows, theta, weighted=True)
    rounding = 16.0 * float(np.finfo(np.asarray(model.theta_).dtype).eps) * (10.0 + np.sqrt(rows.n_rows))
    seen = found.observed > 0.0
    size = np.sqrt(np.maximum(found.variance, 0.0) + theta**2)
    mean_off = np.divide(np.abs(found.offset), size, out=np.zeros_like(size), where=seen & (size > 0.0))
    expected = found.variance + model.epsilon_
    scale = np.where(seen, np.maximum(np.abs(expected), np.abs(var)), 0.0)
    # (x − θ)² knows a variance only as far as θ is rounded.
    scale += rounding * theta**2
    variance_off = np.divide(np.abs(var - expected), scale, out=np.zeros_like(scale), where=seen & (scale > 0.0))
    claims = [
        Claim.at_most(
            "Y6",
            "class_count_ is the weight of the rows of each class (largest relative difference)",
            np.abs(np.asarray(model.class_count_, dtype=float) - found.members).max() / found.members.sum(),
            rounding,
        ),
        Claim.at_most(
            "Y6",
            "theta_ is the mean of each column in each class (largest relative difference)",
            mean_off.max(),
            rounding,
        ),
        Claim.at_most(
            "Y6",
            "var_ is the variance of each column in each class, plus ε (largest relative difference)",
            variance_off.max(),
            rounding,
        ),
        _epsilon_claim(model, rows, found, theta, sample_weight is not None, rounding),
    ]
    prior = np.asarray(model.class_prior_, dtype=float)
    given = model.priors is not None
    wanted = np.asarray(model.priors, dtype=float) if given else found.members / found.members.sum()
    source = "as given" if given else "the shares of the classes"
    return [
        *claims,
        Claim.at_most("Y6", f"P(c) is {source} (largest difference)", np.abs(prior - wanted).max(), rounding),
        Claim.at_most("Y6", "P(c) sums to 1 (difference)", abs(prior.sum() - 1.0), rounding),
    ]


def _epsilon_claim(model, rows: Rows, found: _AboutMeans, theta, has_weights: bool, rounding: float) -> Claim:
    """ε as defined here, over rows by weight; scikit-learn counts every row alike, and this is granted too."""
    candidates = [_total_variance(found, theta)]
    if has_weights:
        candidates.append(_total_variance(_about(rows, theta, weighted=False), theta))
    off = min(abs(model.epsilon_ - model.var_smoothing * v) / max(model.var_smoothing * v, 1e-300) for v in candidates)
    statement = "ε is var_smoothing × the largest variance of a column (relative difference)"
    return Claim.at_most("Y6", statement, off, max(rounding, 1e-6))


def _total_variance(found: _AboutMeans, theta: np.ndarray) -> float:
    weight = found.observed.sum(axis=0)
    share = found.observed / np.where(weight > 0.0, weight, 1.0)
    mean = theta + found.offset
    apart = mean - np.sum(share * mean, axis=0)
    return float(np.max(np.sum(share * (found.variance + apart**2), axis=0)))


def _about(rows: Rows, theta: np.ndarray, weighted: bool) -> _AboutMeans:
    n_classes = len(theta)

    def sums(block: Block) -> _AboutMeans:
        label = np.asarray(block.y)
        weight = row_weights(block) if weighted else np.ones(len(label))
        belongs = sparse.csr_array((weight, (label, np.arange(len(label)))), shape=(n_classes, len(label)))
        Z = np.asarray(block.X, dtype=float) - theta[label]
        members = np.bincount(label, weight, n_classes)
        observed = np.repeat(members[:, np.newaxis], theta.shape[1], axis=1)
        unknown = np.isnan(Z)
        if unknown.any():
            observed = belongs @ (~unknown).astype(float)
            Z[unknown] = 0.0
        moved = belongs @ Z
        return _AboutMeans(members, observed, moved, belongs @ np.square(Z, out=Z))

    return rows.reduce(sums)
