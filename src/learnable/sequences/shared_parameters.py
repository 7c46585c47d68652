"""Constructors that say only what is their own: what all hidden Markov models share stands in one place."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any


def with_parameters_of(base: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give an ``__init__(self, …, **shared)`` the signature that also has the parameters of the base's constructor.

    scikit-learn reads the parameters of an estimator off this signature, and so does `help`.

    >>> class Base:
    ...     def __init__(self, size=2, *, tol=1e-4): ...
    >>> class Model(Base):
    ...     @with_parameters_of(Base)
    ...     def __init__(self, size=2, *, kind="a", **shared): ...
    >>> str(signature(Model))
    "(size=2, *, kind='a', tol=0.0001)"
    """

    def joined(init: Callable[..., None]) -> Callable[..., None]:
        own = [each for each in signature(init).parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        names = {each.name for each in own}
        inherited = [each for each in signature(base.__init__).parameters.values() if each.name not in names]  # type: ignore[misc]
        annotated: Any = init
        annotated.__signature__ = signature(init).replace(parameters=[*own, *inherited])
        return init

    return joined
