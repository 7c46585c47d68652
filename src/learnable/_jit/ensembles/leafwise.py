"""Growth of a boosted tree at the leaf of the largest gain.

Of two children the smaller one's histogram is summed; the other is the parent's minus it. Where there is no room for
one more histogram, it is summed anew when it is needed.
"""

import numpy as np

from learnable._jit.core.compile import kernel
from learnable._jit.ensembles.histograms import partition, sides, sum_rows
from learnable._jit.ensembles.split_search import find_split, total
from learnable.problems.ensembles.steps import LEAST_CURVATURE


@kernel
def begin(slopes, table, growth, nodes, draws, histograms, n_rows):
    """The root, whose histogram stands in place 0."""
    nodes.start[0], nodes.end[0], nodes.depth[0], nodes.slot[0] = 0, n_rows, 0, 0
    nodes.lower[0], nodes.upper[0] = -np.inf, np.inf
    nodes.allowed[0, :] = 1
    n_slots = histograms.shape[0] - 1
    # The last place is scratch.
    for k in range(n_slots - 1):
        nodes.free[k] = n_slots - 1 - k
    nodes.counters[0], nodes.counters[1], nodes.counters[2], nodes.counters[3] = 1, 1, 0, n_slots - 1
    total(histograms[0], slopes, nodes, 0)
    _consider(histograms[0], slopes, table, growth, nodes, draws, 0)


@kernel
def grow(slopes, table, growth, nodes, draws, histograms, rows, spare, large):
    """Split leaves of at most `large` rows; returns the leaf that is to be split next and is larger, or −1."""
    while nodes.counters[1] < growth.max_leaves and nodes.counters[2] > 0:
        node = nodes.waiting[0]
        start, end = nodes.start[node], nodes.end[node]
        if end - start > large:
            return node
        codes, goes = table.columns[nodes.feature[node]], sides(nodes, node)
        n_left = partition(codes, goes, rows[start:end], spare)
        slot, small = divide(table, nodes, histograms, node, n_left)
        sum_rows(table.bins, rows[nodes.start[small] : nodes.end[small]], slopes.words, histograms[slot])
        settle(slopes, table, growth, nodes, draws, histograms, rows, node, slot, small)
    return -1


@kernel
def divide(table, nodes, histograms, node, n_left):
    """Give a leaf its two children; returns the place for the histogram of the smaller one, cleared, and that child."""
    _pop(nodes)
    left, right = nodes.counters[0], nodes.counters[0] + 1
    nodes.counters[0] += 2
    nodes.counters[1] += 1
    nodes.left[node], nodes.right[node] = left, right
    middle = nodes.start[node] + n_left
    nodes.start[left], nodes.end[left] = nodes.start[node], middle
    nodes.start[right], nodes.end[right] = middle, nodes.end[node]
    for child in range(left, right + 1):
        nodes.left[child] = -1
        nodes.right[child] = -1
        nodes.depth[child] = nodes.depth[node] + 1
        nodes.lower[child], nodes.upper[child] = nodes.lower[node], nodes.upper[node]
        _narrow(nodes, node, child, table.groups)
    slot = histograms.shape[0] - 1
    if nodes.slot[node] >= 0 and nodes.counters[3] > 0:
        nodes.counters[3] -= 1
        slot = nodes.free[nodes.counters[3]]
    histograms[slot, :, :, :] = 0
    return slot, left if 2 * n_left <= nodes.end[node] - nodes.start[node] else right


@kernel
def settle(slopes, table, growth, nodes, draws, histograms, rows, node, slot, small):
    """Histograms, bounds and best splits of the children, once the smaller one's rows are summed in `slot`."""
    left, right = nodes.left[node], nodes.right[node]
    large = left + right - small
    scratch, old = histograms.shape[0] - 1, nodes.slot[node]
    total(histograms[slot], slopes, nodes, small)
    for k in range(3):
        nodes.sums[large, k] = nodes.sums[node, k] - nodes.sums[small, k]
    _bound(slopes, table, growth, nodes, rows, node)
    nodes.slot[small] = slot if slot < scratch else -1
    nodes.slot[large] = old
    nodes.slot[node] = -1
    if old >= 0:
        one, other = histograms[slot], histograms[old]
        for j in range(one.shape[0]):
            for b in range(256):
                for k in range(one.shape[2]):
                    other[j, b, k] -= one[j, b, k]
        total(other, slopes, nodes, large)
        for child in range(left, right + 1):
            _consider(histograms[slot if child == small else old], slopes, table, growth, nodes, draws, child)
        return
    _consider(histograms[slot], slopes, table, growth, nodes, draws, small)
    histograms[scratch, :, :, :] = 0
    sum_rows(table.bins, rows[nodes.start[large] : nodes.end[large]], slopes.words, histograms[scratch])
    total(histograms[scratch], slopes, nodes, large)
    _consider(histograms[scratch], slopes, table, growth, nodes, draws, large)


@kernel
def _bound(slopes, table, growth, nodes, rows, node):
    """Where the effect of a column has a sign, the steps below stay on their side of the middle of the two children."""
    sign = table.monotone[nodes.feature[node]]
    if sign == 0:
        return
    left, right = nodes.left[node], nodes.right[node]
    centre = 0.0
    for child in range(left, right + 1):
        g, h = 0.0, 0.0
        for i in range(nodes.start[child], nodes.end[child]):
            g += slopes.gradient[rows[i]]
            h += slopes.curvature[rows[i]]
        centre += 0.5 * min(max(-g / (h + growth.l2), nodes.lower[node]), nodes.upper[node])
    if sign > 0:
        nodes.upper[left], nodes.lower[right] = centre, centre
    else:
        nodes.lower[left], nodes.upper[right] = centre, centre


@kernel
def _consider(histogram, slopes, table, growth, nodes, draws, node):
    """Find the split of a leaf and let it wait; its histogram goes where there is none."""
    nodes.left[node] = -1
    nodes.right[node] = -1
    nodes.gain[node] = 0.0
    allowed = nodes.depth[node] < growth.max_depth and nodes.sums[node, 2] >= 2 * growth.min_leaf
    if allowed and nodes.sums[node, 1] >= 2.0 * growth.min_curvature:
        find_split(histogram, slopes, table, growth, nodes, node, draws)
    if nodes.gain[node] > 0.0:
        _push(nodes, node)
    elif nodes.slot[node] >= 0:
        nodes.free[nodes.counters[3]] = nodes.slot[node]
        nodes.counters[3] += 1
        nodes.slot[node] = -1


@kernel
def _first(nodes, a, b):
    """Whether leaf a is split before leaf b: more to gain, or as much and older."""
    return nodes.gain[a] > nodes.gain[b] or (nodes.gain[a] == nodes.gain[b] and a < b)


@kernel
def _push(nodes, node):
    k = nodes.counters[2]
    nodes.counters[2] += 1
    heap = nodes.waiting
    while k > 0 and _first(nodes, node, heap[(k - 1) // 2]):
        heap[k] = heap[(k - 1) // 2]
        k = (k - 1) // 2
    heap[k] = node


@kernel
def _pop(nodes):
    nodes.counters[2] -= 1
    m, heap = nodes.counters[2], nodes.waiting
    node, k = heap[m], 0
    while 2 * k + 1 < m:
        child = 2 * k + 1
        if child + 1 < m and _first(nodes, heap[child + 1], heap[child]):
            child += 1
        if not _first(nodes, heap[child], node):
            break
        heap[k] = heap[child]
        k = child
    heap[k] = node


@kernel
def _narrow(nodes, node, child, groups):
    """Columns a child may use: those of the groups that hold every column used on the way to it."""
    p = groups.shape[1]
    if groups.shape[0] == 0:
        nodes.allowed[child, :] = 1
        return
    # Bit 2 marks the columns used so far.
    for j in range(p):
        nodes.allowed[child, j] = nodes.allowed[node, j] & 2
    nodes.allowed[child, nodes.feature[node]] |= 2
    for g in range(groups.shape[0]):
        inside = True
        for j in range(p):
            if nodes.allowed[child, j] & 2 and groups[g, j] == 0:
                inside = False
        if inside:
            for j in range(p):
                if groups[g, j]:
                    nodes.allowed[child, j] |= 1


@kernel
def step_leaves(slopes, nodes, rows, leaves, first, last, l2, rate, value, score):
    """value of leaves[first:last] = rate · −G/(H + l2) within their bounds, added to the scores of their rows."""
    for k in range(first, last):
        node = leaves[k]
        g, h = 0.0, 0.0
        for i in range(nodes.start[node], nodes.end[node]):
            g += slopes.gradient[np.uintp(rows[i])]
        if slopes.words.shape[1] == 1:
            h = float(nodes.end[node] - nodes.start[node])
        else:
            for i in range(nodes.start[node], nodes.end[node]):
                h += slopes.curvature[np.uintp(rows[i])]
        v = 0.0
        if h + l2 >= LEAST_CURVATURE:
            v = rate * min(max(-g / (h + l2), nodes.lower[node]), nodes.upper[node])
        value[node] = v
        for i in range(nodes.start[node], nodes.end[node]):
            score[np.uintp(rows[i])] += v


@kernel
def add_leaves(nodes, rows, leaves, value, score):
    """score[row] += value of the row's leaf, for the rows a tree was grown on."""
    for node in leaves:
        for i in range(nodes.start[node], nodes.end[node]):
            score[np.uintp(rows[i])] += value[node]
