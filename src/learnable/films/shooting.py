"""Shooting a film: states in, frames out. A frame is the model at one state, its picture, its claims, its numbers."""

import copy
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from learnable.certificates import Certificate
from learnable.certificates.core.certify import certificate_of
from learnable.films.frames import Film, Frame
from learnable.films.marks import six_digits
from learnable.films.registry import Picture, Shot, picture_for
from learnable.films.stage import Stage
from learnable.trace import Status, Step

# Quantities of states that are shown below the picture, the first ones first; counts only where they are named here.
_FIRST = ("objective", "relative_gap", "gap", "margin", "violation", "gradient_norm", "mistakes", "wrong", "error")
_COUNTS = frozenset({"mistakes", "wrong", "n_support", "moved"})
_NO_TRACE = frozenset(
    {"coef", "intercept", "last_intercept", "offset", "theta", "singular", "total", "rate", "t", "noise"}
)
_MOST = 4


class Reel:
    """Which of the steps are kept: every one, then every 2nd, 4th, 8th, …, so that there are never more than `limit`.

    >>> reel = Reel(3)
    >>> for number in range(1, 10):
    ...     if reel.takes(number):
    ...         reel.keep(number, number)
    >>> reel.kept, reel.stride
    ([1, 5, 9], 4)
    """

    def __init__(self, limit: int):
        self.limit, self.stride = limit, 1
        self.kept: list[Any] = []
        self._numbers: list[int] = []

    def takes(self, number: int) -> bool:
        return (number - 1) % self.stride == 0

    def keep(self, number: int, frame: Any) -> None:
        self.kept.append(frame)
        self._numbers.append(number)
        while len(self.kept) > self.limit:
            self.stride *= 2
            chosen = [i for i, at in enumerate(self._numbers) if self.takes(at)]
            self.kept = [self.kept[i] for i in chosen]
            self._numbers = [self._numbers[i] for i in chosen]

    def close(self, number: int, frame: Any) -> None:
        """The last step is kept whatever its number."""
        if not self._numbers or self._numbers[-1] != number:
            self.kept.append(frame)
            self._numbers.append(number)


def film(watching: Any, *, frames: int = 200, rows: int = 400, title: str | None = None,
         names: Sequence[str] | None = None) -> Film:  # fmt: skip
    """A film of a fit: its picture, its claims and its trace, state by state.

    Each frame shows the model as it would be, had the fit stopped at that state, with the certificate of that answer.
    The last frame is the fitted model. Long runs are thinned: every step is kept, or every 2nd, 4th, 8th, …, so that
    there are at most `frames` of them, and always the last one. Of a large table evenly spaced rows are drawn.

    Parameters
    ----------
    watching : what `learnable.watch(model, X, y)` returns; usually written `watch(model, X, y).film()`.
    frames : how many frames there are at most.
    rows : how many rows are drawn at most; the fit and its claims are always about all of them.
    title : of the page; the name of the estimator by default.
    names : of the columns; those of the data frame by default.

    Returns
    -------
    Film

    Examples
    --------
    >>> from learnable import watch
    >>> from learnable.datasets import toeplitz_regression
    >>> from learnable.sparse import Lasso
    >>> X, y, *_ = toeplitz_regression(60, 8, support=3, noise=0.5, random_state=0)
    >>> film = watch(Lasso(alpha=0.1), X, y).film()
    >>> film.frames[-1].verdict, film.html().startswith("<!doctype html>")
    ('proved', True)
    """
    return shoot(watching, frames=frames, rows=rows, title=title, names=names).film


class Shooting(NamedTuple):
    """A film, and what it was shot with: whoever alters the answer afterwards can take one more frame of it."""

    film: Film
    camera: "Camera"
    last: Step


def shoot(watching: Any, *, frames: int = 200, rows: int = 400, title: str | None = None,
          names: Sequence[str] | None = None, seen: Callable[[int], None] | None = None) -> Shooting:  # fmt: skip
    """As `film`; `seen` is called with the number of each step."""
    if frames < 2:
        raise ValueError(f"film(frames={frames}): a film has at least 2 frames")
    if rows < 1:
        raise ValueError(f"film(rows={rows}): at least 1 row is drawn")
    reel, last, camera = Reel(frames - 1), None, None
    for step in watching:
        camera = Camera(watching, rows, names) if camera is None else camera
        last = step
        if seen is not None:
            seen(step.number)
        if reel.takes(step.number):
            reel.keep(step.number, camera.frame(step))
    if camera is None or last is None:
        raise RuntimeError("the algorithm ended without a single state")
    last = last._replace(status=last.status or watching.fitting.ended)
    ended = camera.frame(last)
    if reel.kept and reel.kept[-1].step == last.number:
        reel.kept[-1] = ended
    else:
        reel.close(last.number, ended)
    thinned = "" if reel.stride == 1 else f"every {_ordinal(reel.stride)} of {last.number} states, and the last one"
    made = Film(title or type(watching.model).__name__, reel.kept, camera.model, thinned)
    return Shooting(made, camera, last)


def _ordinal(power: int) -> str:
    """2nd, 4th, 8th, …: powers of two end in 2, 4, 6 or 8.

    >>> [_ordinal(power) for power in (2, 4, 32, 512)]
    ['2nd', '4th', '32nd', '512th']
    """
    return f"{power}nd" if power % 10 == 2 and power % 100 != 12 else f"{power}th"


class Camera:
    """Turns steps into frames.

    Attributes
    ----------
    model : the estimator at the last step that was shot.
    data : what the fit and its certificate are about.
    stage : the rows that are shown, and the plane they are shown in.
    """

    def __init__(self, watching: Any, rows: int, names: Sequence[str] | None = None):
        self._posed, self._fitting, self._threads = watching.model, watching.fitting, watching.threads
        self.data = self._fitting.data
        self.stage = Stage(self._posed, self.data, rows, names)
        self.model: Any = None

    def frame(self, step: Step) -> Frame:
        with warnings.catch_warnings(), self._threads():
            warnings.simplefilter("ignore")  # what an unfinished answer may say is said by its claims
            self.model = self._at(step)
            return Frame.of(
                step.number, None if step.status is None else self.model.status_, self.model.certificate_,
                self.picture(step.state), _numbers_of(step.state),
            )  # fmt: skip

    def picture(self, state: Any) -> Picture:
        """The picture of a state, with the model as it is at that state."""
        shot = Shot(self.model, state, self.stage)
        return Picture(*six_digits(list(picture_for(shot)(shot))))

    def _at(self, step: Step) -> Any:
        """The estimator as `fit` would leave it, had it stopped at this step."""
        model = copy.copy(self._posed)
        for name, value in self._fitting.attributes(step.state).items():
            setattr(model, name, value)
        if self._fitting.counts_steps:
            model.n_iter_ = step.number
        model.status_ = step.status or Status.STOPPED
        try:
            model.certificate_ = certificate_of(model, *self._fitting.data)
        except (ValueError, TypeError, ArithmeticError):  # an answer on its way may be none that can be judged
            model.certificate_ = Certificate(type(model).__name__, ())
        if step.status is not None:
            model._admit_failure()
        return model


def _numbers_of(state: Any) -> dict[str, float]:
    """The quantities of a state that are numbers."""
    found = {}
    for name in _in_order(name for name in state._fields if name not in _NO_TRACE):
        value = getattr(state, name)
        if name in _FIRST and isinstance(value, np.ndarray) and value.size == 1:
            value = value.item()
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if isinstance(value, float | np.floating) or (whole and name in _COUNTS):
            found[name] = six_digits(float(value))
    return dict(list(found.items())[:_MOST])


def _in_order(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))
