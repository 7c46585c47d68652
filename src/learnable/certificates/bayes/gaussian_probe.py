"""Means and variances of classes tried in one random combination of the columns: one reading of many rows."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.certificates.bayes.class_members import class_sums
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.digest_generator import digest_generator
from learnable.rows import Block, Rows
from learnable.rows.stretches import stretches

# Cells beyond which a fit tries its answer so; `certify` computes every mean and variance again.
MANY = 2**20
# Means that outweigh the deviation by this factor lose too many digits in sums about zero.
FAR = 100.0
# Stretches of a cache that are gone through at once: of fewer, threads that call NumPy wait for each other.
AT_ONCE = 2
# Cells of a row from which `np.vecdot` takes less time than `np.einsum`: it calls BLAS for every row.
WIDE = 64
# Columns whose sizes differ by less than this factor are told apart in a plain sum of their squares.
ALIKE = 1e3


class Tried(NamedTuple):
    """(K,) weight of the rows of each class, and the claims about means and variances."""

    members: np.ndarray
    claims: list[Claim]


def tried(rows: Rows, theta: np.ndarray, variance: np.ndarray, rounding: float) -> Tried | None:
    """Whether Σ w (x∘x) h and Σ w x g of every class are those that means and variances (K, p) imply, g and h random.

    Where the columns are of about the same size, h is one: the sum of all squares of a row takes half as long.

    None where the rows must be added up about their means: sparse ones, missing cells, columns far from zero.

    >>> from learnable.rows import as_rows
    >>> X, y = np.array([[0.0], [2.0], [5.0]]), np.array([0, 0, 1])
    >>> found = tried(as_rows(X, y), np.array([[1.0], [5.0]]), np.array([[1.0], [0.0]]), 1e-12)
    >>> [claim.holds for claim in found.claims]
    [True, True]
    """
    mean_square = theta**2 + variance
    unit = np.sqrt(mean_square.max(axis=0))
    if not np.all(np.isfinite(unit) & (unit > 0.0)) or np.any(np.abs(theta) > FAR * np.sqrt(variance.max(axis=0))):
        return None
    random = digest_generator(theta, variance)
    g, h = random.standard_normal((2, len(unit))) / [unit, unit**2]
    if unit.max() < ALIKE * unit.min():
        h = np.ones(len(unit))  # the squares need not be kept
    n_classes = len(theta)

    def sums(block: Block) -> np.ndarray:
        if sparse.issparse(block.X):
            return np.full((3, n_classes), np.nan)
        first, second = np.empty((2, block.X.shape[0]))
        for chosen, part in stretches(block.X, AT_ONCE):
            first[chosen] = np.dot(part, g)
            second[chosen] = np.dot(part * part, h) if h[0] != 1.0 else _squares(part)
        return np.array([class_sums(block, n_classes, each) for each in (None, first, second)])

    with np.errstate(all="ignore"):
        members, first, second = rows.coarser(16).briefly(sums)
    if not np.isfinite(first + second).all():
        return None
    return Tried(members, [
        _claim("theta_ holds the means", first, members, theta, g, rounding),
        _claim("scatter_, by the weights, holds the variances", second, members, mean_square, h, rounding),
    ])  # fmt: skip


def _squares(part: np.ndarray) -> np.ndarray:
    """‖x‖² of every row."""
    return np.vecdot(part, part) if part.shape[1] >= WIDE else np.einsum("ij,ij->i", part, part)


def _claim(what: str, found: np.ndarray, members: np.ndarray, stated: np.ndarray, h: Any, rounding: float) -> Claim:
    size = members * (np.abs(stated) @ np.abs(h))
    off = np.abs(found - members * (stated @ h))
    ratio = np.divide(off, size, out=np.where(off > 0.0, np.inf, 0.0), where=size > 0.0)
    statement = f"{what} of each class, tried in a combination of the columns (largest relative difference)"
    return Claim.at_most("Y6", statement, float(ratio.max()), rounding)
