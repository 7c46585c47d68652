"""Coordinate descent on ‖w‖₁ + Σ Cᵢ (1 − yᵢ zᵢ)₊², z = Xw: one column at a time, in the order given."""

import numpy as np

from learnable._jit.core.compile import compile_formulas, kernel
from learnable._jit.core.vectors import DenseVectors, SparseVectors, add
from learnable.problems.core.formula import formula

# Halvings of a step, and the share of the promised fall that is enough.
HALVINGS, ENOUGH = 40, 0.01


@formula
def slope_and_bend(columns, j, y, C, z):
    """First and second derivative of the loss along column j."""


@formula
def change(columns, j, y, C, z, step):
    """What a step along column j adds to the loss."""


@slope_and_bend.of(DenseVectors)
def _(columns, j, y, C, z):
    slope, bend = 0.0, 0.0
    for i in range(z.shape[0]):
        x, slack = columns.values[j, i], max(1.0 - y[i] * z[i], 0.0)
        slope -= 2.0 * C[i] * y[i] * slack * x
        bend += 2.0 * C[i] * x * x if slack > 0.0 else 0.0
    return slope, bend


@slope_and_bend.of(SparseVectors)
def _(columns, j, y, C, z):
    slope, bend = 0.0, 0.0
    for k in range(np.uint64(columns.starts[j]), np.uint64(columns.starts[j + 1])):
        x, i = columns.values[k], columns.places[k]
        slack = max(1.0 - y[i] * z[i], 0.0)
        slope -= 2.0 * C[i] * y[i] * slack * x
        bend += 2.0 * C[i] * x * x if slack > 0.0 else 0.0
    return slope, bend


@change.of(DenseVectors)
def _(columns, j, y, C, z, step):
    total = 0.0
    for i in range(z.shape[0]):
        before = max(1.0 - y[i] * z[i], 0.0)
        after = max(1.0 - y[i] * (z[i] + step * columns.values[j, i]), 0.0)
        total += C[i] * (after * after - before * before)
    return total


@change.of(SparseVectors)
def _(columns, j, y, C, z, step):
    total = 0.0
    for k in range(np.uint64(columns.starts[j]), np.uint64(columns.starts[j + 1])):
        i = columns.places[k]
        before = max(1.0 - y[i] * z[i], 0.0)
        after = max(1.0 - y[i] * (z[i] + step * columns.values[k]), 0.0)
        total += C[i] * (after * after - before * before)
    return total


compile_formulas()


@kernel
def sweep(columns, y, C, w, z, order, active, margin):
    """One pass over the first `active` columns of `order`; returns (columns still active, Σ and max of violations).

    A column with w = 0 whose slope is within 1 − margin is set aside; no column where margin is ∞.
    """
    total, largest = 0.0, 0.0
    k = 0
    while k < active:
        j = order[k]
        slope, bend = slope_and_bend(columns, j, y, C, z)
        if w[j] == 0.0:
            violation = max(abs(slope) - 1.0, 0.0)
            if abs(slope) < 1.0 - margin:
                active -= 1
                order[k] = order[active]
                order[active] = j
                continue
        else:
            violation = abs(slope + np.sign(w[j]))
        k += 1
        total += violation
        largest = max(largest, violation)
        bend = max(bend, 1e-12)
        # The minimum of the parabola and |w|.
        if slope + 1.0 <= bend * w[j]:
            step = -(slope + 1.0) / bend
        elif slope - 1.0 >= bend * w[j]:
            step = -(slope - 1.0) / bend
        else:
            step = -w[j]
        if abs(step) <= 1e-300:
            continue
        for _ in range(HALVINGS):
            promised = slope * step + abs(w[j] + step) - abs(w[j])
            if change(columns, j, y, C, z, step) + abs(w[j] + step) - abs(w[j]) <= ENOUGH * promised:
                w[j] += step
                add(columns, j, step, z)
                break
            step *= 0.5
    return active, total, largest
