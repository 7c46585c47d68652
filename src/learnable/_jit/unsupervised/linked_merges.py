"""Agglomerative clustering along the edges of a graph: a heap of the edges between clusters, the shortest on top."""

import numpy as np

from learnable._jit.core.compile import exact_inner_kernel, exact_kernel


@exact_kernel
def linked_merges(first, second, length, sums, linkage, merges, children, height):
    """The first `merges` merges of the two linked clusters that are nearest; how many there were edges for.

    Parameters
    ----------
    first, second, length : the edges, first > second, each once, and their lengths.
    sums : (n + merges, p), the rows and room for the sums of clusters; (n + merges, 0) unless for Ward.
    linkage : 1 complete, 2 average: of the edges that link two clusters. 3 Ward: by the means of their rows, with
        lengths of |A| |B| / (|A| + |B|) ‖mean A − mean B‖².
    children, height : filled with the merges. Of equal lengths the edge of the oldest clusters goes first.
    """
    n, edges = len(sums) - merges, len(first)
    counts = np.zeros(n + merges)
    alive = np.zeros(n + merges, dtype=np.bool_)
    for i in range(n):
        counts[i] = 1.0
        alive[i] = True
    # The edges of a cluster are a chain of places: where each leads, how long it is, and the place after it.
    start = np.full(n + merges, -1)
    leads, far, after = np.empty(2 * edges, np.int64), np.empty(2 * edges), np.empty(2 * edges, np.int64)
    heap = np.empty(edges, np.int64)  # places whose cluster is the older end
    owner = np.empty(2 * edges, np.int64)
    used, waiting = 0, 0
    for e in range(edges):
        for a, b in ((first[e], second[e]), (second[e], first[e])):
            leads[used], far[used], owner[used], after[used] = b, length[e], a, start[a]
            start[a] = used
            used += 1
        heap[waiting] = used - 2
        waiting += 1
        _rise(heap, waiting - 1, far, owner, leads)
    found, at = np.full(n + merges, -1), np.empty(n + merges, np.int64)
    for merge in range(merges):
        new = n + merge
        # 1. The shortest edge of two clusters that are still there.
        top = -1
        while waiting > 0:
            top = heap[0]
            waiting -= 1
            heap[0] = heap[waiting]
            _sink(heap, waiting, far, owner, leads)
            if alive[owner[top]] and alive[leads[top]]:
                break
            top = -1
        if top < 0:
            return merge
        a, b = leads[top], owner[top]  # a < b
        children[merge, 0], children[merge, 1], height[merge] = a, b, far[top]
        alive[a] = alive[b] = False
        alive[new] = True
        counts[new] = counts[a] + counts[b]
        for j in range(sums.shape[1]):
            sums[new, j] = sums[a, j] + sums[b, j]
        # 2. Its neighbours are those of the two; one that both have gets an edge of both lengths.
        begin = used
        for part in (b, a):
            place = start[part]
            while place >= 0:
                other, d = leads[place], far[place]
                place = after[place]
                if not alive[other]:
                    continue
                if found[other] == new:
                    mine = at[other]
                    if linkage == 1:
                        far[mine] = max(far[mine], d)
                    elif linkage == 2:
                        far[mine] = (counts[b] * far[mine] + counts[a] * d) / (counts[a] + counts[b])
                    continue
                if used + 2 > len(leads):
                    leads, owner, after = _longer(leads), _longer(owner), _longer(after)
                    far = _longer(far)
                found[other], at[other] = new, used
                leads[used], far[used], owner[used], after[used] = other, d, new, start[new]
                start[new] = used
                used += 2
        # 3. Each learns of the new cluster, and the edge waits its turn.
        for mine in range(begin, used, 2):
            other = leads[mine]
            if linkage == 3:
                far[mine] = _rise_of_scatter(sums, counts, new, other)
            back = mine + 1
            leads[back], far[back], owner[back], after[back] = new, far[mine], other, start[other]
            start[other] = back
            if waiting == len(heap):
                heap = _longer(heap)
            heap[waiting] = mine
            waiting += 1
            _rise(heap, waiting - 1, far, owner, leads)
    return merges


@exact_kernel
def spanning_edges(first, second, order, n, chosen):
    """The edges, taken in this order, that join two parts of a graph of n nodes (Kruskal); how many there are."""
    parent, count = np.arange(n), 0
    for edge in order:
        a, b = first[edge], second[edge]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[a] = b
            chosen[count] = edge
            count += 1
    return count


@exact_inner_kernel
def _rise_of_scatter(sums, counts, a, b):
    total = 0.0
    for j in range(sums.shape[1]):
        away = sums[a, j] / counts[a] - sums[b, j] / counts[b]
        total += away * away
    return total * (counts[a] * counts[b] / (counts[a] + counts[b]))


@exact_inner_kernel
def _before(p, q, far, owner, leads):
    """Whether the edge at place p goes before that at q: the shorter, then the one whose later cluster is older."""
    if far[p] != far[q]:
        return far[p] < far[q]
    if owner[p] != owner[q]:
        return owner[p] < owner[q]
    return leads[p] < leads[q]


@exact_inner_kernel
def _rise(heap, i, far, owner, leads):
    while i > 0:
        above = (i - 1) // 2
        if not _before(heap[i], heap[above], far, owner, leads):
            return
        heap[i], heap[above] = heap[above], heap[i]
        i = above


@exact_inner_kernel
def _sink(heap, size, far, owner, leads):
    i = 0
    while True:
        below = 2 * i + 1
        if below >= size:
            return
        if below + 1 < size and _before(heap[below + 1], heap[below], far, owner, leads):
            below += 1
        if not _before(heap[below], heap[i], far, owner, leads):
            return
        heap[i], heap[below] = heap[below], heap[i]
        i = below


@exact_inner_kernel
def _longer(values):
    more = np.empty(2 * len(values) + 2, values.dtype)
    for i in range(len(values)):
        more[i] = values[i]
    return more
