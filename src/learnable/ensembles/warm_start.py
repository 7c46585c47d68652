"""Which members a warm start keeps, and the seeds of all members."""

import warnings
from typing import Any

import numpy as np

from learnable.seeds import seed_from


def kept_members(model: Any, name: str) -> tuple[list[Any], np.ndarray]:
    """The members in attribute `name` that a further fit goes on from, and a seed for each of `n_estimators`.

    More members are those of a larger ensemble: seeds that there are stay.
    """
    T = model.n_estimators
    seeds = seed_from(model.random_state, type(model).__name__).generate_state(T, np.uint64)
    kept = vars(model).get(name) if model.warm_start else None
    if kept is None:
        return [], seeds
    if len(kept) > T:
        raise ValueError(
            f"n_estimators={T} must be larger or equal to len(estimators_)={len(kept)} when warm_start==True"
        )
    if len(kept) == T:
        warnings.warn("Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=3)
    return list(kept), np.concatenate([vars(model).get("seeds_", seeds)[: len(kept)], seeds[len(kept) :]])
