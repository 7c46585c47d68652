"""The cone of the restricted eigenvalue in cells, and what a single point proves about a cell.

The cone of J and signs σ holds δ = (u on J, v elsewhere) with σ∘u ≥ 0 and ‖v‖₁ ≤ c₀‖u‖₁. Unit vectors û₁ … û_s of the
orthant span a cell of it. On conv{ûᵢ} the length ‖u‖₂ is at most 1, so the least δᵀGδ over the convex set
{u ∈ conv{ûᵢ}, ‖v‖₁ ≤ c₀‖u‖₁} is a lower bound of δᵀGδ/‖u‖² over the cell; and since δᵀGδ is convex, its tangent at any
point bounds it from below. The smaller the cell, the nearer ‖u‖₂ is to 1. Syllabus: L22.
"""

import numpy as np


def orthant(signs: np.ndarray) -> np.ndarray:
    """The cell of all u with these signs: a row for each unit vector."""
    return np.diag(np.asarray(signs, dtype=float))


def halves(cell: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two cells on either side of the middle of the longest edge.

    >>> first, second = halves(np.eye(2))
    >>> first.round(3).tolist()
    [[0.707, 0.707], [0.0, 1.0]]
    """
    i, k = np.unravel_index(np.argmin(cell @ cell.T), (len(cell), len(cell)))
    middle = cell[i] + cell[k]
    middle /= np.linalg.norm(middle)
    first, second = cell.copy(), cell.copy()
    first[i], second[k] = middle, middle
    return first, second


def cell_of(signs: np.ndarray, path: str) -> np.ndarray:
    """The cell reached from an orthant by taking the first or second half, again and again.

    >>> cell_of(np.array([1.0, 1.0]), "01").round(3).tolist()
    [[0.707, 0.707], [0.383, 0.924]]
    """
    cell = orthant(signs)
    for half in path:
        cell = halves(cell)[int(half)]
    return cell


def proved(gram: np.ndarray, J: np.ndarray, cell: np.ndarray, c0: float, point: np.ndarray) -> float:
    """A lower bound of δᵀGδ / ‖δ_J‖² over the cell, from the tangent of δᵀGδ at a point.

    δᵀGδ ≥ 2 g·δ − point·g with g = G·point; over the convex set g·δ is least at one of its corners
    ûᵢ ± c₀‖ûᵢ‖₁ eⱼ, j outside J. Any point gives a bound; the minimiser of δᵀGδ gives the best. What rounding may do
    is taken off.
    """
    g = gram @ point
    outside = np.delete(g, J)
    corners = cell @ g[J] - c0 * np.abs(cell).sum(axis=1) * np.abs(outside).max(initial=0.0)
    square = float(point @ g)
    size = np.abs(gram).max() * (np.abs(point).sum() + (1.0 + c0) * len(J)) ** 2
    return 2.0 * float(corners.min()) - square - 8.0 * len(gram) * np.finfo(float).eps * float(size)
