"""The graphical lasso: a point of the dual made from the answer proves how near the optimum is. Syllabus: G3."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import lapack
from scipy.sparse import csgraph, csr_array

from learnable.certificates.core import Claim, Ledger, allowed, certifies, check_shapes
from learnable.certificates.core.origin import is_ours
from learnable.certificates.core.refitted import unless_refitted
from learnable.certificates.graphical.table import moments_of
from learnable.problems.graphical.sparse_precision import (
    dual_objective,
    dual_point,
    entries,
    finite_penalty,
    objective,
    penalty_matrix,
    signed_dual_point,
)

# The duality gap does not change when columns are rescaled, and is of the order of the squared relative error. Of other
# libraries' fits less is asked, and more is left open for each column: scikit-learn's own gap has a sign and may pass
# through zero.
GAP, FOREIGN_GAP, OPEN_GAP = 1e-6, 1e-5, 1e-3
# ΘW = I to this, past the rounding of an inverse; other libraries keep two matrices that agree to their tolerance,
# relative to the lengths of Θ and W, and are proved as long as that says anything.
INVERSE, FOREIGN_INVERSE, MOST_APART = 1e-8, 1e-4, 1e-2
# Of an inverse, relative to the lengths, a row.
ROUNDED = 4.0 * float(np.finfo(float).eps)
# Of the size of a column, in double and in single precision, in which scikit-learn adds up single columns.
LOCATION = {8: 1e-9, 4: 1e-6}
# A correlation so near to the penalty is to either side of it by rounding: the least penalty without edges, which
# cross-validation may choose, is one of the correlations.
TIE = 1e-9
# A product with a matrix of so few entries is cheaper by those than by rows and columns.
SPARSE = 0.05
# Columns whose components are counted pair by pair.
FEW = 32


@certifies(
    "GraphicalLasso",
    "GraphicalLassoCV",
    ledger=Ledger(
        verified=("precision_", "alpha_"),
        derived=("location_", "covariance_", "n_blocks_"),
        unverified=("costs_", "n_iter_", "cv_results_"),
        sometimes=("alpha_",),
    ),
    again=lambda model, found: hasattr(model, "cv_results_"),  # which penalty was chosen, only its folds tell
)
def graphical_lasso_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims about a sparse precision."""
    theta, W = np.asarray(model.precision_, dtype=float), np.asarray(model.covariance_, dtype=float)
    precomputed = getattr(model, "covariance", None) == "precomputed"
    table = moments_of(X, model.assume_centered, precomputed)
    S, p = table.S, len(table.S)
    check_shapes(model, precision_=(p, p), covariance_=(p, p))
    ours = is_ours(model)
    penalty = penalty_matrix(
        getattr(model, "alpha_", getattr(model, "alpha", None)), p, getattr(model, "penalize_diagonal", False)
    )
    penalty = finite_penalty(S, penalty)
    # Units in which no scale of a column enters.
    unit = np.sqrt(np.diag(S) + np.diag(penalty))
    size = unit[:, None] * unit
    S, penalty, theta, W = S / size, penalty / size, theta * size, W / size
    skew = 0.0
    if not np.array_equal(theta, theta.T):
        skew = float(np.abs(theta - theta.T).max() / np.abs(theta).max())
        theta = 0.5 * (theta + theta.T)
    claims = [
        Claim.at_most("G3", "the precision is symmetric (relative difference)", skew, 1e-12 if ours else 1e-3),
        Claim.at_most("G3", "the location is that of the rows", table.shift(model.location_),
                      LOCATION[np.asarray(model.location_).dtype.itemsize]),
    ]  # fmt: skip
    if hasattr(model, "cv_results_"):
        tried = np.asarray(model.cv_results_["alphas"], dtype=float)
        away = float(np.min(np.abs(tried - model.alpha_), initial=np.inf)) / max(abs(model.alpha_), 1e-300)
        claims.append(Claim.at_most("G3", "the penalty is one of those tried on the folds (relative)", away, 1e-12))
        # Only the penalties of finer grids may have been tried before.
        asked = len(np.unique(model.alphas)) if np.ndim(model.alphas) else int(model.alphas)
        left = max(0, asked - len(tried))
        claims.append(Claim.at_most("G3", "penalties asked for that were not tried on the folds", left, 0.0))
        if not ours:
            statement = "alpha_ is the choice of its folds: not checked, the answers on the folds were not kept (1)"
            claims.append(unless_refitted("MS7", statement))
    factor, failed = lapack.dpotrf(theta.T, lower=1)
    if failed:
        return [*claims, Claim.at_most("G3", "the precision is positive definite", np.inf, 0.0)]
    log_det = 2.0 * float(np.log(np.diag(factor)).sum())
    where = entries(theta)
    few = len(where) < SPARSE * p * p
    apart = (csr_array((theta.flat[where], divmod(where, p)), (p, p)) if few else theta) @ W
    apart.flat[:: p + 1] -= 1.0
    largest = np.abs(W).max()  # of which the square may overflow
    lengths = np.linalg.norm(theta) * np.linalg.norm(W / largest) * largest
    beyond, loose = max(float(np.abs(apart).max()) - ROUNDED * p * lengths, 0.0), FOREIGN_INVERSE * lengths
    close, most = (INVERSE, 0.0) if ours else (min(loose, MOST_APART), loose)
    claims.append(Claim.reached("G3", "the covariance is the inverse of the precision", beyond, close, most))
    value = objective(S, penalty, theta, log_det)
    # Any point of the dual bounds the minimum; that from W is as good as the one from Θ⁻¹ where W is the inverse.
    gap = value - _dual_value(signed_dual_point(S, penalty, theta, W))
    bound = allowed(GAP if ours else FOREIGN_GAP)
    if not gap <= bound:
        lower = lapack.dpotri(factor, lower=1)[0]
        inverse = np.tril(lower) + np.tril(lower, -1).T
        points = [signed_dual_point(S, penalty, theta, inverse), dual_point(S, penalty, inverse)]
        gap = min(value - _dual_value(point) for point in points)
    claims.append(Claim.reached("G3", "duality gap", abs(gap), bound, asked=0.0 if ours else OPEN_GAP * p))
    if hasattr(model, "n_blocks_"):
        above = np.abs(S) - penalty
        most = fewest = _n_components(above > -TIE)
        if np.any(np.abs(above) <= TIE):
            most = _n_components(above > TIE)
        off = max(fewest - model.n_blocks_, model.n_blocks_ - most, 0)
        claims.append(Claim.at_most("G3", "components of |S| > penalty: as many as said", off, 0.0))
    edges = (len(where) - p) // 2
    claims.append(Claim.disclosure("G3", "pairs of columns that are not independent given the others", edges))
    return claims


def _n_components(joined: np.ndarray) -> int:
    if len(joined) <= FEW:
        return _n_trees(joined)
    return int(csgraph.connected_components(csr_array(joined), directed=False)[0])


def _n_trees(joined: np.ndarray) -> int:
    """The same, joining one tree to another for every pair in two of them.

    >>> _n_trees(np.array([[True, False, True], [False, True, False], [False, False, True]]))
    2
    """
    above, number = list(range(len(joined))), len(joined)
    for i, j in np.argwhere(joined).tolist():
        while above[i] != i:
            i = above[i]
        while above[j] != j:
            j = above[j]
        if i != j:
            above[j] = i
            number -= 1
    return number


def _dual_value(W: np.ndarray) -> float:
    """Of the dual at W; −∞ where W is not positive definite, and no point of the dual."""
    factor, failed = lapack.dpotrf(W.T, lower=1)  # symmetric, so that its columns are its rows
    return -np.inf if failed else dual_objective(2.0 * float(np.log(np.diag(factor)).sum()), len(W))
