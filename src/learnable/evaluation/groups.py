"""Groups of learners that cannot be told apart."""

import numpy as np
from numpy.typing import ArrayLike


def indistinguishable_groups(separated: ArrayLike) -> tuple[tuple[int, ...], ...]:
    """Maximal runs of consecutive learners in which no pair is separated: the bars of a critical-difference diagram.

    "Not separated" is not transitive: a may be like b and b like c while a and c differ. So groups overlap, and being
    in one group proves nothing; it only says that the data do not tell its members apart. Every learner is in at
    least one group, perhaps alone. Syllabus: E7.

    Parameters
    ----------
    separated : symmetric boolean matrix of the learners *in the order of their scores*; True where a pair differs.

    Returns
    -------
    tuple of runs of indices, from the first learner to the last.

    >>> indistinguishable_groups([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    ((0, 1), (1, 2))
    """
    differs = np.asarray(separated, dtype=bool)
    if differs.ndim != 2 or differs.shape[0] != differs.shape[1]:
        raise ValueError(f"indistinguishable_groups: separated has shape {differs.shape}; give a square matrix")
    if (differs != differs.T).any() or differs.diagonal().any():
        raise ValueError("indistinguishable_groups: separated must be symmetric with a False diagonal")
    k = len(differs)
    runs: list[tuple[int, ...]] = []
    covered = 0  # first index not yet inside a run
    for start in range(k):
        stop = start + 1
        while stop < k and not differs[start:stop, stop].any():
            stop += 1
        if stop > covered:  # otherwise inside the run that began earlier
            runs.append(tuple(range(start, stop)))
            covered = stop
    return tuple(runs)
