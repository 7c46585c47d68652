"""Which members a warm start keeps, and the seeds of all members."""

import warnings
from collections.abc import Collection
from numbers import Real
from typing import Any

import numpy as np

from learnable.seeds import seed_from


def kept_members(model: Any, name: str) -> tuple[list[Any], np.ndarray]:
    """The members in attribute `name` that a further fit goes on from, and a seed for each of `n_estimators`.

    More members are those of a larger ensemble: seeds that there are stay.
    """
    T = model.n_estimators
    if (given := vars(model).pop("_members_seeds", None)) is not None:  # `certify` does a fit again
        return [], given
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


# What may change from one fit to the next: these say how long and how the fit runs, not which trees are grown.
FREE = {"n_estimators", "warm_start", "verbose", "n_jobs", "random_state", "oob_score", "n_iter_no_change", "tol"}


def keep_parameters(model: Any, goes_on: bool, may_change: Collection[str] = ()) -> dict[str, Any]:
    """Remember the parameters that the trees are grown with; refuse to go on from trees grown with others.

    Returns
    -------
    dict : the parameters of the trees there are, where one of those that `may_change` has; else nothing.
    """
    now = {name: _kept(value) for name, value in model.get_params(deep=False).items() if name not in FREE}
    before = vars(model).get("grown_with_", now) if goes_on else now
    changed = [name for name in now if repr(now[name]) != repr(before.get(name))]
    for name in changed:
        if name not in may_change:
            raise ValueError(
                f"{type(model).__name__}(warm_start=True): {name} was {before.get(name)!r} when the trees there are "
                f"were grown, and is {now[name]!r}; set it back, or warm_start=False"
            )
    model.grown_with_ = now
    return before if changed else {}


def _kept(value: Any) -> Any:
    """A number, a word or None as it is; of anything else, what it looks like."""
    return value if value is None or isinstance(value, (Real, str)) else repr(value)
