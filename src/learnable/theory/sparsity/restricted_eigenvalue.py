"""The restricted eigenvalue of a design: proved where that is affordable, bounded on both sides elsewhere."""

import heapq
from itertools import combinations, count, product
from math import comb
from typing import Any

import numpy as np
from scipy import linalg, optimize
from sklearn.utils.validation import check_array

from learnable.base import refuse_unreadable
from learnable.theory.sparsity.cone_cells import halves, orthant, proved
from learnable.theory.sparsity.restricted_eigenvalue_proof import (
    Cell,
    RestrictedEigenvalue,
    coherence_bound,
    one_column_radius,
    smallest_eigenvalue,
)

# Starts of the local search, half from eigenvectors and half from pairs of near columns.
LOCAL_STARTS = 8
# Beyond so many columns the relaxation that takes them one at a time is left out: it solves a problem for each.
MOST_COLUMNS = 100
LOCAL_STEPS = 20
LOCAL_COLUMNS = 100


def restricted_eigenvalue(
    X: Any, s: int, c0: float = 3.0, *, tol: float = 1e-6, max_cells: int = 10_000
) -> RestrictedEigenvalue:
    """κ(s, c₀) = min over |J| ≤ s and δ ≠ 0 with ‖δ outside J‖₁ ≤ c₀‖δ on J‖₁ of ‖Xδ‖₂ / (√n ‖δ on J‖₂).

    Finding it is NP-hard in general. The cone is divided into cells, one orthant for each J and each choice of signs to
    begin with; a cell is bounded from below by a distance between two polytopes, and the cell with the least bound is
    halved until the bound meets the best δ found. When the orthants alone are more than `max_cells`, the best of four
    relaxations is given instead: the smallest eigenvalue, the coherence, one column at a time, and 0. The upper bound
    is always the ratio of a δ in the cone. The theory takes columns with ‖xⱼ‖ = √n; X is used as it is given.
    Syllabus: L22.

    Parameters
    ----------
    X : array (n, p)
    s : int
        Columns in J at most, 1 ≤ s ≤ p.
    c0 : float, default=3.0
        c₀ > 0; 3 is what the analysis of the lasso needs.
    tol : float, default=1e-6
        κ² counts as found when its bounds differ by at most this share of the largest ‖xⱼ‖²/n.
    max_cells : int, default=10_000
        Cells kept at most; a thousand take about a second for 20 columns.

    Returns
    -------
    RestrictedEigenvalue
        Its `certificate(X)` computes both bounds again.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.theory import restricted_eigenvalue
    >>> print(restricted_eigenvalue(np.sqrt(3) * np.eye(3), s=1))
    κ(1, 3) = 1, lower bound by coherence, δ on [0]
    >>> X = np.random.default_rng(0).standard_normal((40, 6))
    >>> found = restricted_eigenvalue(X, s=2)
    >>> found.exact, found.certificate(X).holds, bool(found.lower <= found.upper)
    (True, True, True)
    """
    refuse_unreadable(X)
    X = check_array(X, dtype=np.float64)
    n, p = X.shape
    if not (isinstance(s, (int, np.integer)) and 1 <= s <= p):
        raise ValueError(f"restricted_eigenvalue(s={s}): s must be a whole number in [1, {p}], the number of columns")
    if not (np.isfinite(c0) and c0 > 0.0):
        raise ValueError(f"restricted_eigenvalue(c0={c0}): c0 must be a finite number > 0")
    if not (np.isfinite(tol) and tol > 0.0) or max_cells < 1:
        raise ValueError(f"restricted_eigenvalue(tol={tol}, max_cells={max_cells}): both must be > 0")
    if not X.any(axis=0).all():
        j = int(np.argmin(X.any(axis=0)))
        raise ValueError(f"restricted_eigenvalue: column {j} is zero, so that κ = 0; leave it out")
    search = _Search(X.T @ X / n, int(s), float(c0), float(tol))
    if not search.settled() and comb(p, s) * 2 ** (s - 1) <= max_cells:
        search.halve_cells(max_cells)
    elif not search.settled():
        search.descend()
    least, relaxation, cells = max([search.from_cells(), *search.relaxations()], key=lambda bound: bound[0])
    J = search.support
    upper = float(np.linalg.norm(X @ search.witness) / (np.sqrt(n) * np.linalg.norm(search.witness[J])))
    lower = min(float(np.sqrt(max(least, 0.0))) * (1.0 - 4.0 * np.finfo(float).eps), upper)
    exact = bool(upper**2 - lower**2 <= search.room)
    return RestrictedEigenvalue(
        int(s), float(c0), lower, upper, exact, search.witness, tuple(J), relaxation, cells, float(tol)
    )


class _Search:
    """The best δ so far, and the cells that are still open."""

    def __init__(self, gram: np.ndarray, s: int, c0: float, tol: float):
        self.gram, self.s, self.c0, self.p = gram, s, c0, len(gram)
        values, vectors = linalg.eigh(gram)
        self.root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T  # rootᵀ root = G
        self.last_eigenvectors = vectors.T[: LOCAL_STARTS // 2]
        self.room = tol * float(np.diag(gram).max())
        self.upper = np.inf
        self.witness: np.ndarray = np.zeros(self.p)
        self.support: list[int] = []
        self.open: list[tuple[float, int, Cell, np.ndarray]] = []
        for delta in (vectors[:, 0], *np.eye(self.p)):
            self._offer(delta)

    def settled(self) -> bool:
        """Whether the best δ so far meets the smallest eigenvalue, as with s = p or with dependent columns."""
        return self.upper - max(smallest_eigenvalue(self.gram), 0.0) <= self.room

    def halve_cells(self, max_cells: int) -> None:
        """Best first: halve the cell with the least bound until it meets the best δ, or the cells are spent."""
        number = count()
        for J in combinations(range(self.p), self.s):
            for rest in product((1, -1), repeat=self.s - 1):
                self._push(number, Cell(J, (1, *rest), "", np.zeros(0)), orthant(np.array((1, *rest))))
        # With s = 1 an orthant is a single ray: its bound is its value.
        while self.s > 1 and self.upper - self.open[0][0] > self.room and len(self.open) < max_cells:
            _, _, parent, cell = heapq.heappop(self.open)
            for half, part in zip("01", halves(cell)):
                self._push(number, parent._replace(path=parent.path + half), part)

    def from_cells(self) -> tuple[float, str, tuple[Cell, ...]]:
        """The bound that the open cells prove together."""
        if not self.open:
            return 0.0, "a square is >= 0", ()
        return self.open[0][0], "cells", tuple(cell for _, _, cell, _ in self.open)

    def relaxations(self) -> list[tuple[float, str, tuple[Cell, ...]]]:
        """Bounds that need no orthants."""
        eigenvalue = (smallest_eigenvalue(self.gram), "smallest eigenvalue", ())
        coherence = (coherence_bound(self.gram, self.s, self.c0), "coherence", ())
        if self.open or self.settled() or self.p > MOST_COLUMNS:
            return [eigenvalue, coherence]
        wide = one_column_radius(self.s, self.c0)
        cells = [Cell((j,), (1,), "", self._nearest(np.array([j]), np.eye(1), wide)) for j in range(self.p)]
        least = min(proved(self.gram, np.array(cell.support), np.eye(1), wide, cell.point) for cell in cells) / self.s
        return [eigenvalue, coherence, (least, "one column", tuple(cells))]

    def descend(self) -> None:
        """Local search from short directions: since ‖u‖ ≥ û·u, the ratio falls at every step."""
        for delta in self._short_directions():
            value = self._offer(delta)
            for _ in range(LOCAL_STEPS):
                J, slope = _largest(delta, self.s), self.gram @ delta
                # A δ on some of the columns is in the cone as well: those it has, and those that shorten it most.
                share = np.abs(delta) / np.abs(delta).max() + np.abs(slope) / max(np.abs(slope).max(), 1e-300)
                among = _largest(share, LOCAL_COLUMNS)
                direction = np.maximum(np.abs(delta[J]), 0.02 * np.abs(delta).max())
                direction /= np.linalg.norm(direction)
                delta = self._nearest(J, np.diag(np.where(delta[J] < 0.0, -1.0, 1.0) / direction), self.c0, among)
                last, value = value, self._offer(delta)
                if not value < last - 1e-3 * self.room:
                    break

    def _short_directions(self) -> list[np.ndarray]:
        """The last eigenvectors, and the pairs of columns that nearly cancel."""
        i, j = np.triu_indices(self.p, 1)
        size = np.diag(self.gram)
        nearest = np.argsort(size[i] + size[j] - 2.0 * np.abs(self.gram[i, j]), kind="stable")[:LOCAL_STARTS]
        eye = np.eye(self.p)
        pairs = [eye[a] - np.sign(self.gram[a, b]) * eye[b] for a, b in zip(i[nearest], j[nearest])]
        return [*self.last_eigenvectors, *pairs]

    def _push(self, number, cell: Cell, vectors: np.ndarray) -> None:
        J = np.array(cell.support)
        point = self._nearest(J, vectors, self.c0)
        self._offer(point)
        bound = proved(self.gram, J, vectors, self.c0, point)
        heapq.heappush(self.open, (bound, next(number), cell._replace(point=point), vectors))

    def _nearest(self, J: np.ndarray, vectors: np.ndarray, c0: float, among: np.ndarray | None = None) -> np.ndarray:
        """The δ of least δᵀGδ with u in conv{rows of `vectors`}, ‖v‖₁ ≤ c₀‖u‖₁: a polytope's point nearest to zero.

        v is zero but for the columns `among`, if given. Least ‖Aw‖² + (1·w − 1)² over w ≥ 0 has the direction of the
        least ‖Aw‖² over weights that sum to one.
        """
        others = np.setdiff1d(np.arange(self.p) if among is None else among, J)
        corners = np.zeros((len(vectors), max(2 * len(others), 1), self.p))
        corners[:, :, J] = vectors[:, None, :]
        reach = c0 * np.abs(vectors).sum(axis=1)
        for k, j in enumerate(others):
            corners[:, 2 * k, j], corners[:, 2 * k + 1, j] = reach, -reach
        flat = corners.reshape(-1, self.p)
        A = np.vstack([self.root @ flat.T, np.ones(len(flat))])
        weights = optimize.nnls(A, np.r_[np.zeros(self.p), 1.0])[0]
        return weights @ flat / weights.sum()

    def _offer(self, delta: np.ndarray) -> float:
        """Its ratio², J being its largest entries, which is the best J for it; kept if in the cone and the least."""
        J = _largest(delta, self.s)
        inside, length = np.abs(delta[J]).sum(), float(delta[J] @ delta[J])
        if length == 0.0 or np.abs(delta).sum() - inside > self.c0 * inside * (1.0 + 1e-12):
            return np.inf
        value = float(np.sum((self.root @ delta) ** 2)) / length
        if value < self.upper:
            self.upper, self.witness, self.support = value, delta / np.sqrt(length), J.tolist()
        return value


def _largest(delta: np.ndarray, s: int) -> np.ndarray:
    return np.sort(np.argsort(-np.abs(delta), kind="stable")[:s])
