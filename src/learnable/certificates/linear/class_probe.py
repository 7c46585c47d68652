"""Class means and covariances tried in random directions: one reading of many rows, two products with them."""

import math
from typing import NamedTuple

import numpy as np
from scipy import sparse

from learnable.certificates.core.effort import thorough
from learnable.certificates.core.origin import is_ours
from learnable.certificates.linear.class_spread import ClassSpread, far_from_zero
from learnable.rows import Block, Rows
from learnable.rows.stretches import stretches

# Cells beyond which a fit tries its answer so, and about how many rows tell the sizes of the columns. `certify` adds
# up every covariance again.
MANY, SOME_ROWS = 2**20, 2**12
# Means that outweigh the deviation of their column by this factor lose too many digits in sums about zero.
FAR = 100.0


class Probe(NamedTuple):
    """What the rows show along directions.

    Attributes
    ----------
    found : weights of the classes; stated means, and variances of some rows about them.
    astray : largest difference of a class mean from the stated one along g, relative to what it is summed from.
    image : (p,) Σ_k c_k Σ_{i in k} w (x − μ_k)·v x, which is Σ_k c_k (scatter of class k) v.
    """

    found: ClassSpread
    astray: float
    image: np.ndarray


def worth_a_probe(model, rows: Rows) -> bool:
    """Whether a fit of ours has so many rows that adding up its covariances again would take too long."""
    return is_ours(model) and not thorough() and rows.n_rows * rows.n_columns > MANY


def some_rows(rows: Rows, means: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """(weights of the classes, variances of some rows about stated means, largest mean square of a class) or None.

    None for sparse rows, columns that vary in none of the rows, and columns far from zero.
    """
    n_classes, every = len(means), max(rows.n_rows // SOME_ROWS, 1)

    def sums(block: Block) -> tuple[np.ndarray, float, np.ndarray]:
        label = np.asarray(block.y)
        weight = np.bincount(label, block.weight, n_classes).astype(float)
        if sparse.issparse(block.X):
            return weight, 0.0, np.full(means.shape[1], np.nan)
        Z = np.asarray(block.X[::every], dtype=float) - means[label[::every]]
        w = np.ones(len(Z)) if block.weight is None else np.asarray(block.weight[::every], dtype=float)
        return weight, float(w.sum()), np.dot(w, Z * Z)

    with np.errstate(all="ignore"):
        weight, some, squares = rows.coarser(2).briefly(sums)
        variance = squares / some if some > 0.0 else np.full(means.shape[1], np.nan)
        sound = np.all((variance > 1e-200) & (variance < 1e200)) and np.all(np.isfinite(means)) and np.all(weight > 0.0)
    if not sound or np.any(np.abs(means) > FAR * np.sqrt(variance)):
        return None
    return weight, variance, (means**2).max(axis=0) + variance


def probe(
    rows: Rows,
    means: np.ndarray,
    weight: np.ndarray,
    variance: np.ndarray,
    g: np.ndarray,
    v: np.ndarray,
    factor: np.ndarray,
) -> Probe:
    """Read the rows once: their class means along g, and c_k times the scatter of class k times v, c being `factor`.

    With g = v, the same array, one product less is taken.
    """
    n_classes, p = means.shape
    level = means @ v

    def sums(block: Block) -> tuple[np.ndarray, np.ndarray]:
        label = np.asarray(block.y)
        pull = factor[label] if block.weight is None else factor[label] * np.asarray(block.weight, dtype=float)
        below, along, image = level[label], np.empty(len(label)), np.zeros(p)
        for chosen, part in stretches(block.X):
            scores = np.dot(part, v)
            along[chosen] = scores if g is v else np.dot(part, g)
            scores -= below[chosen]
            scores *= pull[chosen]
            image += np.dot(scores, part)
        return np.bincount(label, along if block.weight is None else along * block.weight, n_classes), image

    along, image = rows.coarser(8).briefly(sums)
    rounding = 16.0 * (p + math.sqrt(rows.n_rows) + 10.0)
    apart = means - means[0]
    far = far_from_zero(means, apart, variance)
    found = ClassSpread(weight, means, apart, np.zeros((0, p, p)), np.ones(p), variance, rounding, far)
    size = np.sqrt(variance + means**2) @ np.abs(g)
    return Probe(found, float(np.max(np.abs(along / weight - means @ g) / size)), image)
