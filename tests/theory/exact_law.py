"""Every sample of a small discrete law with its probability: the truth the bounds are held against."""

import math
from itertools import combinations

import numpy as np


def compositions(m, cells):
    """All ways to write m as an ordered sum of `cells` non-negative numbers."""
    bars = np.array(list(combinations(range(m + cells - 1), cells - 1)))
    edges = np.column_stack([np.full(len(bars), -1), bars, np.full(len(bars), m + cells - 1)])
    return np.diff(edges, axis=1) - 1


def multinomial(counts, probabilities):
    """Probability of each composition."""
    m = int(counts[0].sum())
    coefficients = np.array([math.factorial(m) / math.prod(map(math.factorial, row)) for row in counts.tolist()])
    return coefficients * np.prod(np.asarray(probabilities) ** counts, axis=1)


def deviations(table, joint, m):
    """sup_h (R − R̂), sup_h |R − R̂|, R of the ERM minus the best, and the probability, for every sample of size m.

    table: hypotheses × points in {0, 1}; joint: points × {0, 1}.
    """
    losses = np.stack([table != 0, table != 1], axis=-1).reshape(len(table), -1).astype(float)
    counts = compositions(m, joint.size)
    weights = multinomial(counts, joint.ravel())
    risk = losses @ joint.ravel()
    empirical = counts @ losses.T / m
    gaps = risk - empirical
    erm = np.argmin(empirical, axis=1)
    return gaps.max(axis=1), np.abs(gaps).max(axis=1), risk[erm] - risk.min(), weights
