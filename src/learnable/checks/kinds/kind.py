"""A kind of learner, and which kind a learner is of."""

from abc import ABC, abstractmethod
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, ClassVar, NamedTuple


class CheckData(NamedTuple):
    """What `fit` is given: a table with or without a target, or whatever the kind is fitted on."""

    X: Any
    y: Any = None


class Kind(ABC):
    """One kind of learner: its data, its outputs.

    Attributes
    ----------
    rank : kinds are asked in this order whether a learner is theirs; the more special first.
    table : whether it is fitted on a table, so that scikit-learn's checks apply.
    """

    rank: ClassVar[int]
    table: ClassVar[bool] = True

    @abstractmethod
    def covers(self, estimator: Any) -> bool:
        """Whether a learner is of this kind."""

    @abstractmethod
    def data(self, estimator: Any, seed: int) -> CheckData:
        """Data on which its certificate must hold."""

    @abstractmethod
    def outputs(self, model: Any, data: CheckData) -> dict[str, Any]:
        """What a user reads off a fitted model: predictions, transformed rows, a plan."""

    @abstractmethod
    def altered(self, data: CheckData) -> CheckData:
        """The same data but for one row."""

    @abstractmethod
    def smaller(self, data: CheckData) -> CheckData:
        """Less of the data."""

    @abstractmethod
    def larger(self, data: CheckData, copies: int) -> CheckData:
        """More of the data, enough for several threads."""

    @abstractmethod
    def spoiled(self, estimator: Any, data: CheckData) -> CheckData:
        """Data that a fit must refuse."""

    @abstractmethod
    def read_only(self, data: CheckData) -> list[CheckData]:
        """The same data in memory that must not be written."""


def kind_of(estimator: Any) -> Kind:
    """The kind of a learner.

    >>> from learnable.linear import Ridge
    >>> from learnable.reinforcement import ValueIteration
    >>> type(kind_of(Ridge())).__name__, type(kind_of(ValueIteration())).__name__
    ('Regressor', 'Planner')
    """
    for kind in _kinds():
        if kind.covers(estimator):
            return kind
    raise TypeError(f"{type(estimator).__name__}: no kind of learner in learnable.checks.kinds covers it")


@cache
def _kinds() -> list[Kind]:
    package = import_module("learnable.checks.kinds")
    for module in iter_modules(package.__path__, "learnable.checks.kinds."):
        import_module(module.name)
    found, waiting = [], [Kind]
    while waiting:
        kind = waiting.pop()
        waiting.extend(kind.__subclasses__())
        if not kind.__abstractmethods__:
            found.append(kind())  # type: ignore[abstract]
    return sorted(found, key=lambda kind: kind.rank)
