"""Spectral clustering: the graph, the eigen-equations, the labels, and the cut beside its relaxation bound.

Syllabus: U6, U8, U9.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import cdist

from learnable.certificates.core import Claim, Ledger, certifies, check_shapes, digest_generator, thorough
from learnable.certificates.core.origin import is_ours
from learnable.certificates.core.refitted import only_theirs, unless_refitted
from learnable.certificates.unsupervised.graphs import graph_claims
from learnable.certificates.unsupervised.inertia import eigenvalues_above
from learnable.certificates.unsupervised.rotations import rotation_claims
from learnable.problems.unsupervised.graphs import cut_values, degrees, laplacian
from learnable.problems.unsupervised.numbering import by_first_row
from learnable.problems.unsupervised.similarities import kernel_matrix

# Residuals of eigenvectors, relative to the size of the Laplacian.
EQUATION = 1e-6
# The same relative to the eigengap, which is what turns the embedding, and below what all of it is rounding.
TURNED, ROUNDED = 1e-4, 1e-12
# Similarities agree to this; where rounding allows no better than the second, nothing is proved.
AGREE, UNSURE = 1e-8, 1e-4
EPS = float(np.finfo(float).eps)
# Rows whose similarities are computed again at the end of a fit.
ROWS_TRIED = 50
# Rows up to which all eigenvalues are computed: n³ operations.
DENSE = 1500
# Nodes up to which a fit decomposes the whole Laplacian; the vectors of larger ones are sought.
WHOLE = 1000
# Weights of a graph of neighbours: neither of two rows is near the other, one of them, both.
HALVES = 0.0, 0.5, 1.0

LEDGER = Ledger(
    verified=("affinity_matrix_", "labels_", "embedding_", "eigenvalues_", "rotation_", "pivots_"),
    derived=("eigengap_",), unverified=("n_iter_",), sometimes=("rotation_", "pivots_"),
)  # fmt: skip


@certifies(
    "SpectralClustering", ledger=LEDGER,
    # Neither k-means nor rotations end where no other start would.
    again=lambda model, found: only_theirs(model) or model.assign_labels != "cluster_qr",
)  # fmt: skip
def spectral_clustering_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of a spectral clustering; of scikit-learn's the eigenvectors are computed here."""
    W = model.affinity_matrix_
    W = W.tocsr() if sparse.issparse(W) else np.asarray(W, dtype=float)
    labels = np.asarray(model.labels_)
    K = model.n_clusters
    n = W.shape[0]
    check_shapes(model, affinity_matrix_=(n, n))
    # scikit-learn's rotations make a cluster of each component, however many were asked for.
    most = K if is_ours(model) or model.assign_labels == "kmeans" else model.n_components or K
    strange = int(np.count_nonzero((labels < 0) | (labels >= most))) + abs(len(labels) - n)
    claims = [Claim.at_most("U8", "labels that are not clusters", strange, 0.0), *graph_claims(W)]
    if not all(claim.holds for claim in claims):
        return claims
    claims += _similarity_claims(model, W, X)
    normalised = getattr(model, "laplacian", "normalised") == "normalised"
    ours = is_ours(model)
    if ours:
        embedding, values = np.asarray(model.embedding_, dtype=float), np.asarray(model.eigenvalues_, dtype=float)
        q = min(model.n_components or K, n)
        strange = (embedding.shape != (n, q)) + (values.shape != (min(q + 1, n),))
        claims.append(
            Claim.at_most("U8", "n_components columns and one eigenvalue more (shapes that differ)", strange, 0.0)
        )
        if strange:
            return claims
        claims += _equations(W, embedding, values, normalised)
        claims.append(
            Claim.at_most("U8", "the eigengap is the difference of two eigenvalues (relative)",
                          abs(_gap(values, embedding.shape[1]) - model.eigengap_) / (1.0 + abs(model.eigengap_)), 1e-9)
        )  # fmt: skip
        if thorough() and n <= DENSE:
            claims += _smallest(W, values, embedding.shape[1], normalised)
    else:
        values, embedding = _eigenpairs(W, (model.n_components or K))
    if ours:
        strange = int(np.count_nonzero(labels != by_first_row(labels)))
        claims.append(Claim.at_most("U8", "clusters are numbered by their first rows (rows that differ)", strange, 0.0))
    if ours and model.assign_labels != "kmeans":
        claims += rotation_claims(model, embedding, labels)
    else:
        if hasattr(model, "rotation_") or hasattr(model, "pivots_"):
            claims.append(Claim.at_most("U8", "rotations that k-means does not make", 1, 0.0))
        claims.append(_nearest_means(embedding, labels, K, ours=ours, method=model.assign_labels))
    return claims + _cut_claims(W, labels, values, K, normalised)


def _similarity_claims(model: Any, W: Any, X: Any) -> list[Claim]:
    """The weights of some random nodes computed again from the rows."""
    ours = is_ours(model)
    if model.affinity == "precomputed_nearest_neighbors":
        return [_kept_claim(X, W, model.n_neighbors)]
    X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)
    n = W.shape[0]
    chosen = np.unique(digest_generator(np.asarray(model.labels_)).integers(n, size=ROWS_TRIED))
    given = W[chosen].toarray() if sparse.issparse(W) else W[chosen]
    size = max(float(np.abs(given).max()), np.finfo(float).tiny)
    if model.affinity == "precomputed":
        wrong = float(np.abs(given - X[chosen]).max()) / size
        statement = "the graph is the one given (largest difference, relative)"
    elif model.affinity == "nearest_neighbors":
        # scikit-learn may compare squares about zero.
        length = float(np.sum((X - X.mean(axis=0) if ours else X) ** 2, axis=1).max())
        return [_neighbour_claim(X, W, min(model.n_neighbors, n), chosen, 32.0 * EPS * length)]
    else:
        parameters = {"gamma": model.gamma, "degree": model.degree, "coef0": model.coef0}
        parameters |= model.kernel_params or {}
        if model.affinity == "rbf":  # by differences: products lose the distances of rows near each other
            again = np.exp(-parameters["gamma"] * cdist(X[chosen], X, "sqeuclidean"))
        else:
            again = kernel_matrix(X[chosen], X, model.affinity, **parameters)
        wrong = float(np.abs(again - given).max()) / size
        statement = "the similarities of some random nodes are those of the rows (relative)"
        if model.affinity == "rbf":
            # Far from each other, squared distances are rounded by more than similarities can bear.
            width = float(parameters["gamma"])
            apart = float(np.max(np.sum((X - X.mean(axis=0)) ** 2, axis=1), initial=0.0))
            # scikit-learn's are differences of squares about zero.
            rounded = 0.0 if ours else 32.0 * EPS * width * float(np.sum(X**2, axis=1).max())
            bound = min(AGREE + 32.0 * EPS * width * apart, UNSURE)
            return [Claim.reached("U6", statement, wrong, bound, asked=rounded)]
    return [Claim.at_most("U6", statement, wrong, AGREE)]


def _neighbour_claim(X: np.ndarray, W: Any, k: int, chosen: np.ndarray, rounding: float) -> Claim:
    """½ (C + Cᵀ), C joining a node with its k nearest: some rows of C, all of them where `certify` can afford it."""
    whole = thorough() and len(X) <= DENSE
    chosen = np.arange(len(X)) if whole else chosen
    given = W[chosen].toarray() if sparse.issparse(W) else W[chosen]
    squares = cdist(X[chosen], X, "sqeuclidean")
    reach, after = _reach(squares, k)
    surely, perhaps = squares < after * (1.0 - 1e-9) - rounding, squares <= reach * (1.0 + 1e-9) + rounding
    least = 0.5 * surely + (0.5 * surely.T if whole else 0.0)
    most = 0.5 * perhaps + (0.5 * perhaps.T if whole else 0.5)
    wrong = (given < least) | (given > most) | ~np.isin(given, HALVES)
    statement = "weights that are not those of the nearest neighbours" + ("" if whole else ", of some random nodes")
    return Claim.at_most("U6", statement, int(np.count_nonzero(wrong)), 0.0)


def _reach(away: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k-th smallest of each row, and the one after it: what is less than that is surely among the k smallest."""
    after = np.full((len(away), 1), np.inf)
    if k == away.shape[1]:
        return away.max(axis=1, keepdims=True), after
    ordered = np.partition(away, [k - 1, k], axis=1)
    return ordered[:, [k - 1]], ordered[:, [k]]


def _kept_claim(distances: Any, W: Any, k: int) -> Claim:
    """½ (C + Cᵀ), C keeping the k smallest of the distances that are given for a node, zeros among them."""
    entries = sparse.coo_array(distances) if sparse.issparse(distances) else None
    away = np.full(W.shape, np.inf) if entries is not None else np.asarray(distances, dtype=float)
    if entries is not None:
        away[entries.row, entries.col] = entries.data
    reach, after = _reach(away, k)
    surely, perhaps = away < after, (away <= reach) & np.isfinite(away)
    given = W.toarray() if sparse.issparse(W) else W
    least, most = 0.5 * surely + 0.5 * surely.T, 0.5 * perhaps + 0.5 * perhaps.T
    wrong = (given < least) | (given > most) | ~np.isin(given, HALVES)
    statement = "weights that are not those of the nearest of the neighbours given"
    return Claim.at_most("U6", statement, int(np.count_nonzero(wrong)), 0.0)


def _equations(W: Any, embedding: np.ndarray, values: np.ndarray, normalised: bool) -> list[Claim]:
    """Lv = λDv (Lv = λv for the plain Laplacian), and the columns are orthonormal in that metric."""
    d = degrees(W)
    metric = np.where(d > 0.0, d, 1.0) if normalised else np.ones(len(d))
    L = laplacian(W)
    q = embedding.shape[1]
    size = 1.0 if normalised else max(float(d.max(initial=0.0)), np.finfo(float).tiny)
    bound, asked = _near(values, q, size), 0.0 if len(d) <= WHOLE else EQUATION
    away = (L @ embedding - metric[:, None] * embedding * values[:q]) / np.sqrt(metric)[:, None]
    gram = embedding.T @ (metric[:, None] * embedding)
    return [
        Claim.reached("U8", "the eigenvectors solve their equation (largest residual, relative)",
                      float(np.sqrt(np.sum(away**2, axis=0)).max()) / size, bound, asked),
        Claim.at_most("U8", "the eigenvectors are orthonormal (largest entry of VᵀV − I)",
                      float(np.abs(gram - np.eye(q)).max()), 1e-6),
        Claim.at_most("U8", "the eigenvalues stand in rising order from 0 (relative)",
                      max(float(np.max(-np.diff(values), initial=0.0)), -float(values[0])) / size, 1e-9),
    ]  # fmt: skip


def _near(values: np.ndarray, q: int, size: float) -> float:
    """What eigenvalues and residuals may be off by, relative, for the embedding to be that of the smallest ones."""
    gap = max(_gap(values, q), 0.0) / size if len(values) > q else np.inf
    return min(EQUATION, max(TURNED * gap, ROUNDED))


def _smallest(W: Any, values: np.ndarray, q: int, normalised: bool) -> list[Claim]:
    """Sylvester: the signs of an LDLᵀ factor count the eigenvalues below the last one, and up to it.

    The last one has no eigenvector among those kept: the eigengap hangs on this count alone.
    """
    L = laplacian(W, normalised)
    L = L.toarray() if sparse.issparse(L) else L
    size = float(np.abs(np.diag(L)).max()) or 1.0  # without any edge every eigenvalue is zero
    near = _near(values, q, size) * size
    below, up_to = (eigenvalues_above(-L, -float(values[-1]) - side * near) for side in (-1.0, 1.0))
    return [
        Claim.at_most("U8", "no smaller eigenvalue was missed: eigenvalues below the last one (LDLᵀ)", below,
                      len(values) - 1),
        Claim.at_most("U8", "the last one is an eigenvalue: how many are missing up to it (LDLᵀ)",
                      max(len(values) - up_to, 0), 0.0),
    ]  # fmt: skip


def _eigenpairs(W: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The smallest eigenvalues of D^{−½}LD^{−½} and the rows that scikit-learn clusters."""
    d = degrees(W)
    root = np.where(d > 0.0, 1.0 / np.sqrt(np.where(d > 0.0, d, 1.0)), 1.0)
    L = laplacian(W, normalised=True)
    if W.shape[0] <= DENSE:
        values, U = np.linalg.eigh(L.toarray() if sparse.issparse(L) else L)
    else:
        values, U = eigsh(L, k=count + 1, sigma=-1e-3, which="LM", v0=np.ones(len(d)))
    return values[: count + 1], U[:, :count] * root[:, None]


def _nearest_means(embedding: np.ndarray, labels: np.ndarray, K: int, ours: bool, method: str) -> Claim:
    """The labels are a fixed point of k-means on the embedded rows; a cluster without rows would have none to take."""
    parts = np.unique(labels)
    means = np.array([embedding[labels == k].mean(axis=0) for k in parts])
    squares = ((embedding[:, None] - means) ** 2).sum(axis=2)
    own = squares[np.arange(len(labels)), np.searchsorted(parts, labels)]
    spread = max(float(np.sum((embedding - embedding.mean(axis=0)) ** 2)), np.finfo(float).tiny)
    excess = float(np.sum(own - squares.min(axis=1)) + (own.max() if len(parts) < K else 0.0)) / spread
    statement = "moving embedded rows to the nearest mean of a cluster lowers J by (share of the scatter)"
    if ours:
        return Claim.at_most("U8", statement, excess, 1e-9)
    # The rows that were clustered are not kept: where eigenvalues are close, those computed here may be others. Nor is
    # what turned them.
    if method != "kmeans" or not excess <= 1e-3:
        return unless_refitted("U8", statement, excess)
    return Claim.at_most("U8", statement, excess, 1e-3)


def _gap(values: np.ndarray, q: int) -> float:
    return float(values[q] - values[q - 1]) if len(values) > q else 0.0


def _cut_claims(W: Any, labels: np.ndarray, values: np.ndarray, K: int, normalised: bool) -> list[Claim]:
    """No clustering into K parts cuts less than the sum of the K smallest eigenvalues; how far the next one is."""
    cuts = cut_values(W, labels)
    name = "normalised_cut" if normalised else "ratio_cut"
    parts = len(np.unique(labels))
    bound = float(np.sum(values[:parts]))
    size = 1.0 if normalised else max(float(degrees(W).max(initial=0.0)), np.finfo(float).tiny)
    words = "Σ_k cut/volume" if normalised else "Σ_k cut/size"
    claims = [
        Claim.at_most("U9", f"the relaxation bound on {words}, Σ of the smallest eigenvalues, less the cut itself",
                      max(bound - cuts[name], 0.0) / size, 1e-9),
        Claim.disclosure("U9", f"{words} of this clustering", cuts[name]),
        Claim.disclosure("U9", f"{words} that no clustering into as many parts can go below", bound),
        Claim.disclosure("U9", "conductance: largest share of a part's weight that leaves it", cuts["conductance"]),
    ]  # fmt: skip
    if len(values) > K:
        gap = float(values[K] - values[K - 1])
        claims.append(
            Claim.disclosure("U9", "eigengap: a change of the Laplacian by less than half of it turns the eigenvectors "
                             "by less than 45° (Davis and Kahan)", gap)
        )  # fmt: skip
    return claims
