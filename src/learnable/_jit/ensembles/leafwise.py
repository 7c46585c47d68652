"""Growth of a boosted tree at the leaf of the largest gain, by one thread or by several together.

A node takes four jobs. Its rows are parted in blocks, the parts are put together, the words of the smaller child's rows
are written, and then groups of columns go their own way: the smaller child's histograms are summed, the others are the
parent's minus those, and the best splits are sought in both. Of a large node the histogram is summed before that, by
rows. Where there is no room for one more histogram, it is summed anew when it is needed. At the end each row gets the
number of its leaf, and the slopes of the leaves are summed. Between two trees, helpers expand the loss.

Threads that write to the same lines of memory wait for each other: pieces of a job write to stretches of their own.
"""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.by_reference import by_reference
from learnable._jit.core.compile import inner_kernel, kernel
from learnable._jit.core.lean import lean
from learnable._jit.core.shared_work import finish, offer, over, take, wait_for
from learnable._jit.ensembles.expansions import Scores, expand_rows
from learnable._jit.ensembles.histograms import (
    Slopes,
    add_words,
    curvature_of,
    gather_parts,
    part_rows,
    sides,
    sum_rows,
    sum_wide,
    write_words,
)
from learnable._jit.ensembles.split_search import Found, Growth, Nodes, Table, add_up, choose, search_column
from learnable._jit.ensembles.waiting import pop, push
from learnable._jit.trees.grow import random_below

# Rows that are parted, summed, or whose words are written, as one.
BLOCK = 2**12
# Columns that are summed together: their histograms stay in the nearest cache.
GROUP = 8
# Stretches of rows in which the slopes of leaves are summed, however many threads there are.
STRETCHES = 32
# From how many rows on every thread sums some of them in all columns, so that no row is fetched twice, and these sums
# are added up. Of fewer rows every thread sums some columns, as part of the search for splits.
BY_ROWS = 2**14
# Kinds of jobs.
BEGIN, PART, GATHER, WORDS, ROWS, COLUMNS, SETTLE, EXPAND = 0, 1, 2, 3, 4, 5, 6, 7


@by_reference
class Job(NamedTuple):
    """What is shared out.

    what : kind, pieces, column that is split; then, of the smaller child and of the other: its number, the place of its
        histogram, whether its split is sought; then the beginning and the end of the rows that blocks are made of; and
        how many histograms were summed by rows so far.
    goes : whether a bin goes left.
    n_left, before : rows of a block that go left, and of the blocks before it; the last entry is that of all blocks.
    totals : (blocks, 2) sums of the words of a block.
    summed : which of the histograms summed by rows each thread had a share in last.
    leaves : the leaves at the end.
    """

    what: np.ndarray
    goes: np.ndarray
    n_left: np.ndarray
    before: np.ndarray
    totals: np.ndarray
    summed: np.ndarray
    leaves: np.ndarray


@by_reference
class Tree(NamedTuple):
    """A tree that grows: slopes, scores, cells, rules, nodes, histograms (places, p, 256, 1 or 2), room for the
    shares of other threads in one and for words (threads, BY_ROWS, 1 or 2), rows in the order of the leaves, room for
    them and at the end the leaf of each row; gradients and curvatures of the leaves by stretches of rows; random
    numbers and columns that are shuffled by them; what its threads share; how many they are, and the number of this
    one, 0 for the one that leads."""

    slopes: Slopes
    scores: Scores
    table: Table
    growth: Growth
    nodes: Nodes
    found: Found
    histograms: np.ndarray
    shares: np.ndarray
    words: np.ndarray
    rows: np.ndarray
    spare: np.ndarray
    leaf_sums: np.ndarray
    random: np.ndarray
    features: np.ndarray
    job: Job
    board: np.ndarray
    n_threads: int
    thread: int


@lean
@kernel
def work(tree, patience):
    """Grow a tree, and return how many leaves it has, where the patience is below 0.

    Else take pieces of the work that is shared out, until it is over or so many looks in a row have found none. One
    kernel for both, since each would be compiled with all that they have in common.
    """
    if patience < 0:
        return _grow(tree)
    idle = 0
    while idle < patience and not over(tree.board):
        piece = take(tree.board)
        idle += 1
        if piece >= 0:
            _do(tree, piece)
            finish(tree.board)
            idle = 0
    return 0


@lean
@inner_kernel
def _grow(tree):
    nodes, growth, what = tree.nodes, tree.growth, tree.job.what
    what[0], what[1], what[9], what[10] = BEGIN, -(-len(tree.rows) // BLOCK), 0, len(tree.rows)
    _share_out(tree)
    nodes.start[0], nodes.end[0], nodes.depth[0] = 0, len(tree.rows), 0
    nodes.lower[0], nodes.upper[0] = -np.inf, np.inf
    nodes.allowed[0, :] = 1
    nodes.words[0, 0], nodes.words[0, 1] = 0, 0
    for block in range(what[1]):
        for k in range(2):
            nodes.words[0, k] += tree.job.totals[block, k]
    n_slots = tree.histograms.shape[0] - 1
    # The last place is scratch.
    for k in range(n_slots):
        nodes.free[k] = n_slots - 1 - k
    nodes.counters[0], nodes.counters[1], nodes.counters[2], nodes.counters[3] = 1, 1, 0, n_slots
    nodes.slot[0] = _free_slot(nodes)
    _begin(tree.slopes, nodes, 0)
    _seek(tree, 0, -1)
    while nodes.counters[1] < growth.max_leaves and nodes.counters[2] > 0:
        _split(tree, nodes.waiting[0])
    return _settle(tree)


@lean
@inner_kernel
def _settle(tree):
    """Number the leaves, write each row's to `spare`, and sum their slopes; returns how many leaves there are."""
    what, n_leaves = tree.job.what, 0
    for node in range(tree.nodes.counters[0]):
        if tree.nodes.left[node] < 0:
            tree.job.leaves[n_leaves] = node
            n_leaves += 1
    what[0], what[1], what[2] = SETTLE, STRETCHES, n_leaves
    _share_out(tree)
    return n_leaves


@lean
@inner_kernel
def _share_out(tree):
    """Have the pieces of the job that is written down done by whoever has time."""
    n_pieces = tree.job.what[1]
    offer(tree.board, n_pieces)
    piece = take(tree.board)
    while piece >= 0:
        _do(tree, piece)
        finish(tree.board)
        piece = take(tree.board)
    wait_for(tree.board, n_pieces)


@lean
@inner_kernel
def _do(tree, piece):
    what = tree.job.what
    if what[0] == COLUMNS:
        p = tree.table.codes.shape[1]
        _do_columns(tree, piece * p // what[1], (piece + 1) * p // what[1])
    elif what[0] == SETTLE:
        _settle_stretch(tree, piece, what[2])
    elif what[0] == EXPAND:
        expand_rows(tree.scores, tree.slopes, tree.spare, what[2], piece, what[1])
    else:
        _do_block(tree, piece)


@lean
@inner_kernel
def _do_block(tree, piece):
    """Number a block of rows and add up their words, part it, put its parts where they belong, or write its words."""
    job, what = tree.job, tree.job.what
    start, low = what[9], what[9] + piece * BLOCK
    high = min(what[10], low + BLOCK)
    if what[0] == BEGIN:
        _begin_block(tree, piece, low, high)
    elif what[0] == PART:
        rows, spare = tree.rows[low:high], tree.spare[low:high]
        job.n_left[piece] = part_rows(tree.table.codes, tree.table.columns, what[2], job.goes, rows, spare)
    elif what[0] == GATHER:
        left, all_left = job.before[piece], job.before[-1]
        right = start + all_left + (low - start - left)
        gather_parts(tree.spare[low:high], job.n_left[piece], tree.rows, start + left, right)
    elif what[0] == ROWS:
        _sum_share(tree, tree.rows[low:high])
    else:
        write_words(tree.slopes, tree.rows[low:high], tree.words[0, low - start :])


@lean
@inner_kernel
def _begin_block(tree, piece, low, high):
    for i in range(low, high):
        tree.rows[i] = i
    add_words(tree.slopes, low, high, tree.job.totals[piece])


@lean
@inner_kernel
def _settle_stretch(tree, piece, n_leaves):
    """The leaf of each row of a stretch; gradients and, where they are not all 1, curvatures of the leaves over it."""
    n, slopes, rows = len(tree.rows), tree.slopes, tree.rows
    low, high = piece * n // STRETCHES, (piece + 1) * n // STRETCHES
    for leaf in range(n_leaves):
        node = tree.job.leaves[leaf]
        start, end = tree.nodes.start[node], tree.nodes.end[node]
        first, last = _first_from(rows, start, end, low), _first_from(rows, start, end, high)
        g, h = 0.0, 0.0
        for i in range(first, last):
            row = np.uintp(rows[i])
            tree.spare[row] = leaf
            g += slopes.gradient[row]
            h += curvature_of(slopes, row)
        tree.leaf_sums[piece, leaf, 0], tree.leaf_sums[piece, leaf, 1] = g, h


@lean
@inner_kernel
def _first_from(rows, start, end, row):
    """The first place in rows[start:end], which rise in every node, that holds `row` or one behind it."""
    while start < end:
        middle = (start + end) >> 1
        if rows[middle] < row:
            start = middle + 1
        else:
            end = middle
    return start


@lean
@inner_kernel
def _sum_by_rows(tree):
    """The histogram of a node: the leader's share at its place, those of others in the room for them."""
    what, nodes = tree.job.what, tree.nodes
    what[0], what[9], what[10] = ROWS, nodes.start[what[3]], nodes.end[what[3]]
    what[1] = -(-(what[10] - what[9]) // BLOCK)
    what[11] += 1
    _share_out(tree)
    if tree.job.summed[0] != what[11]:
        tree.histograms[what[4]] = 0


@lean
@inner_kernel
def _sum_share(tree, rows):
    """Sum some rows to the share of this thread."""
    what, me = tree.job.what, tree.thread
    histogram = tree.histograms[what[4]] if me == 0 else tree.shares[me - 1]
    if tree.job.summed[me] != what[11]:
        tree.job.summed[me] = what[11]
        histogram[:] = 0
    write_words(tree.slopes, rows, tree.words[me])
    sum_wide(tree.table.codes, rows, tree.words[me], histogram)


@lean
@inner_kernel
def _do_columns(tree, low, high):
    """Histograms and best splits of one or two nodes in some columns."""
    what, nodes = tree.job.what, tree.nodes
    for place in range(2):
        node, slot, sought = what[3 + 3 * place], what[4 + 3 * place], what[5 + 3 * place]
        if place == 1 and (node < 0 or not sought):
            return
        histogram = tree.histograms[slot]
        if place == 0 and _by_rows(tree, node):
            for k in range(1, tree.n_threads):
                if tree.job.summed[k] == what[11]:
                    _add(histogram[low:high], tree.shares[k - 1, low:high])
        elif place == 0:
            rows = tree.rows[nodes.start[node] : nodes.end[node]]
            histogram[low:high] = 0
            sum_rows(tree.table.codes, rows, tree.words[0], low, high, histogram)
        else:
            _subtract(histogram[low:high], tree.histograms[what[4], low:high])
        if sought:
            for j in range(low, high):
                search_column(histogram[j], tree.slopes, tree.table, tree.growth, nodes, node, tree.found, place, j)


@lean
@inner_kernel
def _add(histogram, other):
    for j in range(len(histogram)):
        for b in range(256):
            for k in range(histogram.shape[2]):
                histogram[j, b, k] += other[j, b, k]


@lean
@inner_kernel
def _subtract(histogram, other):
    for j in range(len(histogram)):
        for b in range(256):
            for k in range(histogram.shape[2]):
                histogram[j, b, k] -= other[j, b, k]


@lean
@inner_kernel
def _split(tree, node):
    """Give a leaf its two children, with their sums and bounds, and seek their splits."""
    nodes, scratch = tree.nodes, tree.histograms.shape[0] - 1
    pop(nodes)
    n_left = _part(tree, node)
    left, right = nodes.counters[0], nodes.counters[0] + 1
    nodes.counters[0] += 2
    nodes.counters[1] += 1
    nodes.left[node], nodes.right[node] = left, right
    middle = nodes.start[node] + n_left
    nodes.start[left], nodes.end[left] = nodes.start[node], middle
    nodes.start[right], nodes.end[right] = middle, nodes.end[node]
    for k in range(2):
        nodes.words[left, k] = nodes.left_words[node, k]
        nodes.words[right, k] = nodes.words[node, k] - nodes.left_words[node, k]
    for child in range(left, right + 1):
        nodes.depth[child] = nodes.depth[node] + 1
        nodes.lower[child], nodes.upper[child] = nodes.lower[node], nodes.upper[node]
        _narrow(nodes, node, child, tree.table.groups)
        _begin(tree.slopes, nodes, child)
    _bound(tree.slopes, tree.table, tree.growth, nodes, tree.rows, node)
    small = left if 2 * n_left <= nodes.end[node] - nodes.start[node] else right
    large = left + right - small
    nodes.slot[large] = nodes.slot[node] if nodes.slot[node] >= 0 else scratch
    nodes.slot[small] = _free_slot(nodes) if nodes.slot[node] >= 0 and nodes.counters[3] > 0 else scratch
    nodes.slot[node] = -1
    if nodes.slot[large] == scratch:  # there was no room for the parent's histogram
        _seek(tree, small, -1)
        _seek(tree, large, -1)
    else:
        _seek(tree, small, large)


@lean
@inner_kernel
def _part(tree, node):
    """Rows that go left first, each side in its order; returns how many go left."""
    job, what, nodes = tree.job, tree.job.what, tree.nodes
    what[2], what[9], what[10] = nodes.feature[node], nodes.start[node], nodes.end[node]
    what[1] = -(-(what[10] - what[9]) // BLOCK)
    sides(nodes, node, job.goes)
    for kind in range(PART, GATHER + 1):
        what[0] = kind
        _share_out(tree)
        if kind == PART:
            total = 0
            for k in range(what[1]):
                job.before[k] = total
                total += job.n_left[k]
            job.before[-1] = total
    return job.before[-1]


@lean
@inner_kernel
def _begin(slopes, nodes, node):
    """A new leaf, of which nothing but its rows, words and depth is known."""
    nodes.left[node] = -1
    nodes.right[node] = -1
    nodes.gain[node] = 0.0
    add_up(slopes, nodes, node)


@lean
@inner_kernel
def _seek(tree, small, large):
    """Find the splits of one or two nodes, and let those that have one wait; histograms go where there is none."""
    nodes, what, p = tree.nodes, tree.job.what, tree.table.codes.shape[1]
    what[3], what[6] = small, large
    scratch, n_nodes, any_sought = tree.histograms.shape[0] - 1, 1 if large < 0 else 2, 0
    for place in range(3, 3 + 3 * n_nodes, 3):
        node = what[place]
        what[place + 1], what[place + 2] = nodes.slot[node], _may_split(tree.growth, nodes, node)
        any_sought |= what[place + 2]
        if what[place + 2] and tree.growth.max_features < p:
            _draw(tree.growth, nodes, tree.random, tree.features, node)
    if any_sought:
        if _by_rows(tree, small):
            _sum_by_rows(tree)
        else:
            what[0], what[9], what[10] = WORDS, nodes.start[small], nodes.end[small]
            what[1] = -(-(what[10] - what[9]) // BLOCK)
            _share_out(tree)
        what[0], what[1] = COLUMNS, min(p, -(-p // (GROUP * tree.n_threads)) * tree.n_threads)
        _share_out(tree)
    for place in range(n_nodes):
        node, slot = what[3 + 3 * place], what[4 + 3 * place]
        if what[5 + 3 * place]:
            choose(tree.table, tree.growth, nodes, node, tree.found, place)
        if nodes.gain[node] > 0.0:
            push(nodes, node)
        if slot == scratch:
            nodes.slot[node] = -1
        elif nodes.gain[node] == 0.0:
            nodes.free[nodes.counters[3]] = slot
            nodes.counters[3] += 1
            nodes.slot[node] = -1


@lean
@inner_kernel
def _by_rows(tree, node):
    """Whether the histogram of a node is summed by rows, not by columns."""
    return tree.nodes.end[node] - tree.nodes.start[node] >= BY_ROWS


@lean
@inner_kernel
def _may_split(growth, nodes, node):
    """Whether the limits let a leaf be split."""
    if nodes.counters[1] >= growth.max_leaves or nodes.depth[node] >= growth.max_depth:
        return 0
    return 1 if nodes.sums[node, 2] >= 2 * growth.min_leaf and nodes.sums[node, 1] >= 2.0 * growth.min_curvature else 0


@lean
@inner_kernel
def _draw(growth, nodes, random, features, node):
    """Mark columns drawn at random, without repetition, by bit 4."""
    p = len(features)
    for drawn in range(growth.max_features):
        swap = drawn + random_below(random, p - drawn)
        features[drawn], features[swap] = features[swap], features[drawn]
        nodes.allowed[node, features[drawn]] |= 4


@lean
@inner_kernel
def _free_slot(nodes):
    nodes.counters[3] -= 1
    return nodes.free[nodes.counters[3]]


@lean
@inner_kernel
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
            h += curvature_of(slopes, np.uintp(rows[i]))
        centre += 0.5 * min(max(-g / (h + growth.l2), nodes.lower[node]), nodes.upper[node])
    if sign > 0:
        nodes.upper[left], nodes.lower[right] = centre, centre
    else:
        nodes.lower[left], nodes.upper[right] = centre, centre


@lean
@inner_kernel
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
