"""Which picture belongs to which kind of state; each picture registers itself in a file of `pictures/`."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, NamedTuple

from learnable.films.marks import Panel
from learnable.films.stage import Stage


class Shot(NamedTuple):
    """One moment of a fit, as a picture sees it.

    Attributes
    ----------
    model : the estimator as it would be, had the fit stopped here.
    state : the state of the algorithm.
    stage : what is the same in all frames: the rows that are shown, and the plane they are shown in.
    """

    model: Any
    state: Any
    stage: Stage


class Picture(NamedTuple):
    """Panels, a sentence about this state, and numbers for the trace below."""

    panels: Sequence[Panel]
    caption: str = ""
    numbers: dict[str, float] = {}  # noqa: RUF012  # never modified


Drawing = Callable[[Shot], Picture]


class _Entry(NamedTuple):
    drawing: Drawing
    when: Callable[[Shot], bool] | None


ANY = "any state"
_PICTURES: dict[str, list[_Entry]] = {}


def draws(*kinds: str | type, when: Callable[[Shot], bool] | None = None) -> Callable[[Drawing], Drawing]:
    """Register a function (shot) -> `Picture` for kinds of states.

    Parameters
    ----------
    *kinds : classes of states, or their addresses within `learnable`, e.g. "solvers.linear.perceptron.PerceptronState".
    when : whether it suits a shot; of several that do, the last one with a condition is taken.
    """

    def register(drawing: Drawing) -> Drawing:
        for kind in kinds:
            address = kind if isinstance(kind, str) else address_of(kind)
            _PICTURES.setdefault(address, []).append(_Entry(drawing, when))
        return drawing

    return register


def address_of(kind: type) -> str:
    """Where a class of states is defined.

    >>> from learnable.solvers.unsupervised.lloyd import KMeansState
    >>> address_of(KMeansState)
    'solvers.unsupervised.lloyd.KMeansState'
    """
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("learnable.")


def picture_for(shot: Shot) -> Drawing:
    """The picture of a kind of state; a plain one where nobody has drawn it yet."""
    load_pictures()
    for address in (address_of(type(shot.state)), ANY):
        suited = [entry for entry in _PICTURES.get(address, ()) if entry.when is None or entry.when(shot)]
        # A picture with a condition knows more of the shot than one without.
        suited.sort(key=lambda entry: entry.when is not None)
        if suited:
            return suited[-1].drawing
    raise LookupError(f"no picture for {type(shot.state).__name__}, and none for any state")


def kinds_drawn() -> list[str]:
    """The addresses of all kinds of states that have a picture of their own."""
    load_pictures()
    return sorted(kind for kind in _PICTURES if kind != ANY)


@cache
def load_pictures() -> None:
    package = import_module("learnable.films.pictures")
    for module in iter_modules(package.__path__, "learnable.films.pictures."):
        import_module(module.name)
