"""What a new node of a boosted tree begins with, whether it may be split, and by which columns."""

from learnable._jit.core.compile import inner_formula, inner_kernel
from learnable._jit.core.lean import lean
from learnable._jit.ensembles.split_search import MixedTable, Table, add_up
from learnable._jit.trees.grow import random_below


@lean
@inner_kernel
def begin(slopes, nodes, node):
    """A new leaf, of which nothing but its rows, words and depth is known."""
    nodes.left[node] = -1
    nodes.right[node] = -1
    nodes.gain[node] = 0.0
    add_up(slopes, nodes, node)


@lean
@inner_kernel
def may_split(growth, nodes, node):
    """Whether the limits let a leaf be split."""
    if nodes.counters[1] >= growth.max_leaves or nodes.depth[node] >= growth.max_depth:
        return 0
    return 1 if nodes.sums[node, 2] >= 2 * growth.min_leaf and nodes.sums[node, 1] >= 2.0 * growth.min_curvature else 0


@inner_formula
def draw_columns(table, growth, nodes, random, features, node):
    """Mark columns drawn at random, without repetition, by bit 4, where some are."""


@draw_columns.of(Table)
def _(table, growth, nodes, random, features, node):
    pass


@draw_columns.of(MixedTable)
def _(table, growth, nodes, random, features, node):
    p = len(features)
    if growth.max_features == p:
        return
    for drawn in range(growth.max_features):
        swap = drawn + random_below(random, p - drawn)
        features[drawn], features[swap] = features[swap], features[drawn]
        nodes.allowed[node, features[drawn]] |= 4


@inner_formula
def allow_all(table, nodes, node):
    """Let a node use every column."""


@allow_all.of(Table)
def _(table, nodes, node):
    pass


@allow_all.of(MixedTable)
def _(table, nodes, node):
    for j in range(nodes.allowed.shape[1]):
        nodes.allowed[node, j] = 1


@inner_formula
def narrow(table, nodes, node, child):
    """Columns a child may use: those of the groups that hold every column used on the way to it."""


@narrow.of(Table)
def _(table, nodes, node, child):
    pass


@narrow.of(MixedTable)
def _(table, nodes, node, child):
    groups = table.groups
    p = groups.shape[1]
    if groups.shape[0] == 0:
        allow_all(table, nodes, child)
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
