"""Small graphs, and slow ways to the same answers."""

from itertools import permutations, product

import numpy as np


def all_dags(p: int):
    """The arrows of every directed acyclic graph on p nodes."""
    pairs = [(i, j) for i in range(p) for j in range(i + 1, p)]
    for choice in product(range(3), repeat=len(pairs)):
        arrows = np.zeros((p, p), dtype=bool)
        for (i, j), kind in zip(pairs, choice):
            if kind == 1:
                arrows[i, j] = True
            elif kind == 2:
                arrows[j, i] = True
        if any(not np.any(np.tril(arrows[np.ix_(order, order)])) for order in permutations(range(p))):
            yield arrows


def moral_separated(arrows: np.ndarray, x: int, y: int, given) -> bool:
    """d-separation by the moral graph of the ancestors: another route."""
    p = len(arrows)
    kept = np.zeros(p, dtype=bool)
    kept[[x, y, *given]] = True
    for _ in range(p):
        kept |= (arrows & kept[None, :]).any(axis=1)
    inner = arrows & kept[:, None] & kept[None, :]
    joined = inner | inner.T | ((inner.astype(int) @ inner.T.astype(int)) > 0)
    joined[list(given)] = False
    joined[:, list(given)] = False
    reach = np.zeros(p, dtype=bool)
    reach[x] = True
    for _ in range(p):
        reach |= joined[reach].any(axis=0)
    return not reach[y]


def random_arrows(generator: np.random.Generator, p: int, degree: float) -> np.ndarray:
    upper = np.triu(generator.random((p, p)) < degree / max(p - 1, 1), 1)
    place = generator.permutation(p)
    return upper[np.ix_(place, place)]
