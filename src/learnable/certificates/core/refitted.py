"""A fit of scikit-learn's, done again by scikit-learn: how far its answer is from the one judged."""

import warnings
from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.base import clone

from learnable.certificates.core.again import AGAIN, answer_apart, kept_apart
from learnable.certificates.core.certificate import Certificate
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import fitted
from learnable.config import config_context

# What a claim assumes that is open until the fit is done again.
REFITTED = "scikit-learn's fit, done again, ends at this model"
STATEMENT = "the same fit, done again, ends at this model (largest difference, relative, 1 if more)"
# How many more steps than twice its own a fit may take: one that goes on for longer is another fit. Of those on folds
# it is not known how many steps they took.
MORE_STEPS, MORE_ON_FOLDS = 100, 10_000
# Fits from more starts than these are not done again.
MOST_STARTS = 100
# Fits with other random numbers that must agree before it is said that a fit does not hang on them.
SEEDS = 8
# The largest count, but one of steps, that a fit which is done again may be asked for.
MOST_COUNTED = 10_000
_NO_COUNTS = ("random_state", "max_iter")
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


def only_theirs(model: Any, found: Certificate | None = None) -> bool:
    """Whether the fit is scikit-learn's, of which more is left to the same fit, done again, than of ours."""
    return type(model).__module__.partition(".")[0] == "sklearn"


def unless_refitted(id: str, statement: str, value: float = 1.0) -> Claim:
    """A number that is open until the same fit, done again, ends at the model; of fits of ours, for good.

    >>> print(unless_refitted("MS7", "alpha_ is the choice of its folds, which are not run again (1)"))
    [not proved] MS7: alpha_ is the choice of its folds, which are not run again (1): 1
    """
    return Claim.disclosure(id, statement, value, assumptions=(REFITTED,))._replace(open=True)


def as_refitted(model: Any, found: Certificate, *data: Any, **named: Any) -> Certificate:
    """What is found, and whether the same fit, done again, ends at this model, which settles what was open till then.

    What is open for another reason no second fit would prove.
    """
    if any(claim.open and REFITTED not in claim.assumptions for claim in found):
        return found
    if (more := refit_claim(found[0].id, model, *data, **named)) is None:
        return found
    claims = [claim._replace(open=claim.open and not more.holds) for claim in found]
    return Certificate(found.subject, [*claims, more], found.unverified)


def refit_claim(id: str, model: Any, *data: Any, **named: Any) -> Claim | None:
    """The claim that scikit-learn's fit, done again, ends at this model; None where it draws random numbers that are
    not known.

    On another machine, or with the rows in another order, it may end elsewhere, which refutes nothing.
    """
    starts = vars(model).get("n_init", 1)
    if isinstance(starts, int | np.integer) and starts > MOST_STARTS:
        statement = f"{STATEMENT}; not done again from more than {MOST_STARTS} starts"
        return Claim.disclosure(id, statement, float(starts))._replace(open=True)
    first, away = None, 1.0
    for again in refits(model, *data, **named):
        away = _apart(model, again)
        if away <= AGAIN or again is None:
            break
        if first is not None and _apart(first, again) > AGAIN:
            return None
        first = again
    return Claim.reached(id, STATEMENT, away, AGAIN, asked=1.0)


def refits(model: Any, *data: Any, **named: Any) -> Iterator[Any | None]:
    """The same fit, done again; with several seeds, one after the other, where nobody knows which was drawn."""
    changed = _steps_allowed(model)
    for seed in _seeds(model):
        yield _refitted(model, {**changed, **seed}, *data, **named)


def is_long(model: Any) -> bool:
    """Whether a parameter asks for more folds, starts or members than anybody waits for."""
    told = {name: value for name, value in model.get_params().items() if name.rpartition("__")[2] not in _NO_COUNTS}
    return any(isinstance(value, int | np.integer) and value > MOST_COUNTED for value in told.values())


def _seeds(model: Any) -> list[dict[str, Any]]:
    """The seed of the fit, as a parameter; several in turn where nobody knows it, of which a fit may not hang."""
    if isinstance(model.get_params(deep=False).get("random_state", 0), int | np.integer):
        return [{}]
    if (kept := _seeds_kept(model)) is not None:
        return [{"random_state": _Told(kept)}]
    return [{"random_state": seed} for seed in range(SEEDS)]


def refitted_apart(model: Any, *data: Any) -> float:
    """The largest relative difference between a model and the same fit done again; 1 if more, or if it fails."""
    return _apart(model, _refitted(model, {}, *data))


def _steps_allowed(model: Any) -> dict[str, Any]:
    """As many as the fit took, twice, and some: whatever its parameters say, nobody waits for more.

    >>> from types import SimpleNamespace as Fit
    >>> _steps_allowed(Fit(max_iter=-1, n_iter_=3)), _steps_allowed(Fit(max_iter=50, n_iter_=3))
    ({'max_iter': 106}, {'max_iter': 50})
    """
    if not {"max_iter", "n_iter_"} <= vars(model).keys() or model.max_iter is None:
        return {}
    taken = np.asarray(model.n_iter_)
    steps = int(taken.max(initial=0)) if taken.dtype.kind in "iu" else 0  # None of a fit that took none
    more = MORE_ON_FOLDS if {"cv", "probability"} & vars(model).keys() else MORE_STEPS
    allowed = 2 * steps + more
    return {"max_iter": allowed if model.max_iter < 0 else min(model.max_iter, allowed)}  # −1: no limit


def _refitted(model: Any, changed: dict[str, Any], *data: Any, **named: Any) -> Any | None:
    """The same fit, done again with some parameters `changed` meanwhile; None where it fails."""
    changed = {"verbose": False, **changed} if "verbose" in model.get_params(deep=False) else changed
    with warnings.catch_warnings(), config_context(certificates=False):
        warnings.simplefilter("ignore")
        try:
            again = clone(model).set_params(**changed).fit(*to_write_on(model, data), **named)
        except Exception:  # it may have been fitted on more than is given here
            return None
    vars(again).update({name: vars(model)[name] for name in changed})
    return again


def _apart(model: Any, again: Any | None) -> float:
    if again is None:
        return 1.0
    # The names of the columns may not be given again.
    names = {*fitted(vars(model)), *fitted(vars(again))} - {"feature_names_in_"}
    return min(max(answer_apart(model, again, names), kept_apart(vars(model), vars(again))), 1.0)


def same_model(model: Any, again: Any) -> bool:
    """Whether two fits of a class ended at the same numbers."""
    return _apart(model, again) <= AGAIN


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
