"""What one reading of the rows shows of principal axes: Σ applied to a few directions drawn from the answer."""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable.certificates.core import digest_generator
from learnable.rows import Block, Rows, centred_adjoint, centred_product, squares_about

# Random mixtures of the axes on which the equation is tried.
PROBES = 3
# Power steps that a direction off the axes makes, with so many rows.
POWERS, SOME = 4, 512
# How much longer than a random direction off the axes the turned one is, where both are tried at once.
TURNED = 10.0
# Rows whose mean is at most so many times as far from zero as they spread are multiplied as they are.
FAR = 10.0
# Entries of a piece of the rows, which is read three times: it stays in the cache meanwhile.
PIECE = 1 << 17


class Reading(NamedTuple):
    """One pass over the rows.

    Attributes
    ----------
    way : along what Σ was tried, in words.
    astray : distance of the stated mean from that of the rows; along a random direction where there is one probe.
    total : variance of all columns together.
    residual : size of Σv − λv, v being a random mixture of the axes.
    misstated : largest difference of the variance along such a mixture from the one stated, relative.
    beyond : variance in a direction off the axes; None where there is none.
    """

    way: str
    astray: float
    total: float
    residual: float
    misstated: float
    beyond: float | None


def by_several_probes(rows: Rows, V: np.ndarray, values: np.ndarray, mean: np.ndarray) -> Reading:
    """Random mixtures g of the axes: Σ_j g_j (Σv_j − λ_j v_j) is small only if every term is. And one off the axes."""
    random = digest_generator(V, values)
    mixture = random.standard_normal((len(V), PROBES))
    away = _off(rows, V, mean, random.standard_normal((V.shape[1],)))
    along = V.T @ mixture
    found = images(rows, mean, along if away is None else np.column_stack([along, away]))
    left = found.image[:, :PROBES] - V.T @ (values[:, None] * mixture)
    variances = np.einsum("ij,ij->j", along, found.image[:, :PROBES])
    stated = np.einsum("i,ij,ij->j", values, mixture, mixture)
    with np.errstate(divide="ignore", invalid="ignore"):
        misstated = float(np.abs(variances / stated - 1.0).max()) if len(V) else 0.0
    return Reading(
        "mixtures of the axes", float(np.linalg.norm(found.offset)), found.total,
        float(linalg.norm(left.ravel(), check_finite=False)) / PROBES**0.5, misstated,
        None if away is None else float(away @ found.image[:, -1]),
    )  # fmt: skip


def by_one_probe(rows: Rows, V: np.ndarray, values: np.ndarray, mean: np.ndarray) -> Reading:
    """All of it along one direction d = Vᵀg + w, g random and w off the axes: two products with the table.

    V Σ d − Λ g is (VΣVᵀ − Λ) g + (ΣVᵀ)ᵀ w. It is small for random g and w only if ΣVᵀ is VᵀΛ both on the axes and off
    them, Σ being symmetric; and then wᵀ Σ d is wᵀ Σ w. So w is random, and mostly turned to where rows spread.
    """
    n, (q, p) = rows.n_rows, V.shape
    random = digest_generator(V, values)
    g, w = random.standard_normal((q,)), random.standard_normal((p,))
    turned = _off(rows, V, mean, w)
    w -= V.T @ (V @ w)
    if turned is not None:
        w += TURNED * np.linalg.norm(w) * turned
    d = V.T @ g + w
    far = bool(mean @ mean > FAR**2 * values.sum())
    sums, image, squares = rows.coarser(16).reduce(partial(_image, d=d, mean=mean, far=far))
    image = image / (n - 1)
    if not far:
        image, squares = image - sums / (n - 1) * mean, squares - n * float(mean @ mean)
    residual = float(linalg.norm(V @ image - values * g, check_finite=False))
    beyond = None if turned is None else float(w @ image) / float(w @ w)
    return Reading("one random direction", abs(float(sums)) / n, float(squares) / (n - 1), residual, 0.0, beyond)


def _image(block: Block, d: np.ndarray, mean: np.ndarray, far: bool) -> tuple[float, np.ndarray, float]:
    """With s = (x − mean)·d: Σ s, Σ s x and Σ ‖x‖²; x less the mean where that is far from zero."""
    sums, image, squares, origin = 0.0, np.zeros(len(d)), 0.0, 0.0 if far else float(mean @ d)
    length = max(1, PIECE // len(d))
    for first in range(0, len(block.X), length):
        X = block.X[first : first + length]
        X = np.subtract(X, mean, dtype=float) if far else np.asarray(X, dtype=float)
        # `np.dot` lets other threads go on where `@` may not.
        along = np.dot(X, d) - origin
        sums += float(along.sum())
        image += np.dot(along, X)
        squares += float(np.vdot(X, X))
    return sums, image, squares


def _off(rows: Rows, V: np.ndarray, mean: np.ndarray, start: np.ndarray) -> np.ndarray | None:
    """A direction off the axes in which some rows spread most; None where the axes leave none."""
    if len(V) in (0, V.shape[1]):
        return None
    away = start - V.T @ (V @ start)
    norm = float(np.linalg.norm(away))
    if norm <= 1e-6 * np.sqrt(V.shape[1]):
        return None
    return rows.of_first(partial(_turned, mean=mean, V=V, away=away / norm))


def _turned(block: Block, mean: np.ndarray, V: np.ndarray, away: np.ndarray) -> np.ndarray:
    """A direction off the axes after some power steps with the covariance of some rows of a block."""
    X = block.X[:SOME]
    centred = None if sparse.issparse(X) else np.subtract(X, mean, dtype=float)
    for _ in range(POWERS):
        if centred is None:
            image = centred_adjoint(X, mean, centred_product(X, mean, away[:, None]))[:, 0]
        else:
            image = np.dot(np.dot(centred, away), centred)
        image -= V.T @ (V @ image)
        once = float(linalg.norm(image, check_finite=False))
        image -= V.T @ (V @ image)  # for rounding
        norm = float(linalg.norm(image, check_finite=False))
        # Where the second time takes most of it away, the rows do not spread off the axes: what is left is rounding.
        if not 0.5 * once < norm < np.inf:
            break
        away = image / norm
    return away


class Images(NamedTuple):
    """x̄ less the stated mean, the variance of all columns together, and Σ G."""

    offset: np.ndarray
    total: float
    image: np.ndarray


def images(rows: Rows, near: np.ndarray, G: np.ndarray) -> Images:
    """Σ applied to the columns of G, from sums about a point that should be near the mean."""
    n = rows.n_rows
    sums, squares, image = rows.coarser(16).reduce(partial(_sums_about, near=near, G=G))
    # Σ (x − c)(x − c)ᵀ is the scatter about the mean and n (x̄ − c)(x̄ − c)ᵀ: far from zero, c is rounded.
    total = float(squares) - float(sums @ sums) / n
    return Images(sums / n, total / (n - 1), (image - np.outer(sums, sums @ G) / n) / (n - 1))


def _sums_about(block: Block, near: np.ndarray, G: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
    if sparse.issparse(block.X):
        sums = block.X.T @ np.ones(block.X.shape[0]) - block.X.shape[0] * near
        image = centred_adjoint(block.X, near, centred_product(block.X, near, G))
        return sums, float(squares_about(block.X, near).sum()), image
    about = np.subtract(block.X, near, dtype=float)
    sums, image = np.dot(np.ones(len(about)), about), np.dot(about.T, np.dot(about, G))
    return sums, float(np.vdot(about, about)), image
