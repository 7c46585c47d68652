"""Scores Σᵥ xᵥ · (number of word v in class c), for classifiers of word counts."""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from learnable._jit.bayes.words import add_word_scores
from learnable._jit.core.vectors import read_only
from learnable.rows import Block
from learnable.solvers.bayes.class_counts import csr_arrays, refuse_bad_counts


def word_scorer(name: str, constant: np.ndarray, weights: np.ndarray) -> Callable[[Block], np.ndarray]:
    """A function that gives constant_c + Σᵥ xᵥ weights_cv for the rows of a block.

    A weight of −∞ counts only where the word occurs.

    Parameters
    ----------
    constant : (K,)
    weights : (K, p)
    """
    some_impossible = not np.isfinite(weights.sum())
    if some_impossible:
        impossible = np.isneginf(weights).T.astype(float)
        weights = np.where(np.isneginf(weights), 0.0, weights)
    table = read_only(np.ascontiguousarray(weights.T))

    def scores(block: Block) -> np.ndarray:
        found = np.tile(np.asarray(constant, dtype=float), (block.stop - block.start, 1))
        if sparse.issparse(block.X):
            negative = add_word_scores(*csr_arrays(block.X), table, found)
            if negative or not np.isfinite(found.sum()):
                refuse_bad_counts(block, name)
        else:
            refuse_bad_counts(block, name)
            found += block.X @ table
        if some_impossible:
            found[block.X @ impossible > 0.0] = -np.inf
        return found

    return scores
