"""A fit of scikit-learn's, done again by scikit-learn: how far its answer is from the one judged."""

import warnings
from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.base import clone

from learnable.certificates.core.again import AGAIN, MORE_STEPS, answer_apart, kept_apart
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import fitted
from learnable.config import config_context

STATEMENT = "the same fit, done again, ends at this model (largest difference, relative, 1 if more)"
# Fits from more starts than these are not done again.
MOST_STARTS = 100
# What says that the rows may be overwritten.
_COPIES = ("copy", "copy_x", "copy_X")


class _Told(np.random.RandomState):
    """Random numbers of which the first are those that a fit drew.

    >>> drawn = _Told([7, 2**40])
    >>> drawn.randint(10), drawn.randint(10), drawn.randint(1)
    (7, 1099511627776, 0)
    """

    def __init__(self, first: Iterable[Any]) -> None:
        super().__init__(0)
        self._first = list(first)

    def randint(self, *limits: Any, **kind: Any) -> Any:
        return self._first.pop(0) if self._first else super().randint(*limits, **kind)


def refit_claim(id: str, model: Any, *data: Any, **named: Any) -> Claim | None:
    """The claim that scikit-learn's fit, done again, ends at this model; None where its random numbers are not known.

    On another machine, or with the rows in another order, it may end elsewhere, which refutes nothing.
    """
    random = vars(model).get("random_state")
    if "random_state" in vars(model) and not isinstance(random, int | np.integer):
        if (seeds := _seeds_kept(model)) is None:
            return None
        random = _Told(seeds)
    starts = vars(model).get("n_init", 1)
    if isinstance(starts, int | np.integer) and starts > MOST_STARTS:
        statement = f"{STATEMENT}; not done again from more than {MOST_STARTS} starts"
        return Claim.disclosure(id, statement, float(starts))._replace(open=True)
    changed: dict[str, Any] = {"random_state": random} if "random_state" in vars(model) else {}
    if {"max_iter", "n_iter_"} <= vars(model).keys():
        taken = int(np.max(model.n_iter_, initial=0))
        changed["max_iter"] = min(model.max_iter, 2 * taken + MORE_STEPS)
    return Claim.reached(id, STATEMENT, refitted_apart(model, changed, *data, **named), AGAIN, asked=1.0)


def refitted_apart(model: Any, changed: dict[str, Any], *data: Any, **named: Any) -> float:
    """The largest relative difference between a model and the same fit done again, with some parameters `changed` for
    it; 1 if more, or where it cannot be done.
    """
    changed = {"verbose": False, **changed} if "verbose" in vars(model) else changed
    with warnings.catch_warnings(), config_context(certificates=False):
        warnings.simplefilter("ignore")
        try:
            again = clone(model).set_params(**changed).fit(*to_write_on(model, data), **named)
        except Exception:  # it may have been fitted on more than is given here
            return 1.0
    vars(again).update({name: vars(model)[name] for name in changed})
    # The names of the columns may not be given again.
    names = {*fitted(vars(model)), *fitted(vars(again))} - {"feature_names_in_"}
    return min(max(answer_apart(model, again, names), kept_apart(vars(model), vars(again))), 1.0)


def to_write_on(model: Any, data: Any) -> Any:
    """The data, or a copy of them for a model that may overwrite what it is given."""
    return deepcopy(data) if any(vars(model).get(name) is False for name in _COPIES) else data


def _seeds_kept(model: Any) -> list[Any] | None:
    """The numbers that a fit without a seed drew first, as its members keep them; None where they do not."""
    attributes = vars(model)
    if "_feature_subsample_rng" in attributes:
        return [attributes.get("_random_seed"), model._feature_subsample_rng.bit_generator.seed_seq.entropy]
    if not len(members := attributes.get("estimators_", ())):
        return None
    parameters = [member.get_params().items() for member in members]
    seeds = [value for each in parameters for name, value in sorted(each) if name.endswith("random_state")]
    return seeds if all(isinstance(seed, int | np.integer) for seed in seeds) else None
