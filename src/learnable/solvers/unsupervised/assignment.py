"""The nearest centre of each row, by one matrix product a stretch of rows: ½‖x − c_k‖² = ½‖x‖² + ½‖c_k‖² − c_k·x."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable._jit.core.vectors import read_only
from learnable._jit.unsupervised.nearest import (
    group_sums,
    nearest_of_few,
    nearest_two,
    squared_distances,
    squared_norms,
    step_of_few,
)
from learnable.device import DeviceRows, lloyd_pass, place_for
from learnable.rows import Block, Rows
from learnable.rows.arrays import ArrayRows

# Scores of a stretch of rows stay in a core's cache: 2**15 doubles are 256 KiB.
SCORES = 2**15
# Up to so many centres a row is compared with them one by one; beyond, by matrix products of many rows.
FEW = 16


class Scores(NamedTuple):
    """Of some rows: the smallest and second smallest of ½‖c_k‖² − c_k·x, where the first is, and ‖x‖²."""

    best: np.ndarray
    second: np.ndarray
    label: np.ndarray
    norms: np.ndarray


def stretch_length(K: int) -> int:
    """Rows whose scores against K centres stay in the cache."""
    return max(64, SCORES // max(K, 1))


def scores(X: np.ndarray, centres: np.ndarray) -> Scores:
    """Compare every row of a dense block with every centre."""
    m, K = len(X), len(centres)
    half = 0.5 * np.einsum("kj,kj->k", centres, centres)
    found = Scores(np.empty(m), np.empty(m), np.empty(m, dtype=np.int32), np.empty(m))
    step = stretch_length(K)
    room = np.empty((K, min(step, m)))
    for start in range(0, m, step):
        part = slice(start, min(start + step, m))
        rows = X[part]
        products = room[:, : len(rows)] if len(rows) == room.shape[1] else np.empty((K, len(rows)))
        np.dot(centres, rows.T, out=products)
        nearest_two(products, half, found.best[part], found.second[part], found.label[part])
    squared_norms(read_only(X), found.norms)
    return found


def _cells_about(block: Block, origin: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """(cells of a dense block in double precision, C-ordered; what is still to be subtracted from them)."""
    X = np.ascontiguousarray(block.X, dtype=float)
    return read_only(X), np.zeros(X.shape[1]) if origin is None else origin


def centred(X: Any, origin: np.ndarray | None) -> np.ndarray:
    """A dense block in double precision, C-ordered, about `origin`."""
    X = np.ascontiguousarray(X, dtype=float)
    return X if origin is None else X - origin


def weights_of(block: Block) -> np.ndarray:
    """One weight a row, ones where there are none."""
    return np.ones(block.stop - block.start) if block.weight is None else np.asarray(block.weight, dtype=float)


class Sums(NamedTuple):
    """Of the rows of each cluster: Σ w x, Σ w; and Σ w ‖x − c‖² over all."""

    firsts: np.ndarray
    masses: np.ndarray
    inertia: float


def cluster_sums(block: Block, centres: np.ndarray, origin: np.ndarray | None, device: str = "cpu") -> Sums:
    """One Lloyd step's sums over a block, about `origin`; the centres are about it too."""
    weight = weights_of(block)
    if sparse.issparse(block.X):
        return _sparse_sums(block.X, weight, centres)
    if len(centres) <= FEW and device == "cpu":
        firsts, masses = np.zeros(centres.shape), np.zeros(len(centres))
        return Sums(firsts, masses, step_of_few(*_cells_about(block, origin), weight, centres, firsts, masses))
    X = centred(block.X, origin)
    place = place_for(device, 2.0 * X.size * len(centres), X.nbytes)
    if place.is_device:
        return sums_on_device(DeviceRows(X, place, weight=block.weight), centres)
    label = scores(X, centres).label
    firsts, masses, squares = np.zeros(centres.shape), np.zeros(len(centres)), np.empty(len(X))
    group_sums(read_only(X), weight, label, firsts, masses)
    squared_distances(read_only(X), centres, label, squares)
    return Sums(firsts, masses, float(weight @ squares))


def sums_on_device(rows: DeviceRows, centres: np.ndarray) -> Sums:
    """The same sums over rows on a device."""
    passed = lloyd_pass(rows, centres, labels=False)
    return Sums(passed.sums, passed.counts, passed.inertia)


def _sparse_sums(X: Any, weight: np.ndarray, centres: np.ndarray) -> Sums:
    label, squares = _sparse_nearest(X, centres)
    member = sparse.csr_array((weight, (label, np.arange(len(label)))), shape=(len(centres), len(label)))
    masses = np.bincount(label, weights=weight, minlength=len(centres))
    return Sums((member @ X).toarray(), masses, float(weight @ squares))


def nearest(block: Block, centres: np.ndarray, origin: np.ndarray | None) -> np.ndarray:
    """The label of each row of a block."""
    if sparse.issparse(block.X) or len(centres) <= FEW:
        return nearest_and_distances(block, centres, origin)[0]
    return scores(centred(block.X, origin), centres).label


def distances(
    block: Block, centres: np.ndarray, origin: np.ndarray | None, label: np.ndarray | None = None
) -> np.ndarray:
    """‖x − c_k‖² of the nearest centre, whose number is `label` where it is known, for each row of a block."""
    return nearest_and_distances(block, centres, origin, label)[1]


def nearest_and_distances(
    block: Block, centres: np.ndarray, origin: np.ndarray | None, label: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(label, ‖x − c_k‖²) of each row of a block."""
    if sparse.issparse(block.X):
        return _sparse_nearest(block.X, centres)
    squares = np.empty(block.X.shape[0])
    if label is None and len(centres) <= FEW:
        label = np.empty(len(squares), dtype=np.int32)
        nearest_of_few(*_cells_about(block, origin), centres, label, squares)
        return label, squares
    X = centred(block.X, origin)
    label = scores(X, centres).label if label is None else np.asarray(label, dtype=np.int32)
    squared_distances(read_only(X), centres, label, squares)
    return label, squares


def _sparse_nearest(X: Any, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    value = 0.5 * np.einsum("kj,kj->k", centres, centres) - X @ centres.T
    label = value.argmin(axis=1).astype(np.int32)
    norms = np.asarray(X.multiply(X).sum(axis=1), dtype=float).ravel()
    return label, np.maximum(norms + 2.0 * value[np.arange(len(label)), label], 0.0)


def taken(rows: Rows, chosen: np.ndarray) -> np.ndarray:
    """Some rows by their numbers, as a dense array in the order asked for."""
    if isinstance(rows, ArrayRows):
        return _dense(rows.take(chosen))
    order = np.argsort(chosen, kind="stable")
    wanted = np.asarray(chosen)[order]
    found = rows.reduce(partial(_picked, wanted=wanted), _stack)
    out = np.empty_like(found)
    out[order] = found
    return out


def _picked(block: Block, wanted: np.ndarray) -> np.ndarray:
    here = wanted[(wanted >= block.start) & (wanted < block.stop)] - block.start
    return _dense(block.X[here])


def _dense(X: Any) -> np.ndarray:
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)


def _stack(total: np.ndarray, part: np.ndarray) -> np.ndarray:
    return np.concatenate([total, part]) if len(part) else total
