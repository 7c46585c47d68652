"""Labels near embedded rows: a rotation of the eigenvectors that is near indicators of clusters (Yu and Shi)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg


class RotationState(NamedTuple):
    """A rotation and the labels that it gives.

    Attributes
    ----------
    objective : ‖E − U R‖² of the indicators E of the labels, at the rotation that is best for them.
    labels : (n,), the column of the largest entry of each row of U R.
    rotation : (K, K), the orthogonal R that is best for the labels.
    moved : rows whose label is not that of the step before.
    history : objectives of all steps, this one included.
    pivots : (K,) rows that a pivoted QR chose; None where none was made.
    """

    objective: float
    labels: np.ndarray
    rotation: np.ndarray
    moved: int
    history: np.ndarray
    pivots: Any = None


def unit_rows(embedding: np.ndarray) -> np.ndarray:
    """U: columns of one length, then rows of length one; a row of zeros stays."""
    size = np.linalg.norm(embedding, axis=0)
    columns = embedding / np.where(size > 0.0, size, 1.0)
    length = np.linalg.norm(columns, axis=1, keepdims=True)
    return columns / np.where(length > 0.0, length, 1.0)


def iterates(embedding: np.ndarray, draw: np.random.Generator) -> Iterator[RotationState]:
    """States until no label changes: the labels best for the rotation, then the rotation best for the labels.

    Parameters
    ----------
    embedding : (n, K).
    draw : chooses the first row of the start.
    """
    U = unit_rows(embedding)
    n = len(U)
    turned = _start(U, draw)
    labels, history = np.full(n, -1), []
    while True:
        # 1. The labels that are best for the rotation.
        before, labels = labels, np.argmax(U @ turned, axis=1)
        # 2. The rotation that is best for the labels: UᵀE = P S Qᵀ, R = P Qᵀ.
        turned, total = nearest_rotation(_sums(U, labels))
        moved = int(np.count_nonzero(labels != before))
        history.append(2.0 * (n - total))
        yield RotationState(history[-1], labels, turned, moved, np.array(history))
        if not moved:
            return


def by_pivots(embedding: np.ndarray) -> Iterator[RotationState]:
    """One state: rows that a pivoted QR finds far from each other are turned onto the axes (Damle, Minden and Ying)."""
    _, _, order = linalg.qr(embedding.T, mode="economic", pivoting=True)
    pivots = order[: embedding.shape[1]].astype(np.int64)
    rotation, total = nearest_rotation(embedding[pivots].T)
    labels = np.argmax(np.abs(embedding @ rotation), axis=1)
    objective = float(np.sum(embedding[pivots] ** 2)) + len(pivots) - 2.0 * total
    yield RotationState(objective, labels, rotation, 0, np.array([objective]), pivots)


def nearest_rotation(M: np.ndarray) -> tuple[np.ndarray, float]:
    """(the orthogonal R with the largest tr RᵀM, that trace)."""
    P, S, Q = np.linalg.svd(M)
    return P @ Q, float(S.sum())


def _sums(U: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """UᵀE: the sums of the rows of each label, as columns."""
    sums = np.zeros((U.shape[1], U.shape[1]))
    np.add.at(sums, labels, U)
    return sums.T


def _start(U: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """Rows of U as columns: a random one, and each time the one that is most nearly orthogonal to those before."""
    K = U.shape[1]
    chosen = [int(draw.integers(len(U)))]
    towards = np.zeros(len(U))
    for _ in range(1, K):
        towards += np.abs(U @ U[chosen[-1]])
        chosen.append(int(np.argmin(towards)))
    return U[chosen].T
