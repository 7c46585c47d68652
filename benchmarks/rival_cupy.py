"""The computations of `learnable.device` as one writes them in CuPy, with blocks of rows that fit."""

from collections.abc import Iterator
from typing import Any

import cupy as cp
import numpy as np

BLOCK = 2**20


@cp.fuse
def _radial(product: Any, a: Any, b: Any, gamma: Any) -> Any:
    return cp.exp(-gamma * cp.maximum(a + b - 2.0 * product, 0.0))


def _blocks(X: Any) -> Iterator[slice]:
    for start in range(0, len(X), BLOCK):
        yield slice(start, min(start + BLOCK, len(X)))


def here(tensor: Any) -> Any:
    """A torch tensor as a CuPy array, in the same memory."""
    return cp.from_dlpack(tensor)


def gram(X: Any) -> np.ndarray:
    return cp.asnumpy(X.T @ X)


def lloyd_pass(X: Any, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    C = cp.asarray(centres, dtype=cp.float32)
    sums, counts, squares = cp.zeros_like(C), cp.zeros(len(C)), (C * C).sum(axis=1)
    for rows in _blocks(X):
        scores = X[rows] @ C.T
        nearest = cp.argmin(squares - 2.0 * scores, axis=1)
        members = (nearest[:, None] == cp.arange(len(C))).astype(cp.float32)
        sums += members.T @ X[rows]
        counts += members.sum(axis=0)
    return cp.asnumpy(sums), cp.asnumpy(counts)


def multinomial_gradient(X: Any, classes: Any, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    W, b = cp.asarray(coef, dtype=cp.float32), cp.asarray(intercept, dtype=cp.float32)
    total = cp.zeros((len(W), W.shape[1] + 1))
    for rows in _blocks(X):
        P = _probabilities(X[rows], W, b)
        P[cp.arange(len(P)), classes[rows]] -= 1.0
        total[:, :-1] += P.T @ X[rows]
        total[:, -1] += P.sum(axis=0)
    return cp.asnumpy(total)


def multinomial_hessian_product(
    X: Any, coef: np.ndarray, intercept: np.ndarray, direction: np.ndarray
) -> np.ndarray:  # fmt: skip
    W, b, D = (cp.asarray(part, dtype=cp.float32) for part in (coef, intercept, direction))
    total = cp.zeros(D.shape)
    for rows in _blocks(X):
        P = _probabilities(X[rows], W, b)
        V = X[rows] @ D[:, :-1].T + D[:, -1]
        pull = P * (V - (P * V).sum(axis=1, keepdims=True))
        total[:, :-1] += pull.T @ X[rows]
        total[:, -1] += pull.sum(axis=0)
    return cp.asnumpy(total)


def rbf_block(A: Any, B: Any, gamma: float) -> Any:
    return _radial(A @ B.T, (A * A).sum(axis=1)[:, None], (B * B).sum(axis=1)[None, :], cp.float32(gamma))


def _probabilities(X: Any, W: Any, b: Any) -> Any:
    U = X @ W.T + b
    P = cp.exp(U - U.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    return P
