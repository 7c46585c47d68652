"""Whether what a fit says it drew is what its `random_state` draws."""

from numbers import Integral
from typing import Any

import numpy as np

from learnable.certificates.core.claim import Claim


def seed_sequence(model: Any) -> np.random.SeedSequence | None:
    """The one that an integer `random_state` of a model of this library names; None for fresh numbers."""
    seed = model.random_state
    known = isinstance(seed, Integral) and not isinstance(seed, bool)
    return np.random.SeedSequence(int(seed)) if known else None


def drawn_claim(id: str, name: str, model: Any, stated: Any, again: Any) -> Claim:
    """That numbers are those drawn again; open after a warm start, before which `random_state` may have been another.

    >>> from types import SimpleNamespace
    >>> drawn_claim("DT14", "seeds_", SimpleNamespace(warm_start=False), [1, 2], [1, 3]).holds
    False
    """
    stated, again = np.asarray(stated), np.asarray(again)
    same = stated.shape == again.shape and bool(np.all(stated == again))
    claim = Claim.at_most(id, f"{name}, drawn otherwise than random_state says (1: so)", float(not same), 0.0)
    return claim._replace(open=not same and bool(getattr(model, "warm_start", False)))


def seed_claims(id: str, model: Any, without: int = 0) -> list[Claim]:
    """That `seeds_` are those of `random_state`, less the bits of `without`, and none of them stands twice.

    Two of 64 bits that are the same are no chance: one member was put in the place of another.
    """
    seeds, source = np.asarray(model.seeds_), seed_sequence(model)
    twice = len(seeds) - len(np.unique(seeds))
    found = [Claim.at_most(id, "seeds that stand twice", twice, 0.0)]
    if source is None:
        return found
    again = source.generate_state(len(seeds), np.uint64) & ~np.uint64(without)
    return [*found, drawn_claim(id, "seeds_", model, seeds, again)]
