"""Probabilities from scores of pairs of classes: Platt's sigmoid, and what the pairs say together.

Syllabus: C5.
"""

import numpy as np

from learnable.problems.kernels.platt import probability, slopes, targets

# Newton's method on two numbers: it ends after about ten steps.
STEPS, ENOUGH = 100, 1e-12
# Probabilities of a pair are kept this far from 0 and 1.
CLOSEST = 1e-7


def sigmoid(score: np.ndarray, side: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """(A, B) of the largest likelihood, by Newton steps that are halved until it grows."""
    # In units of the scores' spread; a spread of 0 leaves only B.
    unit = float(np.abs(score).max(initial=0.0)) or 1.0
    f, t = score / unit, targets(side, weight)
    below = float(weight[side < 0.0].sum())
    theta = np.array([0.0, np.log((below + 1.0) / (float(weight.sum()) - below + 1.0))])
    here = _loss(f, t, weight, theta)
    for _ in range(STEPS):
        slope = slopes(f, side, weight, *theta)
        if np.abs(slope).max() <= ENOUGH * float(weight.sum()):
            break
        p = probability(f, *theta)
        bend = weight * p * (1.0 - p)
        H = np.array([[bend @ (f * f), bend @ f], [bend @ f, bend.sum()]])
        step = np.linalg.solve(H + 1e-12 * np.trace(H) * np.eye(2), slope)
        length = 1.0
        while length > 1e-10:
            there = _loss(f, t, weight, theta - length * step)
            if there < here:
                break
            length *= 0.5
        else:
            break
        theta, here = theta - length * step, there
    return float(theta[0]) / unit, float(theta[1])


def _loss(f: np.ndarray, t: np.ndarray, weight: np.ndarray, theta: np.ndarray) -> float:
    z = theta[0] * f + theta[1]
    return float(weight @ (t * z + np.logaddexp(0.0, -z)))


def coupled(r: np.ndarray) -> np.ndarray:
    """(n, K) probabilities of the classes from r (n, K, K), rᵢⱼ that of i between i and j.

    They minimise Σᵢ Σ_{j ≠ i} (rⱼᵢ pᵢ − rᵢⱼ pⱼ)² under Σ p = 1, a linear system; its solution is not negative (Wu, Lin
    and Weng 2004).
    """
    n, K, _ = r.shape
    r = np.clip(r, CLOSEST, 1.0 - CLOSEST)
    other = r.transpose(0, 2, 1)
    system = np.zeros((n, K + 1, K + 1))
    system[:, :K, :K] = -other * r
    each = np.arange(K)
    system[:, each, each] = np.sum(other**2, axis=2) - other[:, each, each] ** 2
    system[:, :K, K] = system[:, K, :K] = 1.0
    right = np.zeros((n, K + 1, 1))
    right[:, K] = 1.0
    found = np.clip(np.linalg.solve(system, right)[:, :K, 0], 0.0, None)
    return found / found.sum(axis=1, keepdims=True)
