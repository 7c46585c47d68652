"""The best split of a node, column by column, from its histogram."""

from typing import NamedTuple

import numpy as np

from learnable._jit.core.by_reference import by_reference
from learnable._jit.core.compile import inner_formula, inner_kernel
from learnable._jit.core.lean import lean
from learnable._jit.ensembles.histograms import MISSING
from learnable._jit.ensembles.slopes import bend_of, bend_unit
from learnable.problems.ensembles.boosted_trees import ENOUGH_ROWS, FEWER_SIDE, SMOOTHING

# The number, above all others, of the categories of few rows.
FEW = 256


@by_reference
class Growth(NamedTuple):
    """When and how nodes are split."""

    max_leaves: int
    max_depth: int
    min_leaf: int
    l2: float
    min_curvature: float
    max_features: int


@by_reference
class Table(NamedTuple):
    """Cells as bins, by rows (n, p), and by columns (p, n) where there is room for both, else (p, 0); how many bins
    each column has. Every column may be used at every node, for any split by numbers."""

    codes: np.ndarray
    columns: np.ndarray
    n_bins: np.ndarray


@by_reference
class MixedTable(NamedTuple):
    """The same with categories, signs of effects, groups of columns, or columns drawn at each node."""

    codes: np.ndarray
    columns: np.ndarray
    n_bins: np.ndarray
    categorical: np.ndarray
    monotone: np.ndarray
    groups: np.ndarray


def table_for(table: MixedTable, growth: Growth) -> Table | MixedTable:
    """A table of its kind: what the other needs is not compiled."""
    free = growth.max_features >= table.codes.shape[1] and len(table.groups) == 0
    return Table(*table[:3]) if free and not table.categorical.any() and not table.monotone.any() else table


@by_reference
class Nodes(NamedTuple):
    """Nodes of one tree.

    `start` and `end` (nodes, strips) say where a node's rows of each strip are. `words` are the sums of the words of a
    node's rows, `sums` the same as (gradient, curvature, rows), `left_words` those of the rows that its split sends
    left. `slot` is the place of a node's histogram, −1 for none. `waiting` holds the leaves that may be split, as a
    heap with the largest gain first, `free` the places for histograms not in use, `counters` (nodes, leaves, waiting,
    free).
    """

    left: np.ndarray
    right: np.ndarray
    feature: np.ndarray
    bin: np.ndarray
    missing_left: np.ndarray
    category_left: np.ndarray
    by_category: np.ndarray
    start: np.ndarray
    end: np.ndarray
    depth: np.ndarray
    gain: np.ndarray
    words: np.ndarray
    left_words: np.ndarray
    sums: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    allowed: np.ndarray
    slot: np.ndarray
    waiting: np.ndarray
    free: np.ndarray
    counters: np.ndarray


@by_reference
class Found(NamedTuple):
    """The best splits of columns (2, p, …), for each of two nodes: gain, (bin, side of the missing), words of the rows
    that go left, and which categories do; room for the words left of each cut, or the order of categories (p, 2, 256),
    and for gains, or the keys of that order."""

    gain: np.ndarray
    cut: np.ndarray
    left_words: np.ndarray
    categories: np.ndarray
    upto: np.ndarray
    gains: np.ndarray


@lean
@inner_kernel
def _score(g, h, l2, lower, upper):
    """How much the best allowed step v lowers g v + ½ (h + l2) v², times 2; with v in its bounds."""
    v = -g / (h + l2)
    if v < lower:
        v = lower
    elif v > upper:
        v = upper
    else:
        return -g * v
    return -(2.0 * g * v + (h + l2) * v * v)


@lean
@inner_kernel
def add_up(slopes, nodes, node):
    """`sums` of a node from its words."""
    word, mask = nodes.words[node, 0], (np.int64(1) << slopes.bits) - 1
    nodes.sums[node, 0] = (word >> slopes.bits) * slopes.units[0]
    nodes.sums[node, 1] = bend_of(slopes, nodes.words, node, mask) * bend_unit(slopes)
    nodes.sums[node, 2] = word & mask


@lean
@inner_kernel
def _whole(growth, nodes, node):
    """The score of a node that is not split, and gains below which two splits are as good."""
    parent = _score(nodes.sums[node, 0], nodes.sums[node, 1], growth.l2, nodes.lower[node], nodes.upper[node])
    return parent, 1e-12 * abs(parent)


@inner_formula
def search_column(table, line, slopes, growth, nodes, node, found, place, j):
    """Write the best split of column j, whose histogram is `line`, to found[place, j]; gain 0 where there is none."""


@search_column.of(Table)
def _(table, line, slopes, growth, nodes, node, found, place, j):
    _best_cut(table, line, slopes, growth, nodes, node, found, place, j)


@search_column.of(MixedTable)
def _(table, line, slopes, growth, nodes, node, found, place, j):
    found.gain[place, j] = 0.0
    # Bit 1: the groups of columns allow it. Bit 4: it is drawn, where columns are.
    if nodes.allowed[node, j] & 1 == 0 or (
        growth.max_features < table.codes.shape[1] and nodes.allowed[node, j] & 4 == 0
    ):
        return
    if table.categorical[j]:
        _best_subset(line, slopes, growth, nodes, node, found, place, j)
    else:
        _best_cut(table, line, slopes, growth, nodes, node, found, place, j)


@lean
@inner_kernel
def choose(table, growth, nodes, node, found, place):
    """Store the split of the largest gain over all columns in `nodes`, the first of those that are as good."""
    _, tie = _whole(growth, nodes, node)
    best, column = 0.0, -1
    for j in range(table.codes.shape[1]):
        if found.gain[place, j] > best + tie:
            best, column = found.gain[place, j], j
    nodes.gain[node] = best
    if column < 0:
        return
    nodes.feature[node] = column
    nodes.bin[node] = found.cut[place, column, 0]
    nodes.missing_left[node] = found.cut[place, column, 1]
    nodes.left_words[node, 0] = found.left_words[place, column, 0]
    nodes.left_words[node, 1] = found.left_words[place, column, 1]
    _note_categories(table, nodes, node, found, place, column)


@inner_formula
def _note_categories(table, nodes, node, found, place, column):
    """Store which categories go left."""


@_note_categories.of(Table)
def _(table, nodes, node, found, place, column):
    pass


@_note_categories.of(MixedTable)
def _(table, nodes, node, found, place, column):
    nodes.by_category[node] = table.categorical[column]
    if table.categorical[column]:
        for code in range(256):
            nodes.category_left[node, code] = found.categories[place, column, code]


@inner_formula
def sides(table, nodes, node, goes):
    """goes (256,): whether each bin of the column that a node splits goes left."""


@sides.of(Table)
def _(table, nodes, node, goes):
    _sides_of_numbers(nodes, node, goes)


@sides.of(MixedTable)
def _(table, nodes, node, goes):
    if nodes.by_category[node] == 0:
        _sides_of_numbers(nodes, node, goes)
        return
    for code in range(256):
        goes[code] = nodes.category_left[node, code]


@lean
@inner_kernel
def _sides_of_numbers(nodes, node, goes):
    for code in range(256):
        goes[code] = 1 if code <= nodes.bin[node] else 0
    goes[MISSING] = nodes.missing_left[node]


@lean
@inner_kernel
def _best_cut(table, line, slopes, growth, nodes, node, found, place, j):
    """The best cut of a column of numbers; cells that are missing go to either side."""
    n, mask = table.n_bins[j], (np.int64(1) << slopes.bits) - 1
    n_missing, C = line[MISSING, 0] & mask, nodes.sums[node, 2]
    _, tie = _whole(growth, nodes, node)
    upto, gains, best, cut, missing_left = found.upto[j], found.gains[j], 0.0, 0, 0
    left, left_bend = np.int64(0), np.int64(0)
    for side in range(2 if n_missing > 0 else 1):
        word, other = np.int64(0), np.int64(0)
        if side == 1:
            word, other = line[MISSING, 0], bend_of(slopes, line, MISSING, mask)
        for b in range(n):
            word += line[b, 0]
            other += bend_of(slopes, line, b, mask)
            upto[0, b], upto[1, b] = word, other
        first, end = _allowed_cuts(upto, n if n_missing > 0 and side == 0 else n - 1, slopes, growth, nodes, node)
        _write_gains(table, upto, first, end, slopes, growth, nodes, node, j, gains)
        for b in range(first, end):
            if gains[b] > best + tie:
                best, cut, missing_left, left, left_bend = gains[b], b, side, upto[0, b], upto[1, b]
    if n_missing == 0:
        missing_left = 1 if 2.0 * (left & mask) > C else 0
    # Columns of other threads share these lines of memory: they are written once.
    found.gain[place, j] = best
    found.cut[place, j, 0], found.cut[place, j, 1] = cut, missing_left
    found.left_words[place, j, 0], found.left_words[place, j, 1] = left, left_bend


@lean
@inner_kernel
def _allowed_cuts(upto, n, slopes, growth, nodes, node):
    """The cuts, from the first on and below the end, that leave enough rows and curvature on both sides."""
    H, C, mask, unit = nodes.sums[node, 1], nodes.sums[node, 2], (np.int64(1) << slopes.bits) - 1, bend_unit(slopes)
    first, end = 0, n
    while first < end and ((upto[0, first] & mask) < growth.min_leaf or upto[1, first] * unit < growth.min_curvature):
        first += 1
    while end > first and (
        C - (upto[0, end - 1] & mask) < growth.min_leaf or H - upto[1, end - 1] * unit < growth.min_curvature
    ):
        end -= 1
    return first, end


@inner_formula
def _write_gains(table, upto, first, end, slopes, growth, nodes, node, j, gains):
    """gains[first:end] of the cuts; none where the steps of the two sides go against the sign of the effect.

    upto : (2, 256) words and curvatures of the rows left of the cuts.
    """


@_write_gains.of(Table)
def _(table, upto, first, end, slopes, growth, nodes, node, j, gains):
    _write_free_gains(upto, first, end, slopes, growth, nodes, node, gains)


@_write_gains.of(MixedTable)
def _(table, upto, first, end, slopes, growth, nodes, node, j, gains):
    G, H, l2 = nodes.sums[node, 0], nodes.sums[node, 1], growth.l2
    sign, lower, upper = table.monotone[j], nodes.lower[node], nodes.upper[node]
    if sign == 0 and lower == -np.inf and upper == np.inf:
        _write_free_gains(upto, first, end, slopes, growth, nodes, node, gains)
        return
    bits, unit, bend = slopes.bits, slopes.units[0], bend_unit(slopes)
    parent, _ = _whole(growth, nodes, node)
    for b in range(first, end):
        g, h = (upto[0, b] >> bits) * unit, upto[1, b] * bend
        low = min(max(-g / (h + l2), lower), upper)
        high = min(max(-(G - g) / (H - h + l2), lower), upper)
        gains[b] = _score(g, h, l2, lower, upper) + _score(G - g, H - h, l2, lower, upper) - parent
        if sign * (high - low) < 0.0:
            gains[b] = 0.0


@lean
@inner_kernel
def _write_free_gains(upto, first, end, slopes, growth, nodes, node, gains):
    """Two quotients as one: divisions are slow."""
    G, H, l2 = nodes.sums[node, 0], nodes.sums[node, 1], growth.l2
    bits, unit, bend = slopes.bits, slopes.units[0], bend_unit(slopes)
    parent, _ = _whole(growth, nodes, node)
    for b in range(np.uintp(first), np.uintp(end)):
        g, h = (upto[0, b] >> bits) * unit, upto[1, b] * bend
        u, v = h + l2, H - h + l2
        gains[b] = np.divide(g * g * v + (G - g) * (G - g) * u, u * v) - parent


@lean
@inner_kernel
def _best_subset(line, slopes, growth, nodes, node, found, place, j):
    """The same for the cuts of categories in the order of their mean step, with few of them on one side.

    Those of few rows go together, as one.
    """
    G, H, C = nodes.sums[node, 0], nodes.sums[node, 1], nodes.sums[node, 2]
    lower, upper, l2 = nodes.lower[node], nodes.upper[node], growth.l2
    unit, bend, bits, mask = slopes.units[0], bend_unit(slopes), slopes.bits, (np.int64(1) << slopes.bits) - 1
    parent, tie = _whole(growth, nodes, node)
    order = found.upto[j, 0]
    n_seen, few_word, few_other = _order_categories(line, slopes, order, found.gains[j])
    word, other, best, last = np.int64(0), np.int64(0), 0.0, -1
    for r in range(n_seen - 1):
        word += few_word if order[r] == FEW else line[order[r], 0]
        other += few_other if order[r] == FEW else bend_of(slopes, line, order[r], mask)
        if min(r + 1, n_seen - 1 - r) > FEWER_SIDE:
            continue
        c, h = float(word & mask), other * bend
        if c < growth.min_leaf or h < growth.min_curvature:
            continue
        if C - c < growth.min_leaf or H - h < growth.min_curvature:
            break
        g = (word >> bits) * unit
        gain = _score(g, h, l2, lower, upper) + _score(G - g, H - h, l2, lower, upper) - parent
        if gain > best + tie:
            best, last = gain, r
            found.left_words[place, j, 0] = word
            found.left_words[place, j, 1] = other
    found.gain[place, j] = best
    if last >= 0:
        mostly_left = float(found.left_words[place, j, 0] & mask) * 2.0 > C
        _name_categories(line, mask, order[:n_seen], last, mostly_left, found.categories[place, j])
        found.cut[place, j, 0] = -1
        found.cut[place, j, 1] = found.categories[place, j, MISSING]


@lean
@inner_kernel
def _order_categories(line, slopes, order, keys):
    """order = categories by their mean step, FEW for those of few rows together.

    Returns how many there are, and the words and curvatures of those of few rows.
    """
    bits, mask, bend, n_seen = slopes.bits, (np.int64(1) << slopes.bits) - 1, bend_unit(slopes), 0
    few_word, few_other = np.int64(0), np.int64(0)
    for code in range(FEW + 1):
        word = few_word if code == FEW else line[code, 0]
        other = few_other if code == FEW else bend_of(slopes, line, code, mask)
        count = word & mask
        if code < FEW and count < ENOUGH_ROWS:
            few_word += word
            few_other += other
        elif count > 0:
            key, k = (word >> bits) * slopes.units[0] / (other * bend + SMOOTHING), n_seen
            while k > 0 and keys[k - 1] > key:
                order[k], keys[k] = order[k - 1], keys[k - 1]
                k -= 1
            order[k], keys[k] = code, key
            n_seen += 1
    return n_seen, few_word, few_other


@lean
@inner_kernel
def _name_categories(line, mask, order, last, mostly_left, goes):
    """Categories order[: last + 1] go left, the others seen here right.

    What was not seen here goes the way of the missing, and those, if there were none, with the majority.
    """
    goes[:] = 2
    few = 2
    for r in range(len(order)):
        if order[r] == FEW:
            few = 1 if r <= last else 0
        else:
            goes[order[r]] = 1 if r <= last else 0
    for code in range(FEW):
        if 0 < line[code, 0] & mask < ENOUGH_ROWS:
            goes[code] = few
    missing = goes[MISSING] if goes[MISSING] < 2 else (1 if mostly_left else 0)
    for code in range(FEW):
        if goes[code] == 2:
            goes[code] = missing
