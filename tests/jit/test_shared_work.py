"""Threads that share pieces of work inside kernels: every piece is done once, with helpers, late ones or none."""

import threading

import numpy as np

from learnable._jit.core.compile import kernel
from learnable._jit.core.shared_work import end, finish, new_board, offer, over, take, wait_for


@kernel
def lead(board, n_jobs, done):
    for _ in range(n_jobs):
        offer(board, len(done))
        piece = take(board)
        while piece >= 0:
            done[piece] += 1
            finish(board)
            piece = take(board)
        wait_for(board, len(done))


@kernel
def assist(board, done):
    while not over(board):
        piece = take(board)
        if piece >= 0:
            done[piece] += 1
            finish(board)


def test_every_piece_is_done_once():
    for n_helpers in (0, 2):
        board, done = new_board(), np.zeros(5, dtype=np.int64)
        helpers = [threading.Thread(target=assist, args=(board, done)) for _ in range(n_helpers)]
        for helper in helpers:
            helper.start()
        lead(board, 3000, done)
        end(board)
        for helper in helpers:
            helper.join()
        assert done.tolist() == [3000] * 5
        # One who comes after the end finds nothing to do.
        assist(board, done)
        assert done.tolist() == [3000] * 5
