"""Linear systems of a support that changes by a few columns at a time, from one Cholesky factor.

(G + ridge)_SS d = b. The factor H_BB = LLᵀ of an earlier support B serves as long as S = (B ∪ A) \\ R differs from B by
few columns: columns A come in and columns R are held at zero through the bordered system

    [ H_BB  H_BA  E_R ] [d_B]   [b_B]
    [ H_AB  H_AA   0  ] [d_A] = [b_A]
    [ E_Rᵀ   0     0  ] [ μ ]   [ 0 ]

of which only the Schur complement of H_BB, as small as the change, is factored anew. A ridge that has changed since,
and what rounding does, are put right by conjugate gradients with this as the preconditioner: one step where nothing
has changed.
"""

import numpy as np
from scipy import linalg

from learnable._jit.coordinate_descent import add_rows, block

# The factor is renewed once the support has changed by more than this share of it, ...
LARGEST_CHANGE = 0.125
# ... or once conjugate gradients need more steps than this.
MOST_STEPS = 8
ACCURACY = 1e-5
# A pivot that is less than this share of its column's square is rounding: the column depends on those before it.
DEPENDENT = 1e-12


class SupportFactor:
    """Solves systems of G + ridge for supports that resemble one another.

    G stands in the leading part of a square; it may gain rows and columns, but the place of a column stays.

    Attributes
    ----------
    lost : whether the last direction is not to be relied on, because columns of its support depend on each other.
    """

    def __init__(self) -> None:
        self.base = np.zeros(0, dtype=np.int64)
        self.position = np.zeros(0, dtype=np.int64)
        self.lower = np.zeros((0, 0), order="F")
        self.borders: dict[int, np.ndarray] = {}
        self.dependent = self.lost = False

    def direction(
        self, gram: np.ndarray, support: np.ndarray, ridge: np.ndarray, target: np.ndarray, width: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """(d, its image) with (G + ridge)_SS d = target, if the columns are not too dependent: see `lost`.

        Parameters
        ----------
        support : (s,) places in `gram`, rising.
        ridge : (s,) what is added to the diagonal.
        width : how many rows of `gram` are in use; the image is G d over all of them.
        """
        if width > len(self.position):
            self.position = np.append(self.position, np.full(2 * width - len(self.position), -1))
        place = self.position[support]
        change = len(self.base) + len(support) - 2 * np.count_nonzero(place >= 0)
        fresh = self.lost or change > LARGEST_CHANGE * len(self.base)
        if fresh:
            self._renew(gram, support, ridge)
        d, image, settled = self._refined(gram, support, ridge, target, width)
        if not settled and not fresh:
            self._renew(gram, support, ridge)
            d, image, settled = self._refined(gram, support, ridge, target, width)
        self.lost = self.dependent and not settled
        return d, image

    def _renew(self, gram: np.ndarray, support: np.ndarray, ridge: np.ndarray) -> None:
        """Factor (G + ridge)_SS; columns that depend on each other get a small ridge more."""
        H = block(gram, support, support)
        diagonal = np.diag(H) + ridge
        for jitter in (0.0, 1e-12, 1e-8, 1e-4, 1.0):
            H[np.diag_indices_from(H)] = diagonal * (1.0 + jitter)
            # NumPy's call would let other threads run meanwhile, but takes more than twice as long.
            lower, failed = linalg.lapack.dpotrf(H, lower=1)
            if not failed:
                break
        else:
            raise np.linalg.LinAlgError("cross-products that are not finite have no factor")
        self.dependent = jitter > 0.0 or bool(np.any(np.diag(lower) ** 2 <= DEPENDENT * diagonal))
        self.position[self.base] = -1
        self.position[support] = np.arange(len(support))
        self.base, self.lower, self.borders = support.copy(), lower, {}

    def _refined(self, gram, support, ridge, target, width: int) -> tuple[np.ndarray, np.ndarray, bool]:
        """(solution by preconditioned conjugate gradients, its image, whether it is accurate)."""
        solve = self._preconditioner(gram, support, ridge)
        if solve is None:
            return np.zeros_like(target), np.zeros(width), False
        x, image, left = np.zeros_like(target), np.zeros(width), target.copy()
        limit = ACCURACY * float(np.linalg.norm(target))
        along, along_image, was = np.zeros_like(target), np.zeros(width), np.inf
        for _ in range(MOST_STEPS):
            step = solve(left)
            now = float(left @ step)
            if not now > 0.0:
                break
            along = step + (now / was) * along
            along_image[:] = 0.0
            add_rows(gram, support, along, along_image)
            bent = along_image[support] + ridge * along
            bend = float(along @ bent)
            if not bend > 0.0:
                break
            length, was = now / bend, now
            x += length * along
            image += length * along_image
            left -= length * bent
            if float(np.linalg.norm(left)) <= limit:
                return x, image, True
        return x, image, False

    def _preconditioner(self, gram, support, ridge):
        """b ↦ d of the bordered system; None where that is singular."""
        size = len(self.base)
        place = self.position[support]
        inside = place >= 0
        kept, added = place[inside], support[~inside]
        gone = np.ones(size, dtype=bool)
        gone[kept] = False
        removed = np.flatnonzero(gone)
        # A border is known by its column; a removed column by the complement of its place.
        names = [*added.tolist(), *(~removed).tolist()]
        self._border(gram, [name for name in names if name not in self.borders])
        V = np.array([self.borders[name] for name in names]).reshape(len(names), size)
        corner = -(V @ V.T)
        if len(added):
            part = block(gram, added, added)
            part[np.diag_indices_from(part)] += ridge[~inside]
            corner[: len(added), : len(added)] += part
        small, pivots, singular = linalg.lapack.dgetrf(corner) if len(names) else (corner, names, 0)
        if singular:
            return None

        def solve(b):
            forward = np.zeros(size)
            forward[kept] = b[inside]
            forward = linalg.blas.dtrsv(self.lower, forward, lower=1)
            d = np.empty_like(b)
            if len(names):
                right = -(V @ forward)
                right[: len(added)] += b[~inside]
                z, _ = linalg.lapack.dgetrs(small, pivots, right)
                forward -= z @ V
                d[~inside] = z[: len(added)]
            d[inside] = linalg.blas.dtrsv(self.lower, forward, lower=1, trans=1)[kept]
            return d

        return solve

    def _border(self, gram: np.ndarray, names: list[int]) -> None:
        """L⁻¹ of the columns H_Ba (a ≥ 0) and e_r (written as ~r)."""
        if not names:
            return
        right = np.zeros((len(self.base), len(names)), order="F")
        for k, name in enumerate(names):
            if name >= 0:
                right[:, k] = gram[name, self.base]
            else:
                right[~name, k] = 1.0
        solved = linalg.blas.dtrsm(1.0, self.lower, right, lower=1, overwrite_b=1)
        self.borders.update(zip(names, solved.T.copy()))
