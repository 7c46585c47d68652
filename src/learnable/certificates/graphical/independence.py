"""Tests of independence by other routes than the solvers': inverses of blocks, tables by counting. Syllabus: G12."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from learnable.certificates.graphical.table import TableMoments, moments_of
from learnable.problems.graphical import contingency, fisher_z

Triple = tuple[int, int, tuple[int, ...]]
# Numbers held at once when many blocks are inverted together.
AT_ONCE = 4_000_000
SINGULAR = 1e-10


def judge_of(test: Any, X: Any) -> Callable[[Sequence[Triple]], tuple[np.ndarray, np.ndarray]]:
    """A function of many (i, j, S) that returns statistics and p-values, NaN where the data cannot say."""
    if test == "fisher_z":
        return _partial_correlations(moments_of(X))
    if test in ("chi2", "g2"):
        return _tables(np.asarray(X), test == "g2")
    return _given(test, X)


def _partial_correlations(table: TableMoments) -> Callable:
    n, unit = table.n_rows, np.sqrt(np.diag(table.S))
    unit = np.where(unit > 0.0, unit, 1.0)
    R = table.S / unit / unit[:, None]

    def judge(triples: Sequence[Triple]) -> tuple[np.ndarray, np.ndarray]:
        statistic = np.full(len(triples), np.nan)
        sizes = np.array([len(S) for _, _, S in triples], dtype=int)
        for size in np.unique(sizes):
            if not fisher_z.testable(n, int(size)):
                continue
            rows = np.flatnonzero(sizes == size)
            for part in np.array_split(rows, max(1, len(rows) * (size + 2) ** 2 // AT_ONCE)):
                index = np.array([(triples[t][0], triples[t][1], *triples[t][2]) for t in part], dtype=int)
                statistic[part] = fisher_z.statistic(_by_inverse(R, index), n, size)
        return statistic, fisher_z.p_value(statistic)

    return judge


def _by_inverse(R: np.ndarray, index: np.ndarray) -> np.ndarray:
    """−θ₀₁ / √(θ₀₀ θ₁₁) of Θ = inverse of each block; NaN where a block is singular but for i and j themselves."""
    if index.shape[1] == 2:
        return np.clip(R[index[:, 0], index[:, 1]], -1.0, 1.0)
    blocks = R[index[:, :, None], index[:, None, :]]
    S, with_S = blocks[:, 2:, 2:], blocks[:, :2, 2:]
    sound = np.linalg.eigvalsh(S)[:, 0] > SINGULAR
    S = np.where(sound[:, None, None], S, np.eye(S.shape[1]))
    left = blocks[:, :2, :2] - with_S @ np.linalg.solve(S, np.swapaxes(with_S, 1, 2))
    a, b = left[:, 0, 0], left[:, 1, 1]
    sound &= (a > SINGULAR) & (b > SINGULAR)
    r = left[:, 0, 1] / np.sqrt(np.where(sound, a * b, 1.0))
    return np.where(sound, np.clip(r, -1.0, 1.0), np.nan)


def _tables(X: np.ndarray, likelihood: bool) -> Callable:
    n = len(X)
    codes = np.column_stack([_codes(column) for column in X.T])
    levels = codes.max(axis=0) + 1

    def judge(triples: Sequence[Triple]) -> tuple[np.ndarray, np.ndarray]:
        found = np.full((2, len(triples)), np.nan)
        for t, (i, j, S) in enumerate(triples):
            degrees = contingency.degrees(levels, i, j, S)
            if contingency.testable(n, degrees):
                shape = [int(levels[k]) for k in (*S, i, j)]
                cells = np.ravel_multi_index(tuple(codes[:, k] for k in (*S, i, j)), shape)
                seen = np.bincount(cells, minlength=int(np.prod(shape))).reshape(-1, shape[-2], shape[-1])
                total = np.maximum(seen.sum(axis=(1, 2), keepdims=True), 1)
                expected = seen.sum(axis=1, keepdims=True) * seen.sum(axis=2, keepdims=True) / total
                if likelihood:
                    some = seen > 0
                    value = 2.0 * float(np.sum(seen[some] * np.log(seen[some] / expected[some])))
                else:
                    some = expected > 0
                    value = float(np.sum((seen[some] - expected[some]) ** 2 / expected[some]))
                found[:, t] = value, contingency.p_value(value, degrees)
        return found[0], found[1]

    return judge


def _codes(column: np.ndarray) -> np.ndarray:
    """Whole numbers for the values of a column; by what they look like where values of several types have no order."""
    try:
        return np.unique(column, return_inverse=True)[1]
    except TypeError:
        return np.unique([f"{type(value).__name__} {value!r}" for value in column], return_inverse=True)[1]


def _given(test: Any, X: np.ndarray) -> Callable:
    def judge(triples: Sequence[Triple]) -> tuple[np.ndarray, np.ndarray]:
        found = np.full((2, len(triples)), np.nan)
        for t, (i, j, S) in enumerate(triples):
            answer = test(X, i, j, S)
            if answer is not None:
                found[:, t] = (np.nan, answer) if np.ndim(answer) == 0 else answer
        return found[0], found[1]

    return judge
