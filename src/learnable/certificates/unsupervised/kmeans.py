"""k-means: labels, objective and fixed point computed again, and lower bounds on what any clustering can reach.

Syllabus: U3, U4.
"""

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.certificates.core import Claim, Ledger, certifies, thorough
from learnable.certificates.core.membership import FEW_CLASSES, membership
from learnable.certificates.core.origin import is_ours
from learnable.certificates.core.refitted import unless_refitted
from learnable.certificates.core.sums import products_about, sums_over_rows
from learnable.certificates.unsupervised.kmeans_bound import semidefinite_bound
from learnable.rows import Block, Rows, as_rows, is_streamed
from learnable.rows.stretches import stretches

# One more Lloyd step may lower J by this share of the total scatter: the centres have come to rest.
AT_REST = 1e-4
# Relative rounding of J in double and in single precision, and of ½‖x − c‖² in its product form.
ROUNDING = {8: 1e-9, 4: 1e-4}
NEAREST = {8: 1e-10, 4: 1e-4}
# The semidefinite bound factorises n × n matrices some hundred times.
SMALL = 150
# Operations for the spectral bound beyond which a fit into fewer clusters than columns does without it.
DEAR = 1e7
CLOSED = 1e-6
# Below this share of the rows' squares, J is summed from the differences.
NEAR = 1e-3
EPS = float(np.finfo(float).eps)
# Stretches of a cache that are gone through at once.
AT_ONCE = 2


class Account(NamedTuple):
    """Sums over the rows, given centres and labels.

    Attributes
    ----------
    objective : Σ w ‖x − c_label‖².
    firsts, masses : Σ w (x − origin) and Σ w of each cluster.
    squares : Σ w ‖x − origin‖².
    excess : largest ‖x − c_label‖² − min_k ‖x − c_k‖², relative to the sizes of both.
    strange : labels that are no cluster's number.
    """

    objective: float
    firsts: np.ndarray
    masses: np.ndarray
    squares: float
    excess: float
    strange: int


LEDGER = Ledger(
    verified=("cluster_centers_",),
    derived=("labels_", "inertia_"),
    unverified=("n_iter_", "history_", "n_steps_", "counts_"),
)


def _in_batches(model: Any) -> bool:
    return type(model).__name__ == "MiniBatchKMeans"


@certifies(
    "KMeans", "MiniBatchKMeans", ledger=LEDGER, double=True,
    # Where batches lead is no optimum, and no claim tells a fixed point from another, or from itself under other names.
    # Of batches given one by one only the last is at hand.
    again=lambda model, found: not (_in_batches(model) and _given_in_batches(model)),
)  # fmt: skip
def kmeans_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of a k-means fit, ours or scikit-learn's."""
    centres = np.asarray(model.cluster_centers_)
    digits = centres.dtype.itemsize
    centres = centres.astype(float)
    rows = as_rows(X, None, sample_weight)
    # scikit-learn's may keep none, and then not J either.
    told = is_ours(model) or getattr(model, "compute_labels", True)
    labels = labels_of(model, X)
    if labels.shape != (rows.n_rows,) or centres.shape != (model.n_clusters, rows.n_columns):
        claim = Claim.at_most("U3", "one label a row and one centre a cluster (shapes that differ)", 1.0, 0.0)
        of_a_batch = len(centres) == model.n_clusters and _in_batches(model) and _given_in_batches(model)
        return [claim._replace(open=of_a_batch)]
    known = _known(labels, len(centres))
    origin = _origin(centres, labels[known], float(model.inertia_) / len(labels))
    if known.all():
        labels = labels.astype(np.min_scalar_type(len(centres)))  # they travel to where the rows are
    found = rows.coarser(8).reduce(partial(account, centres=centres, labels=labels, origin=origin), _merged)
    W = max(float(found.masses.sum()), np.finfo(float).tiny)
    mean = found.firsts.sum(axis=0) / W
    scatter = max(found.squares - W * float(mean @ mean), np.finfo(float).tiny)
    filled = found.masses > 0.0
    away = found.firsts[filled] / found.masses[filled, None] - (centres - origin)[filled]
    drop = float(found.masses[filled] @ np.einsum("kj,kj->k", away, away))
    size = max(found.objective, 1e-12 * scatter)
    claims = [
        Claim.at_most("U3", "labels that are not clusters", found.strange, 0.0),
        Claim.at_most(
            "U3", "every row is labelled by a nearest centre (largest relative excess)", found.excess, NEAREST[digits]
        ),
    ]
    if told:
        statement = "J = Σ w ‖x − c‖², computed again, differs from the one stated by (relative)"
        away = abs(found.objective - model.inertia_) / size
        claims.append(Claim.reached("U3", statement, away, ROUNDING[digits], _rounded(model, X, found, origin, size)))
    else:
        statement = "J = Σ w ‖x − c‖² of nearest centres; the one stated is an average over batches: not proved"
        claims.append(unless_refitted("U3", statement, found.objective))
    statement = "moving every centre to the mean of its points lowers J by (share of the total scatter)"
    if _in_batches(model) and thorough() and not is_ours(model):
        claims.append(unless_refitted("U3", statement, drop / scatter))
    elif _in_batches(model):
        # That batches were given one by one is the model's word, which excuses no other resting place.
        claim = Claim.disclosure("U3", statement, drop / scatter)
        claims.append(claim._replace(open=thorough() and _given_in_batches(model)))
    elif not is_ours(model):  # stopped by its budget, or by a tolerance that is a share of the variance of a column
        asked = np.inf if model.n_iter_ >= model.max_iter else max(AT_REST, float(model.tol))
        claims.append(Claim.reached("U3", statement, drop / scatter, AT_REST, asked))
    else:
        claims.append(Claim.at_most("U3", statement, drop / scatter, AT_REST))
    if found.objective > 1e-12 * scatter and not filled.all():
        # Such a centre may stand anywhere; a fit puts it on a row, unless none is left.
        statement = "clusters without rows, though rows away from their centres are left"
        claims.append(Claim.reached("U3", statement, int(np.count_nonzero(~filled)), 0.0, asked=np.inf))
    elif filled.any() and not filled.all():
        statement = "clusters without rows are where others are (largest distance, relative to the spread)"
        rounded = 64.0 * float(np.finfo(f"f{digits}").eps) * float(np.abs(centres[filled]).max())
        lone = _apart_from_others(centres, filled) / (float(np.sqrt(scatter / W)) + rounded / ROUNDING[digits])
        claims.append(Claim.reached("U3", statement, lone, ROUNDING[digits], asked=np.inf))
    if hasattr(model, "history_"):
        history = np.asarray(model.history_, dtype=float)
        claims.append(
            Claim.at_most(
                "U3", "J never rose during the fit, and ended where stated (largest relative difference)",
                max(np.max(np.diff(history), initial=0.0), abs(history[-1] - found.objective)) / scatter,
                ROUNDING[digits],
            )
        )  # fmt: skip
    claims += _bounds(model, rows, found.objective, scatter, origin + mean, W)
    if thorough() and rows.n_rows <= SMALL and not is_streamed(X):
        claims += optimality_claims(model, X, sample_weight)
    return claims


def _apart_from_others(centres: np.ndarray, filled: np.ndarray) -> float:
    """The largest distance from a centre without rows to the nearest one that has some."""
    return max(float(np.sqrt(np.square(centres[filled] - each).sum(axis=1).min())) for each in centres[~filled])


def _rounded(model: Any, X: Any, found: Account, origin: np.ndarray, size: float) -> float:
    """What scikit-learn's sum over sparse rows may be off, relatively: of squares about zero it takes differences."""
    if is_ours(model) or not sparse.issparse(X):
        return 0.0
    squares = found.squares + float(found.masses.sum()) * float(origin @ origin)
    return 64.0 * float(np.finfo(X.dtype).eps) * squares / size


def labels_of(model: Any, X: Any) -> np.ndarray:
    """Those that the model keeps; where scikit-learn's was to keep none, those that it would predict."""
    if is_ours(model) or getattr(model, "compute_labels", True):
        return np.asarray(model.labels_)
    centres = np.asarray(model.cluster_centers_, dtype=float)
    origin = centres.mean(axis=0)
    about = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float) - origin
    return (np.sum((centres - origin) ** 2, axis=1) - 2.0 * about @ (centres - origin).T).argmin(axis=1)


def _given_in_batches(model: Any) -> bool:
    return bool(vars(model).get("_in_parts", False))


def _origin(centres: np.ndarray, labels: np.ndarray, objective: float) -> np.ndarray:
    """A point near the rows to sum about; zero, which need not be subtracted, where they are about as near to it.

    `objective` is that of a row.
    """
    used = np.bincount(labels, minlength=len(centres)) > 0
    about = centres[used] if 0 < np.count_nonzero(used) < len(used) else centres
    origin = about.sum(axis=0) / len(about)
    away = about - origin
    spread = objective + float(np.vdot(away, away)) / len(about)
    return np.zeros_like(origin) if origin @ origin <= spread else origin


def _bounds(model: Any, rows: Rows, objective: float, scatter: float, mean: np.ndarray, weight: float) -> list[Claim]:
    """No clustering into K clusters goes below the scatter that K − 1 directions leave (Ding and He)."""
    K, p = model.n_clusters, rows.n_columns
    # The scatter matrix costs p operations a cell, a Lloyd step K: where it is dear it is left to `certify`.
    dear = p > 4 * K + 64 or (p > K and rows.n_rows * p**2 > DEAR)
    if dear and not (thorough() and p <= 2000):
        return []
    eigenvalues = np.linalg.eigvalsh(products_about(rows, mean))
    # Columns that do not spread leave the rounding of their mean.
    rounding = weight * (4.0 * EPS) ** 2 * float(mean @ mean)
    lower = max(float(np.maximum(eigenvalues[: max(p - K + 1, 0)], 0.0).sum()) - rounding, 0.0)
    size = max(objective, 1e-12 * scatter)
    return [
        Claim.at_most(
            "U3", "the spectral bound Σ_{j ≥ K} d_j² on every clustering, relative to J", lower / size, 1.0 + 1e-9
        ),
        Claim.disclosure("U3", "J is within this share of the best clustering, by the spectral bound",
                         max(objective - lower, 0.0) / size),
    ]  # fmt: skip


def optimality_claims(model: Any, X: Any, sample_weight: Any = None) -> list[Claim]:
    """How far J can be from the least of all clusterings, by a semidefinite bound; asserted where the gap closes."""
    X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)
    weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    X, weight, labels = X[weight > 0.0], weight[weight > 0.0], labels_of(model, X)[weight > 0.0]
    found = account(Block(X, None, weight, 0, len(X)), np.asarray(model.cluster_centers_, dtype=float), labels,
                    X.mean(axis=0))  # fmt: skip
    if found.objective <= 0.0:
        return [Claim.at_most("U3", "J = 0: no clustering is better", 0.0, 0.0)]
    gap = 1.0 - semidefinite_bound(X, weight, labels, model.n_clusters) / found.objective
    statement = "no clustering into as many clusters has a J smaller by more than (relative, semidefinite bound)"
    if gap <= CLOSED:
        return [Claim.at_most("U3", statement, max(gap, 0.0), CLOSED)]
    return [Claim.disclosure("U3", statement, gap)]


def account(block: Block, centres: np.ndarray, labels: np.ndarray, origin: np.ndarray) -> Account:
    """The sums over one block, whose rows are read from memory once: part after part, for all of them."""
    X = block.X.toarray() if sparse.issparse(block.X) else block.X
    label = labels[block.start : block.stop]
    w = None if block.weight is None else np.asarray(block.weight, dtype=float)
    parts = stretches(X, AT_ONCE)
    return reduce(
        _merged, (_of_part(part, None if w is None else w[at], centres, label[at], origin) for at, part in parts)
    )


def _of_part(
    X: np.ndarray, w: np.ndarray | None, centres: np.ndarray, label: np.ndarray, origin: np.ndarray
) -> Account:
    known = _known(label, len(centres))
    strange = int(np.count_nonzero(~known))
    label = np.where(known, label, 0) if strange else label
    about, C = X - origin if origin.any() else X, centres - origin
    sizes = np.einsum("kj,kj->k", C, C)
    # First of all, and thereby into the cache: no other product reads rows from memory as quickly.
    squares = float(np.vdot(about, about) if w is None else w @ np.sum(about**2, axis=1))
    # ‖x − c‖² − ‖x‖² of every centre and row, (K, m); of few centres the product is quicker row by row.
    few = len(C) <= FEW_CLASSES
    scores = np.ascontiguousarray(np.dot(about, -2.0 * C.T).T) if few else sums_over_rows(-2.0 * C, about.T)
    scores += sizes[:, None]
    own = scores[label, np.arange(len(X))]
    excess = own - scores.min(axis=0)
    # Of the size of its own centre: one far from every row lends the others no room.
    relative = 0.0
    if excess.any():
        other = np.flatnonzero(excess)
        size = np.sum(about[other] ** 2, axis=1) + sizes[label[other]]
        relative = float(np.max(excess[other] / np.maximum(size, np.finfo(float).tiny)))
    objective = squares + float(own.sum() if w is None else w @ own)
    if objective < NEAR * squares:  # the difference of large numbers: from the rows themselves
        away = X - centres[label]
        objective = float(np.vdot(away, away) if w is None else w @ np.sum(away**2, axis=1))
    member = membership(label, np.ones(len(X)) if w is None else w, len(C))
    firsts = sums_over_rows(member, about) if isinstance(member, np.ndarray) else member @ about
    return Account(objective, firsts, member.sum(axis=1), squares, relative, strange)


def _known(labels: np.ndarray, K: int) -> np.ndarray:
    """Which labels are the number of a cluster."""
    return (labels >= 0) & (labels < K)


def _merged(a: Account, b: Account) -> Account:
    return Account(
        a.objective + b.objective, a.firsts + b.firsts, a.masses + b.masses, a.squares + b.squares,
        max(a.excess, b.excess), a.strange + b.strange,
    )  # fmt: skip
