"""What the checks must know of an estimator beyond its kind; other libraries register theirs the same way."""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, NamedTuple


class Known(NamedTuple):
    """How one estimator is checked.

    Attributes
    ----------
    data : seed -> (X, y) on which the certificate must hold; None for the data of the kind.
    answers : fitted attributes to alter where the ledger names none.
    altered : fitted model -> (what was done, altered copy), for answers that are no arrays of numbers.
    harmless : (attribute, what was done) that gives another way of writing the same answer.
    make : an unfitted estimator, where the defaults alone make none or one that is slow to check.
    copies : how many times over the rows are given where several threads must have work.
    infinite : whether infinite cells are numbers to it.
    """

    data: Callable[[int], tuple] | None = None
    answers: tuple[str, ...] = ()
    altered: Callable[[Any], Iterator[tuple[str, Any]]] | None = None
    harmless: tuple[tuple[str, str], ...] = ()
    make: Callable[[], Any] | None = None
    copies: int = 120
    infinite: bool = False


_KNOWN: dict[str, Known] = {}


def register(estimator: str | type, **known: Any) -> None:
    """Tell the checks about an estimator, by the name of its class or the class itself; see `Known`.

    >>> register("MyEstimator", answers=("centres_",))
    >>> known_of("MyEstimator").answers
    ('centres_',)
    """
    _KNOWN[estimator if isinstance(estimator, str) else estimator.__name__] = Known(**known)


def known_of(name: str) -> Known:
    """What is registered for a class; nothing special if it is not."""
    _load_families()
    return _KNOWN.get(name, Known())


@cache
def _load_families() -> None:
    package = import_module("learnable.checks.families")
    for module in iter_modules(package.__path__, "learnable.checks.families."):
        import_module(module.name)
