"""What the user asked for."""

from dataclasses import dataclass, fields
from difflib import get_close_matches
from math import inf
from numbers import Integral, Real
from typing import Any, Literal, get_args

from learnable.app.errors import UserError

Prefer = Literal["accuracy", "simple", "fast", "interpretable"]
Asked = Literal["classification", "regression", "counts"]
LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True)
class Options:
    """What the user asked for; see `learnable learn --help`.

    `data` is a path, "-", the name of an embedded table, or a data frame. `test_size` None means: a fifth of the rows,
    or nested cross-validation where the rows are few. `memory` in GiB: a file that would take more is read in blocks.
    `learner` names the learners to try, by label or class; empty means all that suit the task.
    `dask` is the address of a scheduler on whose cluster the panel is tuned and judged. Without `times` the result
    does not say how long things took, so that the same seed gives the same bytes. With `refit` the model is fitted anew
    on all rows in the end; without it is the one that the rows held out have judged.
    """

    data: Any = None
    target: str | None = None
    task: Asked | None = None
    test_size: float | None = None
    seed: int = 0
    jobs: int = 1
    time_limit: float | None = None
    ordered: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    learner: tuple[str, ...] = ()
    metric: str | None = None
    prefer: Prefer = "accuracy"
    cost: tuple[str, ...] = ()
    class_weight: str | None = None
    time: str | None = None
    group: str | None = None
    weight: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    memory: float | None = None
    dask: str | None = None
    times: bool = True
    refit: bool = False


_SEVERAL = ("ordered", "drop", "learner", "cost")
_NAMES = ("target", "class_weight", "time", "group", "weight", "delimiter", "decimal", "sheet", "dask")
_RANGES = {"test_size": (0, 1), "time_limit": (0, inf), "memory": (0, inf)}


def checked(**given: Any) -> Options:
    """Options that were given from Python; UserError that names the option, what it was and what it may be.

    >>> checked(data="loans", drop="age", seed=3).drop
    ('age',)
    >>> checked(prefer="speed")
    Traceback (most recent call last):
    ...
    learnable.app.errors.UserError: learn(prefer='speed'): choose among accuracy, simple, fast, interpretable
    """
    from learnable.app.judging.metrics import BY_KEY

    known = [one.name for one in fields(Options)]
    for name, value in given.items():
        if name not in known:
            near = get_close_matches(name, known, n=1)
            remedy = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise UserError(f"learn({name}={value!r}): no such option; {remedy}")
    choices = {"task": get_args(Asked), "prefer": get_args(Prefer), "metric": tuple(BY_KEY)}
    for name, may in choices.items():
        value = given.get(name)
        if value not in may and (value is not None or (name == "prefer" and name in given)):
            raise UserError(f"learn({name}={value!r}): choose among {', '.join(may)}")
    for name in _SEVERAL:
        if name in given:
            value = given[name]
            texts = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list | tuple) else (None,)
            if not all(isinstance(one, str) for one in texts):
                raise UserError(f"learn({name}={value!r}): give a text as on the command line, or a list of such")
            given[name] = texts
    for name in _NAMES:
        if not isinstance(given.get(name), str | None):
            raise UserError(f"learn({name}={given[name]!r}): give a text as on the command line")
    for name, (low, high) in _RANGES.items():
        value = given.get(name)
        if value is not None and not (isinstance(value, Real) and low < float(value) < high):
            bounds = f"between {low} and {high}" if high < inf else f"above {low}"
            raise UserError(f"learn({name}={value!r}): give a number {bounds}")
    for name in ("times", "refit"):
        if not isinstance(given.get(name, True), bool):
            raise UserError(f"learn({name}={given[name]!r}): give True or False")
    for name, low, high in (("seed", 0, LARGEST_SEED), ("jobs", 1, inf)):
        value = given.get(name, low)
        if not isinstance(value, Integral) or isinstance(value, bool) or not low <= int(value) <= high:
            raise UserError(f"learn({name}={value!r}): give a whole number from {low} on")
    return Options(**given)
