"""Labels by a rotation of embedded rows: the rotation is the best for the labels, the labels for the rotation.

An orthogonal R maximises tr RᵀM where, and only where, RᵀM is symmetric and positive semidefinite: this needs no
decomposition of M. Syllabus: U8.
"""

from typing import Any

import numpy as np

from learnable.certificates.core import Claim
from learnable.certificates.core.worst import worst_of

ROUNDING = 1e-8
# Of labels: how much larger entries of other columns are in sum, a row.
TIES = 1e-9


def rotation_claims(model: Any, embedding: np.ndarray, labels: np.ndarray) -> list[Claim]:
    """The claims of assign_labels="discretize" and "cluster_qr"."""
    n, K = embedding.shape
    R, by_pivots = np.asarray(getattr(model, "rotation_", None)), model.assign_labels == "cluster_qr"
    pivots = np.asarray(getattr(model, "pivots_", [])) if by_pivots else np.zeros(0)
    strange = int(R.shape != (K, K) or R.dtype.kind != "f") + int(by_pivots != hasattr(model, "pivots_"))
    if by_pivots and not strange:
        strange += int(pivots.shape != (K,) or pivots.dtype.kind not in "iu")
        strange += 0 if strange else int(np.sum((pivots < 0) | (pivots >= n)))
    if strange or model.n_clusters != K:
        return [Claim.at_most("U8", "a rotation of one column a cluster is kept (violations)", strange + 1, 0.0)]
    rows = embedding if by_pivots else _of_unit_length(embedding)
    turned = np.abs(rows @ R) if by_pivots else rows @ R
    column = _columns(turned, labels)
    taken = np.unique(labels)
    own = turned[np.arange(n), column[labels]]
    if by_pivots:
        M = embedding[pivots].T
    else:
        M = np.zeros((K, K))
        for k in taken:
            M[:, column[k]] = rows[labels == k].sum(axis=0)
    return [
        Claim.at_most("U8", "the rotation is orthogonal (largest entry of RᵀR − I)",
                      float(np.abs(R.T @ R - np.eye(K)).max()), ROUNDING),
        *([_pivot_claim(embedding, pivots)] if by_pivots else []),
        _best_rotation(R, M, "the rows that were chosen" if by_pivots else "the labels"),
        Claim.at_most("U8", "each cluster has a column of its own (how many share one)",
                      len(taken) - len(set(column[taken].tolist())), 0.0),
        Claim.at_most("U8", "each row has the label of its largest turned entry (mean excess of others, relative)",
                      float(np.mean(turned.max(axis=1) - own)) / max(float(turned.max()), np.finfo(float).tiny), TIES),
    ]  # fmt: skip


def _of_unit_length(embedding: np.ndarray) -> np.ndarray:
    size = np.sqrt(np.einsum("ij,ij->j", embedding, embedding))
    columns = embedding / np.where(size > 0.0, size, 1.0)
    length = np.sqrt(np.einsum("ij,ij->i", columns, columns))
    return columns / np.where(length > 0.0, length, 1.0)[:, None]


def _columns(turned: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The column of each cluster: the one with the largest sum over its rows."""
    column = np.zeros(turned.shape[1], dtype=int)
    for k in np.unique(labels):
        column[k] = int(turned[labels == k].sum(axis=0).argmax())
    return column


def _best_rotation(R: np.ndarray, M: np.ndarray, of: str) -> Claim:
    A = R.T @ M
    size = max(float(np.abs(A).max()), np.finfo(float).tiny)
    lowest = float(np.linalg.eigvalsh(0.5 * (A + A.T))[0])
    wrong = max(float(np.abs(A - A.T).max()), -lowest) / size
    return Claim.at_most("U8", f"no rotation is nearer to {of}: RᵀM is symmetric, its eigenvalues >= 0 (violation)",
                         wrong, ROUNDING)  # fmt: skip


def _pivot_claim(embedding: np.ndarray, pivots: np.ndarray) -> Claim:
    """Each row chosen is the farthest from the span of those before, by Gram and Schmidt."""
    left, short = embedding.astype(float), 0.0
    whole = max(float(np.sum(left**2, axis=1).max()), np.finfo(float).tiny)
    for pivot in pivots:
        away = np.sum(left**2, axis=1)
        short = worst_of(short, float(away.max() - away[pivot]))
        if away[pivot] > 0.0:
            direction = left[pivot] / np.sqrt(away[pivot])
            left = left - np.outer(left @ direction, direction)
    return Claim.at_most("U8", "each row chosen is the farthest from the span of those before (relative shortfall)",
                         short / whole, ROUNDING)  # fmt: skip
