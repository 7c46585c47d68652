"""Growth of a boosted tree at the leaf of the largest gain, by one thread or by several together.

The rows lie in strips, in which they are numbered: two bytes a row. A node has a stretch of rows in every strip.

A node takes three jobs. Its rows are parted, strip by strip, the words of the smaller child's rows are written, and
then groups of columns go their own way: the smaller child's histograms are summed, the others are the parent's minus
those, and the best splits are sought in both. Of a large node the histogram is summed before that, by rows. Where there
is no room for one more histogram, the leaf that is the last to be split gives its own away, which is summed anew if it
is needed. At the end each row gets the number of its leaf, and the slopes of the leaves are summed. Between two trees,
helpers expand the loss.

Threads that write to the same lines of memory wait for each other: pieces of a job write to stretches of their own.
"""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.by_reference import by_reference
from learnable._jit.core.compile import inner_formula, inner_kernel, long_kernel
from learnable._jit.core.lean import lean
from learnable._jit.core.shared_work import finish, offer, over, take, wait_for
from learnable._jit.ensembles.expansions import Scores, expand_rows
from learnable._jit.ensembles.histograms import add, clear, part_rows, sum_rows, sum_wide
from learnable._jit.ensembles.node_rules import allow_all, begin, draw_columns, may_split, narrow
from learnable._jit.ensembles.slopes import Slopes, add_words, slopes_of, write_words
from learnable._jit.ensembles.split_search import (
    Found,
    Growth,
    MixedTable,
    Nodes,
    Table,
    choose,
    search_column,
    sides,
)
from learnable._jit.ensembles.waiting import last_with_histogram, pop, push

# Rows that are worth a piece of a job, or whose words are written as one.
BLOCK = 2**12
# Columns that are summed together: their histograms stay in the nearest cache.
GROUP = 8
# From how many rows on every thread sums some of them in all columns, so that no row is fetched twice, and these sums
# are added up. Of fewer rows every thread sums some columns, as part of the search for splits.
BY_ROWS = 2**14
# Kinds of jobs.
BEGIN, PART, WORDS, ROWS, COLUMNS, SETTLE, EXPAND = 0, 1, 2, 3, 4, 5, 6
# Patience of those who lead.
GROW, LEAD = -1, -2


@by_reference
class Job(NamedTuple):
    """What is shared out.

    what : kind, pieces, column that is split or number of leaves; then, of the smaller child and of the other: its
        number, the place of its histogram, whether its split is sought; then the node whose rows are worked on; and how
        many histograms were summed by rows so far.
    goes : whether a bin goes left.
    n_left, before : rows of a strip that go left; rows of the smaller child in the strips before it.
    totals : (strips, 2) sums of the words of a strip.
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
    shares of other threads in one and for words (threads, BY_ROWS, 1 or 2), rows of each strip in the order of the
    leaves, room for those of one (threads, length of a strip), at the end the leaf of each row; gradients and
    curvatures of the leaves by strips; random numbers and columns that are shuffled by them; what its threads share;
    how many they are, and the number of this one, 0 for the one that leads."""

    slopes: Slopes
    scores: Scores
    table: Table | MixedTable
    growth: Growth
    nodes: Nodes
    found: Found
    histograms: np.ndarray
    shares: np.ndarray
    words: np.ndarray
    rows: np.ndarray
    spare: np.ndarray
    leaf: np.ndarray
    leaf_sums: np.ndarray
    random: np.ndarray
    features: np.ndarray
    job: Job
    board: np.ndarray
    n_threads: int
    thread: int


@lean
@long_kernel
def work(tree, patience):
    """Grow a tree, and return how many leaves it has, where the patience is that of `GROW`; have the job done that is
    written down, where it is that of `LEAD`.

    Else take pieces of the work that is shared out, until it is over or so many looks in a row have found none. One
    kernel for all, since each would be compiled with what they have in common.
    """
    if patience == GROW:
        return _grow(tree)
    if patience == LEAD:
        _share_out(tree)
        return 0
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
    nodes, growth, n_strips = tree.nodes, tree.growth, tree.nodes.start.shape[1]
    nodes.depth[0], nodes.lower[0], nodes.upper[0] = 0, -np.inf, np.inf
    allow_all(tree.table, nodes, 0)
    _share_out_strips(tree, BEGIN, 0, len(tree.rows))
    nodes.words[0, 0], nodes.words[0, 1] = 0, 0
    for strip in range(n_strips):
        for k in range(2):
            nodes.words[0, k] += tree.job.totals[strip, k]
    n_slots = tree.histograms.shape[0] - 1
    # The last place is scratch.
    for k in range(n_slots):
        nodes.free[k] = n_slots - 1 - k
    nodes.counters[0], nodes.counters[1], nodes.counters[2], nodes.counters[3] = 1, 1, 0, n_slots
    nodes.slot[0] = _free_slot(nodes)
    begin(tree.slopes, nodes, 0)
    _seek(tree, 0, -1)
    while nodes.counters[1] < growth.max_leaves and nodes.counters[2] > 0:
        _split(tree, nodes.waiting[0])
    return _settle(tree)


@lean
@inner_kernel
def _settle(tree):
    """Number the leaves, write each row's to `leaf`, and sum their slopes; returns how many leaves there are."""
    n_leaves = 0
    for node in range(tree.nodes.counters[0]):
        if tree.nodes.left[node] < 0:
            tree.job.leaves[n_leaves] = node
            n_leaves += 1
    tree.job.what[2] = n_leaves
    _share_out_strips(tree, SETTLE, 0, len(tree.rows))
    return n_leaves


@lean
@inner_kernel
def _share_out_strips(tree, kind, node, n_rows):
    """Have a job done in every strip, of which so many make a piece that it is worth it."""
    what = tree.job.what
    what[0], what[1], what[9] = kind, min(tree.nodes.start.shape[1], -(-n_rows // BLOCK)), node
    _share_out(tree)


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
    what, n_strips = tree.job.what, tree.nodes.start.shape[1]
    if what[0] == COLUMNS:
        p = tree.table.codes.shape[1]
        _do_columns(tree, piece * p // what[1], (piece + 1) * p // what[1])
    elif what[0] == EXPAND:
        expand_rows(tree.slopes, tree.scores, tree.leaf, what[2], piece, what[1])
    else:
        for strip in range(piece * n_strips // what[1], (piece + 1) * n_strips // what[1]):
            _do_strip(tree, strip)


@lean
@inner_kernel
def _do_strip(tree, strip):
    """In one strip: number the rows and add up their words, part those of a node, sum them to its histogram, write
    their words, or note their leaves."""
    job, what, nodes = tree.job, tree.job.what, tree.nodes
    low, high = _ends(tree, strip)
    if what[0] == BEGIN:
        _begin_strip(tree, strip, low, high)
        return
    if what[0] == SETTLE:
        _settle_strip(tree, strip, low)
        return
    rows = tree.rows[nodes.start[what[9], strip] : nodes.end[what[9], strip]]
    if what[0] == PART:
        table, spare = tree.table, tree.spare[tree.thread]
        job.n_left[strip] = part_rows(table.codes, table.columns, low, high, what[2], job.goes, rows, spare)
    elif len(rows) > 0 and what[0] == ROWS:
        _sum_share(tree, rows, low, high)
    elif len(rows) > 0:
        write_words(tree.slopes, low, rows, tree.words[0, job.before[strip] :])


@lean
@inner_kernel
def _ends(tree, strip):
    """The first row of a strip, and the one after the last."""
    length = tree.spare.shape[1]
    return strip * length, min((strip + 1) * length, len(tree.rows))


@lean
@inner_kernel
def _begin_strip(tree, strip, low, high):
    rows = tree.rows[low:high]
    for i in range(np.uintp(high - low)):
        rows[i] = i
    tree.nodes.start[0, strip], tree.nodes.end[0, strip] = low, high
    add_words(tree.slopes, low, high, tree.job.totals[strip])


@lean
@inner_kernel
def _settle_strip(tree, strip, low):
    """The leaf of each row of a strip; gradients and, where they are not all 1, curvatures of the leaves over it."""
    first = np.uintp(low)
    for leaf in range(tree.job.what[2]):
        node, g, h = tree.job.leaves[leaf], 0.0, 0.0
        for i in range(np.uintp(tree.nodes.start[node, strip]), np.uintp(tree.nodes.end[node, strip])):
            row = first + np.uintp(tree.rows[i])
            tree.leaf[row] = leaf
            slope, bend = slopes_of(tree.slopes, row)
            g += slope
            h += bend
        tree.leaf_sums[strip, leaf, 0], tree.leaf_sums[strip, leaf, 1] = g, h


@lean
@inner_kernel
def _sum_by_rows(tree, node):
    """The histogram of a node: the leader's share at its place, those of others in the room for them."""
    what = tree.job.what
    what[10] += 1
    _share_out_strips(tree, ROWS, node, _size(tree, node))
    if tree.job.summed[0] != what[10]:
        clear(tree.histograms[what[4]], 0, tree.histograms.shape[1])


@lean
@inner_kernel
def _sum_share(tree, rows, low, high):
    """Sum some rows of a strip to the share of this thread."""
    what, me = tree.job.what, tree.thread
    histogram = tree.histograms[what[4]] if me == 0 else tree.shares[me - 1]
    if tree.job.summed[me] != what[10]:
        tree.job.summed[me] = what[10]
        clear(histogram, 0, len(histogram))
    for first in range(0, len(rows), BLOCK):
        some = rows[first : first + BLOCK]
        write_words(tree.slopes, low, some, tree.words[me])
        sum_wide(tree.slopes, tree.table.codes[low:high], some, tree.words[me], histogram)


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
                if tree.job.summed[k] == what[10]:
                    add(histogram, tree.shares[k - 1], 1, low, high)
        elif place == 0:
            clear(histogram, low, high)
            for strip in range(nodes.start.shape[1]):
                _sum_strip(tree, node, strip, low, high, histogram)
        else:
            add(histogram, tree.histograms[what[4]], -1, low, high)
        if sought:
            for j in range(low, high):
                search_column(tree.table, histogram[j], tree.slopes, tree.growth, nodes, node, tree.found, place, j)


@lean
@inner_kernel
def _sum_strip(tree, node, strip, low, high, histogram):
    """Sum the rows of a node in a strip, whose words are written, in some columns."""
    rows = tree.rows[tree.nodes.start[node, strip] : tree.nodes.end[node, strip]]
    if len(rows) > 0:
        first, end = _ends(tree, strip)
        words = tree.words[0, tree.job.before[strip] :]
        sum_rows(tree.slopes, tree.table.codes[first:end], rows, words, low, high, histogram)


@lean
@inner_kernel
def _split(tree, node):
    """Give a leaf its two children, with their sums and bounds, and seek their splits."""
    nodes, scratch = tree.nodes, tree.histograms.shape[0] - 1
    pop(nodes)
    left, right = nodes.counters[0], nodes.counters[0] + 1
    nodes.counters[0] += 2
    nodes.counters[1] += 1
    nodes.left[node], nodes.right[node] = left, right
    n_left = _part(tree, node)
    for k in range(2):
        nodes.words[left, k] = nodes.left_words[node, k]
        nodes.words[right, k] = nodes.words[node, k] - nodes.left_words[node, k]
    for child in range(left, right + 1):
        nodes.depth[child] = nodes.depth[node] + 1
        nodes.lower[child], nodes.upper[child] = nodes.lower[node], nodes.upper[node]
        narrow(tree.table, nodes, node, child)
        begin(tree.slopes, nodes, child)
    _bound(tree.table, tree, node)
    small = left if 2 * n_left <= _size(tree, node) else right
    large = left + right - small
    nodes.slot[large] = nodes.slot[node] if nodes.slot[node] >= 0 else scratch
    nodes.slot[small] = _free_slot(nodes) if nodes.slot[node] >= 0 else scratch
    nodes.slot[node] = -1
    if nodes.slot[large] == scratch:  # there was no room for the parent's histogram
        _seek(tree, small, -1)
        _seek(tree, large, -1)
    else:
        _seek(tree, small, large)


@lean
@inner_kernel
def _part(tree, node):
    """Share the rows of a node out to its children; returns how many go left."""
    nodes, left, right, total = tree.nodes, tree.nodes.left[node], tree.nodes.right[node], 0
    tree.job.what[2] = nodes.feature[node]
    sides(tree.table, nodes, node, tree.job.goes)
    _share_out_strips(tree, PART, node, _size(tree, node))
    for strip in range(nodes.start.shape[1]):
        n_left, start, end = tree.job.n_left[strip], nodes.start[node, strip], nodes.end[node, strip]
        nodes.start[left, strip], nodes.end[left, strip] = start, start + n_left
        nodes.start[right, strip], nodes.end[right, strip] = start + n_left, end
        total += n_left
    return total


@lean
@inner_kernel
def _size(tree, node):
    """How many rows a node has."""
    return np.int64(tree.nodes.sums[node, 2])


@lean
@inner_kernel
def _seek(tree, small, large):
    """Find the splits of one or two nodes, and let those that have one wait; histograms go where there is none."""
    nodes, what, p = tree.nodes, tree.job.what, tree.table.codes.shape[1]
    what[3], what[6] = small, large
    scratch, n_nodes, any_sought = tree.histograms.shape[0] - 1, 1 if large < 0 else 2, 0
    for place in range(3, 3 + 3 * n_nodes, 3):
        node = what[place]
        what[place + 1], what[place + 2] = nodes.slot[node], may_split(tree.growth, nodes, node)
        any_sought |= what[place + 2]
        if what[place + 2]:
            draw_columns(tree.table, tree.growth, nodes, tree.random, tree.features, node)
    if any_sought:
        if _by_rows(tree, small):
            _sum_by_rows(tree, small)
        else:
            before = 0
            for strip in range(nodes.start.shape[1]):
                tree.job.before[strip] = before
                before += nodes.end[small, strip] - nodes.start[small, strip]
            _share_out_strips(tree, WORDS, small, before)
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
    return _size(tree, node) >= BY_ROWS


@lean
@inner_kernel
def _free_slot(nodes):
    """A place for a histogram: a free one, or that of the leaf that would be split last."""
    if nodes.counters[3] > 0:
        nodes.counters[3] -= 1
        return nodes.free[nodes.counters[3]]
    last = last_with_histogram(nodes)
    slot = nodes.slot[last]
    nodes.slot[last] = -1
    return slot


@inner_formula
def _bound(table, tree, node):
    """Where the effect of a column has a sign, the steps below stay on their side of the middle of the two children."""


@_bound.of(Table)
def _(table, tree, node):
    pass


@_bound.of(MixedTable)
def _(table, tree, node):
    nodes = tree.nodes
    sign = table.monotone[nodes.feature[node]]
    if sign == 0:
        return
    left, right = nodes.left[node], nodes.right[node]
    centre = 0.0
    for child in range(left, right + 1):
        g, h = 0.0, 0.0
        for strip in range(nodes.start.shape[1]):
            first = np.uintp(_ends(tree, strip)[0])
            for i in range(nodes.start[child, strip], nodes.end[child, strip]):
                slope, bend = slopes_of(tree.slopes, first + np.uintp(tree.rows[i]))
                g += slope
                h += bend
        centre += 0.5 * min(max(-g / (h + tree.growth.l2), nodes.lower[node]), nodes.upper[node])
    if sign > 0:
        nodes.upper[left], nodes.lower[right] = centre, centre
    else:
        nodes.lower[left], nodes.upper[right] = centre, centre
