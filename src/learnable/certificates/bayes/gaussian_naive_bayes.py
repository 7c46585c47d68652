"""Gaussian naive Bayes: means and variances of the known cells of each class, computed again. Syllabus: Y6."""

from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.bayes.class_members import labelled_rows, row_weights
from learnable.certificates.bayes.count_claims import largest_difference
from learnable.certificates.bayes.gaussian_probe import MANY, tried
from learnable.certificates.bayes.shapes import misshapen, stored_precision
from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.membership import membership
from learnable.rows import Block, Rows

# How far a mean may be off, in deviations, and a variance, relatively; what rounding allows beyond that is left open.
MOST_MISSED = 1e-2


class _AboutMeans(NamedTuple):
    """(K,) members; (K, p) weight of known cells, their mean less θ, and their variance."""

    members: np.ndarray
    observed: np.ndarray
    offset: np.ndarray
    variance: np.ndarray


@certifies(
    "GaussianNB",
    ledger=Ledger(
        verified=("theta_", "var_", "class_prior_", "class_count_", "epsilon_"), derived=("observed_count_", "scatter_")
    ),
)
def gaussian_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about means, variances and priors."""
    rows = labelled_rows(model, X, y, sample_weight)
    K, p = len(model.classes_), rows.n_columns
    ours = type(model).__module__.startswith("learnable.")
    shapes = {"theta_": (K, p), "var_": (K, p), "class_count_": (K,), "class_prior_": (K,), "epsilon_": ()}
    if wrong := misshapen("Y6", model, shapes | ({"observed_count_": (K, p), "scatter_": (K, p)} if ours else {})):
        return wrong
    theta, var = np.asarray(model.theta_, dtype=float), np.asarray(model.var_, dtype=float)
    rounding = 16.0 * stored_precision(rows) * (10.0 + np.sqrt(rows.n_rows))
    quick = None
    if ours and not thorough() and rows.n_rows * p > MANY:
        # Not var_ less ε, which is mostly rounding where another column gives a much larger ε.
        stated = _relative(np.asarray(model.scatter_, dtype=float), np.asarray(model.observed_count_, dtype=float))
        quick = tried(rows, theta, stated, rounding)
    if quick is None:
        found = _about(rows, theta, weighted=True)
    else:
        # What is stated stands for what would be found, once it has been tried.
        observed = np.repeat(quick.members[:, np.newaxis], p, axis=1)
        found = _AboutMeans(quick.members, observed, np.zeros((K, p)), np.where(observed > 0.0, stated, 0.0))
    seen = found.observed > 0.0
    size = np.sqrt(np.maximum(found.variance, 0.0) + theta**2)
    # Of a class without rows nothing is known: its means are 0, and its variances ε.
    mean_off = np.where(seen, _relative(np.abs(found.offset), size), np.where(theta == 0.0, 0.0, np.inf))
    epsilon, scale = _epsilon_claim(model, rows, found, theta, sample_weight is not None, rounding)
    expected = np.where(seen, found.variance, 0.0) + model.epsilon_
    # (x − θ)² knows a variance only as far as θ is rounded.
    blur = rounding * theta**2
    beyond = np.abs(var - expected)
    if epsilon.open:
        # Batch after batch, each with an ε of its own.
        beyond = np.maximum(beyond - rows.n_rows * scale, 0.0)
    variance_off = _relative(beyond, np.maximum(np.abs(expected), np.abs(var)) + blur)
    beside = np.maximum(
        _relative(np.abs(found.offset), np.sqrt(np.maximum(expected, 0.0))), _relative(beyond, expected)
    )
    what = "theta_ and var_ beside deviations and variances (largest difference, however little beside rounding)"
    in_units = Claim.reached("Y6", what, float(beside.max(where=seen, initial=0.0)), MOST_MISSED, asked=np.inf)
    given = model.priors is not None
    wanted = np.asarray(model.priors, dtype=float) if given else found.members / found.members.sum()
    prior = np.asarray(model.class_prior_, dtype=float)
    source = "as given" if given else "the shares of the classes"
    moments = [
        *(quick.claims if quick is not None else [Claim.at_most(
            "Y6", "theta_ is the mean of each column in each class (largest relative difference)", mean_off.max(),
            rounding)]),
        Claim.at_most("Y6", "var_ is the variance of each column in each class, plus ε (largest relative difference)",
                      variance_off.max(), rounding),
        *([] if in_units.holds else [in_units]),
    ]  # fmt: skip
    claims = [
        _claim("class_count_ is the weight of the rows of each class", model.class_count_, found.members, rounding),
        *moments,
        epsilon,
        _claim(f"P(c) is {source}", prior, wanted, rounding),
        Claim.at_most("Y6", "P(c) sums to 1 (difference)", abs(prior.sum() - 1.0), rounding),
    ]  # fmt: skip
    if ours:
        scatter_off = np.abs(np.asarray(model.scatter_, dtype=float) - found.variance * found.observed)
        size = found.observed * (np.abs(found.variance) + blur)
        claims += [
            _claim("observed_count_ is the weight of the known cells", model.observed_count_, found.observed, rounding),
            Claim.at_most("Y6", "scatter_ is Σ w (x − mean)² of each column and class (largest relative difference)",
                          _relative(scatter_off, size).max(), rounding),
        ]  # fmt: skip
    return claims


def _relative(apart: np.ndarray, size: np.ndarray) -> np.ndarray:
    if (size > 0.0).all():
        return apart / size
    return np.divide(apart, size, out=np.where(apart > 0.0, np.inf, 0.0), where=size > 0.0)


def _claim(statement: str, given: Any, expected: np.ndarray, rounding: float) -> Claim:
    return Claim.at_most(
        "Y6", f"{statement} (largest relative difference)", largest_difference(given, expected), rounding
    )


def _epsilon_claim(
    model: Any, rows: Rows, found: _AboutMeans, theta: np.ndarray, has_weights: bool, rounding: float
) -> tuple[Claim, float]:
    """(the claim about ε, ε of all rows): ε as defined here, over rows by weight; of scikit-learn, over rows alike.

    After its `partial_fit` scikit-learn's ε is that of the last batch, which cannot be told from all rows: this is
    left open, up to the largest variance that a batch of them can have.
    """
    ours, smoothing = type(model).__module__.startswith("learnable."), float(model.var_smoothing)
    if has_weights and not ours:
        found = _about(rows, theta, weighted=False)
    expected, stated = smoothing * _total_variance(found, theta), float(model.epsilon_)
    apart, size = abs(stated - expected), max(expected, abs(stated))
    # A mean is known to its rounding, and that of a column far from zero is large beside its deviation.
    far = (rounding * float(np.abs(theta).max())) ** 2 * smoothing
    off = max(apart - far, 0.0) / size if size > 0.0 else 0.0
    statement = "ε is var_smoothing × the largest variance of a column (relative difference)"
    if ours or stated < 0.0:
        return Claim.at_most("Y6", statement, off, max(rounding, 1e-6)), expected
    return Claim.reached("Y6", statement, off, max(rounding, 1e-6), asked=float(rows.n_rows)), expected


def _total_variance(found: _AboutMeans, theta: np.ndarray) -> float:
    weight = found.observed.sum(axis=0)
    share = found.observed / np.where(weight > 0.0, weight, 1.0)
    mean = theta + found.offset
    apart = mean - (share * mean).sum(axis=0)
    return float((share * (found.variance + apart**2)).sum(axis=0).max())


def _about(rows: Rows, theta: np.ndarray, weighted: bool) -> _AboutMeans:
    n_classes = len(theta)

    def sums(block: Block) -> tuple[np.ndarray, ...]:
        """Weights of the rows and of the known cells of each class, Σ w (x − θ), Σ w (x − θ)²."""
        label = np.asarray(block.y)
        weight = row_weights(block) if weighted else np.ones(len(label))
        belongs = membership(label, weight, n_classes)
        Z = np.asarray(block.X, dtype=float) - theta[label]
        members = np.bincount(label, weight, n_classes)
        observed = np.repeat(members[:, np.newaxis], theta.shape[1], axis=1)
        unknown = np.isnan(Z)
        if unknown.any():
            observed = belongs @ (~unknown).astype(float)
            Z[unknown] = 0.0
        moved = belongs @ Z
        return members, observed, moved, belongs @ np.square(Z, out=Z)

    members, observed, moved, squares = rows.reduce(sums)
    divisor = np.where(observed > 0.0, observed, 1.0)
    offset = moved / divisor
    return _AboutMeans(members, observed, offset, squares / divisor - offset**2)
