"""How much a verifier asks for: cheap claims at the end of a fit, all of them in `certify`, bounds of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class _Effort(NamedTuple):
    thorough: bool = False
    tolerance: float | None = None


_effort: ContextVar[_Effort] = ContextVar("learnable_effort", default=_Effort())  # noqa: B039  (a tuple)


@contextmanager
def asking(*, thorough: bool, tolerance: float | None = None) -> Iterator[None]:
    """Certify within the block with this effort."""
    token = _effort.set(_Effort(thorough, tolerance))
    try:
        yield
    finally:
        _effort.reset(token)


def thorough() -> bool:
    """Whether claims that cost as much as a fit, or more, are wanted: in `certify`, not at the end of a fit."""
    return _effort.get().thorough


def allowed(bound: float) -> float:
    """The library's relative bound, or the one that the verifier gave to `certify(..., tolerance=...)`.

    >>> with asking(thorough=True, tolerance=1e-12):
    ...     allowed(1e-6)
    1e-12
    """
    tolerance = _effort.get().tolerance
    return bound if tolerance is None else tolerance
