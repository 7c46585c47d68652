"""What values parameters may have: by what a class states, and by what holds for every class of the house."""

from collections.abc import Iterable, Mapping
from numbers import Integral, Number
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, InvalidParameterError, make_constraint
from sklearn.utils.validation import _is_arraylike_not_scalar

# Whatever a class states: no fit has 0 workers.
ALWAYS: Mapping[str, list[Any]] = {
    "n_jobs": [None, Interval(Integral, 1, None, closed="left"), Interval(Integral, None, -1, closed="right")]
}
# What a class need not state.
USUALLY: Mapping[str, list[Any]] = {
    "random_state": [
        Interval(Integral, 0, None, closed="left"), np.random.Generator, np.random.BitGenerator,
        np.random.SeedSequence, np.random.RandomState, None,
    ],
    "verbose": ["verbose"],
}  # fmt: skip
# Lists of labels, of names of columns, of parts that differ in length, or of penalties, each of which is looked at by
# itself, as in scikit-learn; every other array-like holds numbers.
NOT_OF_NUMBERS = frozenset({"alphas", "categorical_features", "classes", "continuous", "domains", "groups", "p"})


class Listed:
    """An array-like; scikit-learn's constraint admits dictionaries too.

    >>> [Listed().is_satisfied_by(one) for one in ([0.5, np.inf], ["a"], {"a": 1}, [[1], [1, 2]], 2.0)]
    [True, True, False, True, False]
    """

    hidden = False

    def is_satisfied_by(self, value: Any) -> bool:
        return _is_arraylike_not_scalar(value) and not isinstance(value, Mapping)

    def __str__(self) -> str:
        return "an array-like"


class Numbers:
    """An array-like of numbers.

    >>> [Numbers().is_satisfied_by(one) for one in ([0.5, np.inf], ["a"], {"a": 1}, [[1], [1, 2]], 2.0)]
    [True, False, False, False, False]
    """

    hidden = False

    def is_satisfied_by(self, value: Any) -> bool:
        if not Listed().is_satisfied_by(value):
            return False
        try:
            array = np.asarray(value)
            if array.dtype.kind == "O" and not any(isinstance(one, str) for one in array.ravel()):
                array = array.astype(float)
        except (TypeError, ValueError):
            return False
        return array.dtype.kind in "biuf"

    def __str__(self) -> str:
        return "an array-like of numbers"


class Allowed:
    """What one parameter may be.

    >>> n_jobs = Allowed(ALWAYS["n_jobs"])
    >>> n_jobs.admits(2), n_jobs.admits(0), n_jobs.admits(True)
    (True, False, False)
    """

    def __init__(self, stated: Iterable[Any], numbers: bool = True):
        listed = Numbers() if numbers else Listed()
        made = [listed if one == "array-like" else make_constraint(one) for one in stated]
        self._each = [(each, one == "random_state" or _of_numbers(each)) for each, one in zip(made, stated)]

    def admits(self, value: Any) -> bool:
        """Whether one of the constraints is satisfied; True is no number."""
        truth = isinstance(value, bool)
        return any(not (truth and numbers) and one.is_satisfied_by(value) for one, numbers in self._each)

    def refuse(self, owner: str, name: str, value: Any) -> None:
        """Raise in scikit-learn's words."""
        *first, last = (str(one) for one, _ in self._each if not one.hidden)
        what = f"{', '.join(first)} or {last}" if first else last
        raise InvalidParameterError(f"The {name!r} parameter of {owner} must be {what}. Got {value!r} instead.")


def allowed(stated: Mapping[str, Any], names: Iterable[str]) -> list[tuple[str, Allowed]]:
    """(name, what it may be) of the parameters about which something is known."""
    known = {**USUALLY, **{name: each for name, each in stated.items() if each != "no_validation"}, **ALWAYS}
    return [(name, Allowed(known[name], name not in NOT_OF_NUMBERS)) for name in names if name in known]


def _of_numbers(constraint: Any) -> bool:
    kind = getattr(constraint, "type", None)
    return isinstance(kind, type) and issubclass(kind, Number) and not issubclass(kind, bool)
