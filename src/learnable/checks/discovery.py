"""Finding the public estimators of the house, so that none has to be listed."""

from importlib import import_module
from inspect import isabstract, isclass
from pkgutil import iter_modules

import learnable


def all_estimators() -> list[tuple[str, type]]:
    """(name, class) of every public estimator, found in the `__all__` of the rooms, sorted by name.

    >>> "Lasso" in dict(all_estimators())
    True
    """
    from learnable.base import Learner

    found = {}
    for room in iter_modules(learnable.__path__, "learnable."):
        if not room.ispkg or room.name.rpartition(".")[2].startswith("_") or room.name in _NOT_FAMILIES:
            continue
        module = import_module(room.name)
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if isclass(thing) and issubclass(thing, Learner) and not isabstract(thing):
                found[name] = thing
    return sorted(found.items())


# Rooms without estimators, skipped so that finding the learners does not import the whole house.
_NOT_FAMILIES = frozenset(
    f"learnable.{room}"
    for room in ("app", "base", "certificates", "checks", "films", "lab", "problems", "rows", "solvers", "trace")
)
