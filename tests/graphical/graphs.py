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


def moral_oracle(arrows: np.ndarray):
    """d-separation by the moral graph of the ancestors, on sets of bits: another route, as a function of (x, y, S)."""
    p = len(arrows)
    parents = [sum(1 << int(u) for u in np.flatnonzero(arrows[:, v])) for v in range(p)]

    def separated(x: int, y: int, given) -> bool:
        inside = sum(1 << int(k) for k in given)
        kept, todo = 0, inside | 1 << x | 1 << y
        while todo:
            v = todo.bit_length() - 1
            kept |= 1 << v
            todo = (todo | parents[v]) & ~kept
        joined = [0] * p
        for v in range(p):
            if kept >> v & 1:
                family = parents[v] | 1 << v
                for u in range(p):
                    if family >> u & 1:
                        joined[u] |= family
        seen, todo = 0, 1 << x
        while todo:
            v = todo.bit_length() - 1
            seen |= 1 << v
            todo = (todo | joined[v]) & ~seen & ~inside
        return not seen >> y & 1

    return separated


def moral_separated(arrows: np.ndarray, x: int, y: int, given) -> bool:
    """One question to `moral_oracle`."""
    return moral_oracle(arrows)(x, y, given)


def random_arrows(generator: np.random.Generator, p: int, degree: float) -> np.ndarray:
    upper = np.triu(generator.random((p, p)) < degree / max(p - 1, 1), 1)
    place = generator.permutation(p)
    return upper[np.ix_(place, place)]
