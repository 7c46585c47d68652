"""Moves keep their images while more columns come into play."""

import numpy as np

from learnable._jit.sparse.gram_descent import MOVES
from learnable.solvers.sparse.last_moves import LastMoves


def test_every_move_keeps_its_image_over_all_columns_in_play():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 40))
    gram, last = X.T @ X, LastMoves()
    for width in (0, 3, 4, 4, 9, 20, 40):
        last.widen(gram, width)
        if 0 < width < 20:
            last.moves[last.held, :width] = rng.standard_normal(width)
            last.images[last.held, :width] = gram[:width, :width] @ last.moves[last.held, :width]
            last.held += 1
        np.testing.assert_allclose(
            last.images[: last.held, :width], last.moves[: last.held, :width] @ gram[:width, :width], atol=1e-10
        )
    assert last.held == 4 < MOVES
    assert np.count_nonzero(last.moves[0]) == 3
