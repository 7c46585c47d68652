"""Leaves of a boosted tree that wait to be split: a heap, the one of the largest gain first."""

from learnable._jit.core.compile import inner_kernel
from learnable._jit.core.lean import lean


@lean
@inner_kernel
def _first(nodes, a, b):
    """Whether leaf a is split before leaf b: more to gain, or as much and older."""
    return nodes.gain[a] > nodes.gain[b] or (nodes.gain[a] == nodes.gain[b] and a < b)


@lean
@inner_kernel
def push(nodes, node):
    """Let a leaf wait."""
    k = nodes.counters[2]
    nodes.counters[2] += 1
    heap = nodes.waiting
    while k > 0 and _first(nodes, node, heap[(k - 1) // 2]):
        heap[k] = heap[(k - 1) // 2]
        k = (k - 1) // 2
    heap[k] = node


@lean
@inner_kernel
def pop(nodes):
    """Take away the leaf that comes first, `waiting[0]`."""
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


@lean
@inner_kernel
def last_with_histogram(nodes):
    """The leaf that comes last of those that have a histogram."""
    last = -1
    for k in range(nodes.counters[2]):
        node = nodes.waiting[k]
        if nodes.slot[node] >= 0 and (last < 0 or _first(nodes, last, node)):
            last = node
    return last
