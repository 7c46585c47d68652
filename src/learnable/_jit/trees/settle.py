"""Weight, value and impurity of a node, by the kind of its targets."""

import numpy as np

from learnable._jit.core.compile import inner_formula, inner_kernel
from learnable._jit.core.lean import lean
from learnable._jit.trees.layout import (
    ENTROPY,
    POISSON,
    SQUARED,
    Classes,
    Numbers,
    Outputs,
    RankedNumbers,
    RankedOutputs,
    TwoClasses,
)
from learnable._jit.trees.medians import median_of
from learnable._jit.trees.outputs import settle_outputs
from learnable._jit.trees.scan import class_score, number_score


@inner_formula
def settle_value(targets, work, nodes, node, samples):
    """(weight, score, whether all targets are equal) of a node; stores its value, its impurity, `work.totals`, and, of
    one output, targets and weights of its rows."""


@settle_value.of(TwoClasses)
def _(targets, work, nodes, node, samples):
    return _settle_classes(targets, work, nodes, node, samples)


@settle_value.of(Classes)
def _(targets, work, nodes, node, samples):
    return _settle_classes(targets, work, nodes, node, samples)


@settle_value.of(Outputs)
def _(targets, work, nodes, node, samples):
    return settle_outputs(targets, work, nodes, node, samples)


@lean
@inner_kernel
def _settle_classes(targets, work, nodes, node, samples):
    counts = nodes.value[node]
    for k in range(counts.shape[0]):
        counts[k] = 0.0
    total, first, pure = 0.0, targets.label[samples[0]], True
    if targets.n_classes == 2:
        ones = 0.0
        for i in range(np.uintp(len(samples))):
            row = np.uintp(samples[i])
            w, k = targets.weight[row], targets.label[row]
            work.node_weight[i], work.node_y[i] = w, k
            total += w
            ones += w * k
            pure &= k == first
        counts[0], counts[1] = total - ones, ones
    else:
        for i in range(np.uintp(len(samples))):
            row = np.uintp(samples[i])
            w, k = targets.weight[row], targets.label[row]
            work.node_weight[i], work.node_y[i] = w, k
            counts[np.uintp(k)] += w
            total += w
            pure &= k == first
    score = class_score(targets.criterion, counts, total)
    if targets.criterion == ENTROPY:
        nodes.impurity[node] = abs(-score / total / np.log(2.0))
    else:
        nodes.impurity[node] = 0.0 if pure else 1.0 - score / total
    for k in range(counts.shape[0]):
        work.totals[k] = counts[k]
        counts[k] /= total
    work.totals[counts.shape[0]] = total
    if nodes.lower[node] > -np.inf or nodes.upper[node] < np.inf:
        counts[1] = min(max(counts[1], nodes.lower[node]), nodes.upper[node])
        counts[0] = 1.0 - counts[1]
    return total, score, pure


@settle_value.of(Numbers)
def _(targets, work, nodes, node, samples):
    total, s, pure = _read_numbers(targets, work, samples)
    weight, y, m = work.node_weight, work.node_y, np.uintp(len(samples))
    centre = y[0] if pure else s / total
    spread = 0.0
    if targets.criterion == SQUARED:
        for i in range(m):
            spread += weight[i] * (y[i] - centre) ** 2
        score = number_score(SQUARED, s, total)
    else:
        for i in range(m):
            if y[i] > 0.0:
                spread += weight[i] * y[i] * np.log(y[i] / centre)
        score = number_score(POISSON, s, total)
    _store_number(nodes, node, centre, 0.0 if pure else spread / total)
    return total, score, pure


@settle_value.of(RankedNumbers)
def _(targets, work, nodes, node, samples):
    total, _, pure = _read_numbers(targets, work, samples)
    centre, spread = median_of(targets, work, samples, total, 1, 0), 0.0
    for i in range(np.uintp(len(samples))):
        spread += work.node_weight[i] * abs(work.node_y[i] - centre)
    _store_number(nodes, node, centre, 0.0 if pure else spread / total)
    return total, -spread, pure


@settle_value.of(RankedOutputs)
def _(targets, work, nodes, node, samples):
    y, q, total, spread, pure = targets.y, targets.n_outputs, 0.0, 0.0, True
    for row in samples:
        total += targets.weight[row]
    for k in range(q):
        centre = median_of(targets, work, samples, total, q, k)
        nodes.value[node, k] = centre
        for row in samples:
            spread += targets.weight[row] * abs(y[row * q + k] - centre)
            pure &= y[row * q + k] == centre
    nodes.impurity[node] = 0.0 if pure else spread / (total * targets.unit)
    return total, -spread, pure


@lean
@inner_kernel
def _read_numbers(targets, work, samples):
    """(Σ w, Σ w y, whether all y are equal) of some rows, whose y and weights are written one after the other."""
    total, s, first, pure = 0.0, 0.0, targets.y[samples[0]], True
    weight, y = work.node_weight, work.node_y
    for i in range(np.uintp(len(samples))):
        row = np.uintp(samples[i])
        weight[i], y[i] = targets.weight[row], targets.y[row]
        total += weight[i]
        s += weight[i] * y[i]
        pure &= y[i] == first
    work.totals[0], work.totals[1] = s, total
    return total, s, pure


@lean
@inner_kernel
def _store_number(nodes, node, centre, impurity):
    nodes.impurity[node] = impurity
    nodes.value[node, 0] = min(max(centre, nodes.lower[node]), nodes.upper[node])


@inner_formula
def centre_of(targets, work, nodes, node):
    """The best constant of the rows of a node, or the share of the second class, before it is settled."""


@centre_of.of(TwoClasses)
def _(targets, work, nodes, node):
    return _mean(targets, work, nodes, node, targets.label)


@centre_of.of(Classes)
def _(targets, work, nodes, node):
    return _mean(targets, work, nodes, node, targets.label)


@centre_of.of(Numbers)
def _(targets, work, nodes, node):
    return _mean(targets, work, nodes, node, targets.y)


@centre_of.of(RankedNumbers)
def _(targets, work, nodes, node):
    samples, total = work.samples[nodes.start[node] : nodes.end[node]], 0.0
    for row in samples:
        total += targets.weight[row]
    return median_of(targets, work, samples, total, 1, 0)


@centre_of.of(Outputs)
def _(targets, work, nodes, node):
    return 0.0  # several outputs have no sign


@centre_of.of(RankedOutputs)
def _(targets, work, nodes, node):
    return 0.0


@lean
@inner_kernel
def _mean(targets, work, nodes, node, y):
    weight, s = 0.0, 0.0
    for i in range(nodes.start[node], nodes.end[node]):
        row = work.samples[i]
        weight += targets.weight[row]
        s += targets.weight[row] * y[row]
    return s / weight
