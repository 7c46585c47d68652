"""The last moves of a descent over cross-products, and their images: kept from one penalty to the next."""

import numpy as np

from learnable._jit.sparse.gram_descent import MOVES


class LastMoves:
    """Up to `MOVES` moves d over the columns of the working set, and Gd.

    Attributes
    ----------
    moves, images : (MOVES, ≥ width) one move a row; the first `held` rows count.
    held : how many there are.
    width : how many columns were in the working set.
    """

    def __init__(self) -> None:
        self.moves, self.images = np.zeros((2, MOVES, 0))
        self.held = self.width = 0

    def widen(self, gram: np.ndarray, width: int) -> None:
        """More columns are in the working set: none of the moves moved them, but all have an image there."""
        if width > self.moves.shape[1]:
            wider = np.zeros((2, MOVES, 2 * width))
            wider[:, :, : self.width] = self.moves[:, : self.width], self.images[:, : self.width]
            self.moves, self.images = wider
        old, self.width = self.width, width
        if self.held and width > old:
            self.images[: self.held, old:width] = self.moves[: self.held, :old] @ gram[:old, old:width]
