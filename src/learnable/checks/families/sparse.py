"""Sparse models under the checks: several targets, paths, few penalties to choose from."""

import copy
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from learnable.checks.registry import register


def several_targets(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """200 rows, 6 columns, 3 targets, two predictors that serve none."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((200, 6))
    B = np.vstack([3.0 * random.standard_normal((4, 3)), np.zeros((2, 3))])
    return X, X @ B + 0.5 * random.standard_normal((200, 3))


def one_direction(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """200 rows, 6 columns, 3 targets along one direction and a little."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((200, 6))
    B = np.outer(random.standard_normal(6), [2.0, -1.0, 1.0]) + 0.2 * random.standard_normal((6, 3))
    return X, X @ B + 0.3 * random.standard_normal((200, 3))


def low_rank(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """200 rows, 6 columns, 3 targets, a coefficient matrix of rank 2 with singular values above the penalty."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((200, 6))
    B = 4.0 * random.standard_normal((6, 2)) @ random.standard_normal((2, 3))
    return X, X @ B + 0.5 * random.standard_normal((200, 3))


def other_paths(model: Any) -> Iterator[tuple[str, Any]]:
    """Copies with a changed path, for the tamper law."""
    if not model.fit_path or model.coef_.ndim > 1:
        return
    middle = model.coef_path_.shape[1] // 2
    bent, shorter, shifted = copy.deepcopy(model), copy.deepcopy(model), copy.deepcopy(model)
    bent.coef_path_[:, middle] *= 1.01
    yield "a bend of the path", bent
    shorter.coef_path_ = np.delete(model.coef_path_, 1, axis=1)
    shorter.alphas_ = np.delete(model.alphas_, 1)
    if len(shorter.alphas_) > 1:
        yield "a knot left out", shorter
    shifted.alphas_[middle] *= 1.01
    yield "a shift of a level", shifted


def few_penalties(name: str):
    from learnable import sparse

    return getattr(sparse, name)(alphas=12)


for name in ("LassoCV", "ElasticNetCV"):
    register(name, make=partial(few_penalties, name))
register("MultiTaskLasso", data=several_targets)
register("ReducedRankRegression", data=one_direction)
register("NuclearNormRegression", data=low_rank)
register("Lars", altered=other_paths)
register("LassoLars", altered=other_paths)
