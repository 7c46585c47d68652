"""Scores on rows out of the bag and their 95% intervals, by their definitions. Syllabus: DT13, DT14."""

import numpy as np

Z = 1.959963984540054
# Relative difference of numbers computed twice, where they do not lie far from zero for their spread.
CLOSE = 1e-9


def closeness(values: np.ndarray) -> tuple[float, float]:
    """(spread of the numbers, how much of it they may differ by when computed twice), of the worst column.

    What they are shifted by takes digits of them, and moves no bound otherwise.

    >>> closeness(np.array([-1.0, 1.0])), closeness(np.array([1e6 - 1.0, 1e6 + 1.0]))[1] < 2e-8
    ((1.0, 1.0000142108547153e-09), True)
    """
    values = np.atleast_2d(np.asarray(values, dtype=float).T).T
    rounding = np.finfo(float).eps * np.abs(values).max(axis=0)
    spread = np.maximum(np.maximum(values.std(axis=0), rounding), np.finfo(float).tiny)
    return float(spread.min()), CLOSE + 64.0 * float(np.max(rounding / spread))


def share_right(y: np.ndarray, said: np.ndarray, w: np.ndarray) -> tuple[float, tuple[float, float]]:
    """Wilson's interval solves (p̂ − p)² = z² p (1 − p)/m, m = (Σw)²/Σw² rows."""
    m = 1.0 / float(np.sum((w / w.sum()) ** 2))
    score = float(np.average(~np.any(said != y, axis=1), weights=w))
    roots = np.roots([1.0 + Z * Z / m, -(2.0 * score + Z * Z / m), score * score])
    return score, (float(roots.min()), float(roots.max()))


def share_explained(y: np.ndarray, said: np.ndarray, w: np.ndarray) -> tuple[float, tuple[float, float]]:
    """R², the mean over outputs, with the normal interval of a mean of ratios, linear in its two means.

    As for scikit-learn's R², a constant output is met or it is not.
    """
    scores, pull = [], np.zeros(len(y))
    for target, guess in zip(y.T, said.T):
        if np.all(target == target[0]):
            scores.append(float(np.all(guess[w > 0.0] == target[0])))
            continue
        spread = (target - np.average(target, weights=w)) ** 2
        unit = np.average(spread, weights=w)
        ratio = np.average((target - guess) ** 2, weights=w) / unit
        scores.append(1.0 - float(ratio))
        pull += ((target - guess) ** 2 / unit - ratio * spread / unit) / y.shape[1]
    score = float(np.mean(scores))
    if np.all(y == y[0]):
        return score, (0.0, 1.0)
    half = Z * float(np.sqrt(np.sum((w * pull) ** 2))) / float(w.sum())
    return score, (score - half, min(score + half, 1.0))
