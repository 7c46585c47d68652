"""Agglomerative clustering by chains of nearest neighbours (Benzécri, Murtagh): O(n²) time on a distance matrix."""

import numpy as np

from learnable._jit.core.compile import kernel


@kernel
def chain_merges(D, linkage, first, second, height, size):
    """All n − 1 merges, in the order in which the chain meets them; D is overwritten.

    `linkage`: 0 single, 1 complete, 2 average, 3 Ward (D holds squared distances then). Clusters keep the number of one
    of their points. Reducible linkages only: a pair of mutual nearest neighbours stays one until it is merged.
    """
    n = D.shape[0]
    weight = np.ones(n)
    alive = np.ones(n, dtype=np.bool_)
    chain = np.empty(n, dtype=np.int64)
    length = 0
    for merge in range(n - 1):
        if length == 0:
            for i in range(n):
                if alive[i]:
                    chain[0] = i
                    length = 1
                    break
        while True:
            x = chain[length - 1]
            # The cluster before x in the chain has the first claim, so that ties cannot make the chain run in circles.
            nearest, best = -1, np.inf
            if length > 1:
                nearest = chain[length - 2]
                best = D[x, nearest]
            for i in range(n):
                if alive[i] and i != x and D[x, i] < best:
                    best = D[x, i]
                    nearest = i
            if length > 1 and nearest == chain[length - 2]:
                break
            chain[length] = nearest
            length += 1
        length -= 2
        x, y = min(chain[length], chain[length + 1]), max(chain[length], chain[length + 1])
        first[merge], second[merge], height[merge] = x, y, D[x, y]
        a, b = weight[x], weight[y]
        size[merge] = a + b
        alive[x] = False
        between = D[x, y]
        for i in range(n):
            if alive[i] and i != y:
                dx, dy = D[x, i], D[y, i]
                if linkage == 0:
                    new = min(dx, dy)
                elif linkage == 1:
                    new = max(dx, dy)
                elif linkage == 2:
                    new = (a * dx + b * dy) / (a + b)
                else:
                    c = weight[i]
                    new = ((a + c) * dx + (b + c) * dy - c * between) / (a + b + c)
                D[y, i] = new
                D[i, y] = new
        weight[y] = a + b


@kernel
def number_merges(first, second, children):
    """The clusters that merges join, given one point of each: n + i is the cluster that merge i made."""
    n = len(first) + 1
    number, parent = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for i in range(n):
        number[i] = parent[i] = i
    for merge in range(n - 1):
        a, b = first[merge], second[merge]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        children[merge, 0] = min(number[a], number[b])
        children[merge, 1] = max(number[a], number[b])
        parent[a] = b
        number[b] = n + merge
