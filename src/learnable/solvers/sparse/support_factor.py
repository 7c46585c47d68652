"""Linear systems of a support that changes by a few columns at a time, from one Cholesky factor.

(G + ridge)_SS d = b. The factor follows the support: columns that leave it are rotated out, those that come are added
behind, and only after a larger change is it made anew. A ridge that has changed since, and what rounding does, are put
right by conjugate gradients with the factor as their preconditioner: one step where nothing has changed.
"""

import numpy as np

from learnable._jit.core.lapack import cholesky
from learnable._jit.sparse.support_factor import adapt, fill, pivots_vanish, refined


class SupportFactor:
    """Solves systems of G + ridge for supports that resemble one another.

    G stands in the leading part of a square; it may gain rows and columns, but the place of a column stays.

    Attributes
    ----------
    lost : whether the last direction is not to be relied on, because columns of its support depend on each other.
    """

    def __init__(self) -> None:
        self.upper = np.zeros((0, 0))
        self.base = np.zeros(0, dtype=np.int64)
        self.position = np.zeros(0, dtype=np.int64)
        self.held = 0
        self.lost = False

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
            wider = np.full(2 * width, -1)
            wider[: len(self.position)] = self.position
            self.position = wider
        self.lost = False
        if self._followed(gram, support, ridge):
            d, image, settled = refined(gram, support, ridge, target, self.upper, self.position, width)
            if settled:
                return d, image
        dependent = self._renew(gram, support, ridge)
        d, image, settled = refined(gram, support, ridge, target, self.upper, self.position, width)
        self.lost = dependent and not settled
        return d, image

    def _followed(self, gram: np.ndarray, support: np.ndarray, ridge: np.ndarray) -> bool:
        """Whether the factor could be made that of (G + ridge)_SS, but for ridges that have changed."""
        if len(support) > len(self.upper):
            return False
        held, self.held = self.held, len(support)
        return adapt(gram, support, ridge, self.upper, self.base, self.position, held, False)

    def _renew(self, gram: np.ndarray, support: np.ndarray, ridge: np.ndarray) -> bool:
        """Factor (G + ridge)_SS; columns that depend on each other get a small ridge more. Returns whether they do."""
        size = len(support)
        self.held, self.position[:] = 0, -1
        if size > len(self.upper):
            room = size + size // 2
            self.upper, self.base = np.empty((room, room)), np.empty(room, dtype=np.int64)
        for jitter in (0.0, 1e-12, 1e-8, 1e-4, 1.0):
            fill(gram, support, ridge, jitter, self.upper)
            if cholesky(self.upper, size):
                break
        else:
            raise np.linalg.LinAlgError("cross-products that are not finite have no factor")
        self.held, self.base[:size], self.position[support] = size, support, np.arange(size)
        return jitter > 0.0 or pivots_vanish(gram, support, ridge, self.upper)
