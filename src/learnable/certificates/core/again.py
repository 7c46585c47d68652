"""The same fit done again: how far its answer is from the one judged, and how far rounding may take it."""

import warnings
from collections.abc import Iterable
from typing import Any
from zlib import crc32

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone, is_regressor

from learnable.certificates.core.claim import Claim
from learnable.certificates.core.digest_generator import digest_generator
from learnable.certificates.core.ledger import fitted
from learnable.certificates.core.reported import reported
from learnable.config import config_context
from learnable.rows import is_streamed

# How far from those of the fit done again numbers may be, relatively: another machine rounds otherwise.
AGAIN = 1e-6
# What columns and targets are stretched by, in double and in single precision, to see what rounding does to a fit.
STRETCH = {8: 1e-12, 4: 1e-6}
# Steps that are taken again; and how many more than twice its own a fit may take on a machine that rounds otherwise.
MOST_STEPS = 100_000
MORE_STEPS = 100
REORDERED = "; the rows are not in the order of the fit"
HALTED = "; only stopped at the step where the model says that it was"
# Rows that tell in which order a table is, about.
MARKED = 64
# An answer within so many times what that does may be that of a machine which rounds otherwise.
ROUNDED_OTHERWISE = 100.0
# Last digits by which a prediction, or the largest of several numbers, may be off.
RESOLVED = 64.0
# What members keep of the rows, of which stretched ones make another number, of the machine, and, of sparse rows, of
# what was in memory before.
_MARKS = frozenset({"_order", "_n_threads", "_n_support"})
# What tells two members apart; of other things it is not known when they are the same.
_TOLD = (bool, int, float, str, np.ndarray, np.generic, type(None))
_TINY = float(np.finfo(float).tiny)


class TooManySteps(Exception):
    """The fit would have to be done again for more steps than anybody waits for."""


def again_claim(id: str, model: Any, names: Iterable[str], *data: Any, **named: Any) -> Claim:
    """The claim that the same fit, done again, ends at these attributes; open where rounding alone moves them so far.

    It says where an answer comes from that is no optimum: of training that was stopped, or of random draws. At which
    step somebody stopped it, who watched, is the model's word, which proves nothing.
    """
    statement = "the same fit, done again, ends at this answer (largest difference, relative)"
    names, halted = set(names), False
    try:
        again = fitted_again(model, *data, to_the_end=True, **named)
        halted = _says_halted(model) and (again is None or apart_from(model, again, data[0], names) > AGAIN)
        if halted:
            again, statement = fitted_again(model, *data, **named), statement + HALTED
    except TooManySteps:
        statement += f"; not done again for more than {MOST_STEPS} steps, fit with a smaller budget"
        return Claim.disclosure(id, statement, stated_steps(model))._replace(open=True)
    if again is None:
        return Claim.at_most(id, statement, np.inf, AGAIN)
    away = apart_from(model, again, data[0], names)
    claim = Claim.at_most(id, statement, away, AGAIN)
    if claim.holds:
        return claim._replace(open=halted)
    if in_another_order(model, data[0]):
        return claim._replace(statement=statement + REORDERED, open=True)
    return claim._replace(open=away <= sway(model, again, names, *data, to_the_end=not halted, **named))


def in_another_order(model: Any, X: Any) -> bool:
    """Whether the rows are not in the order of the fit, of a model that knows it."""
    order = order_of(X)
    return vars(model).get("_order", order) != order


def order_of(X: Any) -> int | None:
    """A mark of the rows in their order, by some of them: in another order the same fit may begin elsewhere.

    Learners whose answer does not hang on the order otherwise keep it, and whoever alters it gains that nothing is
    asserted. None for what is no table in memory.

    >>> X = np.arange(6.0).reshape(3, 2)
    >>> order_of(X) == order_of(X.copy()), order_of(X) == order_of(X[::-1])
    (True, False)
    """
    if issparse(X) or is_streamed(X) or not (isinstance(X, np.ndarray) or hasattr(X, "iloc")):
        return None
    some = np.asarray(getattr(X, "iloc", X)[:: max(1, len(X) // MARKED)])
    return crc32(repr(some.tolist()).encode() if some.dtype.hasobject else np.ascontiguousarray(some).tobytes())


def _says_halted(model: Any) -> bool:
    """Whether the model says at which step its fit was stopped."""
    told = vars(model).get("_began")
    return isinstance(told, dict) and isinstance(told.get("stopped"), int)


def goes_on(model: Any) -> bool:
    """Whether the model says that its fit went on from another answer, as a warm start does."""
    told = vars(model).get("_began")
    return isinstance(told, dict) and bool(model._start_among(told.get("start") or {}))


def fitted_again(model: Any, *data: Any, to_the_end: bool = False, **named: Any) -> Any | None:
    """The same problem fitted anew, from what the model says it began with; None where the fit fails.

    `to_the_end` says whether it goes to its own end, whatever the model says of a step at which it was stopped.

    None, too, where it goes on for far more steps than the model says it took, whatever budget its parameters name: it
    ends elsewhere.
    """
    again = clone(model)
    vars(again).pop("_skl_callbacks", None)
    if "verbose" in vars(again):
        again.verbose = False
    told = vars(model).get("_began")
    began = {"seeds": vars(model).get("seeds_")} | (told if isinstance(told, dict) else {})
    stopped = None if to_the_end else began.get("stopped")
    steps = stopped if isinstance(stopped, int) else 2 * _steps_taken(model, began) + MORE_STEPS
    taken = min(steps, MOST_STEPS)
    again._begin_as(began | {"stopped": taken})
    with warnings.catch_warnings(), config_context(certificates=False, checkpoint=None):
        warnings.simplefilter("ignore")
        try:
            again._fit_as_judged(*data, **named)
        except Exception:  # what cannot be solved excuses no answer
            return None
    if str(again.status_) == "stopped" and vars(again).pop("_went", taken) >= taken:
        if steps > MOST_STEPS:
            raise TooManySteps
        return again if stopped == steps else None
    return again


def _steps_taken(model: Any, began: dict[str, Any]) -> int:
    """Those of all starts and functions of the fit, as it kept them."""
    steps = began.get("steps")
    return steps if isinstance(steps, int) else stated_steps(model)


def stated_steps(model: Any) -> int:
    """The most steps that the fitted numbers tell of: their longest list or array, or the largest count `n_…_`.

    A fit keeps a number of each step (a loss, a member, a node), or how many there were.
    """
    attributes = {name: vars(model)[name] for name in fitted(vars(model))}
    counts = [np.asarray(value) for name, value in attributes.items() if name.startswith("n_")]
    counted = [int(count.max()) for count in counts if count.dtype.kind in "iu" and count.size]
    return max([_longest(value) for value in attributes.values()] + counted, default=0)


def _longest(value: Any) -> int:
    """
    >>> [_longest(value) for value in (7, np.zeros((3, 9)), [np.zeros(4), 5], {"a": (1, 2, 3, 4, 5)}, "words")]
    [0, 3, 4, 5, 0]
    """
    if isinstance(value, np.ndarray):
        return len(value) if value.ndim else 0
    if isinstance(value, dict):
        return _longest(list(value.values()))
    return max(len(value), *map(_longest, value), 0) if isinstance(value, list | tuple) else 0


def sway(model: Any, again: Any, names: set[str], *data: Any, to_the_end: bool = False, **named: Any) -> float:
    """How far from the answer of `again` the same fit may end on a machine that rounds otherwise, relatively.

    Columns and targets are stretched by a trifle, each by its own: that rounds every sum otherwise, and no two cells of
    a column change their order.
    """
    random = digest_generator(*(part for part in data if isinstance(part, np.ndarray) and part.dtype.kind == "f"))
    try:
        other = fitted_again(model, *(_stretched(part, random) for part in data), to_the_end=to_the_end, **named)
    except TooManySteps:
        other = None
    if other is None:
        return np.inf
    return ROUNDED_OTHERWISE * max(answer_apart(again, other, names), said_apart(again, other, data[0]))


def _stretched(values: Any, random: np.random.Generator) -> Any:
    if isinstance(values, list | tuple):
        return [_stretched(part, random) for part in values]
    if not (isinstance(values, np.ndarray) or issparse(values)) or values.dtype.kind != "f" or len(values.shape) > 2:
        return values
    factors = 1.0 + STRETCH[max(4, min(8, values.dtype.itemsize))] * random.uniform(1.0, 2.0, values.shape[1:])
    return (values.multiply(factors).tocsr() if issparse(values) else values * factors).astype(values.dtype)


def answer_apart(model: Any, again: Any, names: set[str] | None = None) -> float:
    """The largest relative difference between the fitted attributes (those of these names) of two fits of a class."""
    own, other = ({name: vars(each)[name] for name in fitted(vars(each))} for each in (model, again))
    for attributes in (own, other):
        for name in list(attributes):
            if name in ("status_", "certificate_") or (names is not None and name not in names):
                del attributes[name]
    return apart(own, other)


def apart_from(model: Any, again: Any, X: Any, names: set[str] | None = None) -> float:
    """How far an answer is from that of the fit done again, in its attributes and, where these agree, in what it says.

    An altered answer is not asked for predictions: numbers that lead nowhere could end the process.
    """
    away = answer_apart(model, again, names)
    return max(away, said_apart(model, again, X)) if away <= AGAIN else away


def said_apart(model: Any, again: Any, X: Any) -> float:
    """The largest difference of what two regressors predict, relative to how far the predictions of `again` spread.

    An intercept far from zero hides, relative to its own size, what moves every prediction beyond all others. Rounding
    of predictions counts as `AGAIN`.
    """
    if not is_regressor(model):
        return 0.0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one, two = (np.asarray(each.predict(X), dtype=float) for each in (model, again))
    except Exception:  # an altered answer may fail in any way
        return np.inf
    if one.shape != two.shape:
        return np.inf
    rounding = RESOLVED * float(np.finfo(float).eps) * np.abs(two).max(axis=0, initial=0.0)
    with np.errstate(all="ignore"):
        away = np.abs(one - two).max(axis=0, initial=0.0) / np.maximum(two.std(axis=0) + rounding / AGAIN, _TINY)
    return float(np.max(away)) if np.isfinite(away).all() else np.inf


def apart(one: Any, two: Any) -> float:
    """The largest relative difference of two fitted attributes, whatever they are made of; infinite if of another make.

    >>> apart({"a": [1.0, 2.0]}, {"a": [1.0, 2.5]}), apart({"a": [1.0, 2.0]}, {"a": [1.0]})
    (0.2, inf)
    >>> words = np.array(["no", "yes"])
    >>> apart(words, words.astype(object)), apart(words, words[::-1].astype(object))
    (0.0, inf)
    """
    if issparse(one) or issparse(two):  # rows may be kept as they came, and come in another form
        one, two = (part.toarray() if issparse(part) else part for part in (one, two))
    if isinstance(one, dict) and isinstance(two, dict):
        keys = one.keys() - _MARKS
        return _worst(map(one.get, keys), map(two.get, keys)) if keys == two.keys() - _MARKS else np.inf
    if isinstance(one, list | tuple) and isinstance(two, list | tuple):
        return _worst(one, two) if len(one) == len(two) else np.inf
    numbers = np.ndarray | np.generic | float | int
    if isinstance(one, numbers) and isinstance(two, numbers):
        one, two = np.asarray(one), np.asarray(two)
        if one.dtype.kind == two.dtype.kind == "f":
            return _numbers_apart(one, two)
        if "O" in (one.dtype.kind, two.dtype.kind) and one.ndim:  # words may be objects in one and not in the other
            return _worst(one.ravel().tolist(), two.ravel().tolist()) if one.shape == two.shape else np.inf
        if one.dtype.names and one.dtype == two.dtype:
            return _worst(map(one.__getitem__, one.dtype.names), map(two.__getitem__, one.dtype.names))
        return 0.0 if one.dtype.kind == two.dtype.kind and np.array_equal(one, two) else np.inf
    if type(one) is not type(two):
        return np.inf
    if isinstance(one, BaseEstimator):
        return max(answer_apart(one, two), kept_apart(vars(one), vars(two)))
    if hasattr(one, "__dict__"):
        return apart(vars(one), vars(two))
    if isinstance(state := one.__getstate__(), dict):  # compiled code tells what it holds when it is pickled
        return apart(state, two.__getstate__())
    return 0.0 if one == two else np.inf


def _numbers_apart(one: np.ndarray, two: np.ndarray) -> float:
    """The largest difference of an entry, relative to its own size: entries of several columns have several units.

    Smaller ones are as exact as rounding of the largest leaves them.

    >>> print("%.1g" % _numbers_apart(np.array([1e6, 0.0, 1.1]), np.array([1e6, 1e-6, 1.0])))
    0.1
    """
    value = reported("", "", one, two, AGAIN).value
    if not 0.0 < value <= AGAIN:
        return value if np.isfinite(value) else np.inf
    known = np.isfinite(two)
    size, eps = np.abs(two[known]).astype(float), max(float(np.finfo(each.dtype).eps) for each in (one, two))
    least = min(1.0, RESOLVED * eps / AGAIN) * float(size.max())
    return float(np.max(np.abs(one[known].astype(float) - two[known]) / np.maximum(size, max(least, _TINY))))


def kept_apart(own: dict[str, Any], other: dict[str, Any]) -> float:
    """The same for what two models keep beside their answers, parameters say: some predict by numbers of theirs."""
    kept = [(own[name], other[name]) for name in own.keys() & other.keys() - _MARKS if name not in fitted(own)]
    told = [(a, b) for a, b in kept if isinstance(a, _TOLD) or isinstance(b, _TOLD) or _holds_members(a)]
    return max((apart(a, b) for a, b in told), default=0.0)


def _holds_members(value: Any) -> bool:
    """Whether this is a fitted part, or a list that holds some, as that of a pipeline or the trees of a boosting do."""
    if isinstance(value, list | tuple):
        return any(map(_holds_members, value))
    return isinstance(value, BaseEstimator) or type(value).__name__ == "TreePredictor"


def _worst(some: Iterable[Any], others: Iterable[Any]) -> float:
    return max(map(apart, some, others), default=0.0)
