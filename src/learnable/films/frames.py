"""A film: frames as plain data, and the page that plays them."""

from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from learnable.certificates import Certificate
from learnable.films.deltas import as_deltas
from learnable.films.marks import six_digits
from learnable.films.page import page
from learnable.films.registry import Picture
from learnable.trace import Status

MOST_BYTES = 2_000_000
"""A page is never larger: a film that would be is thinned once more."""


class Frame(NamedTuple):
    """One state of the algorithm, as plain data.

    Attributes
    ----------
    step : its number, from 1.
    status : how the fit ended; empty while it goes on.
    sentence : what the status means.
    verdict : of the certificate of the answer at this state.
    claims : the claims of that certificate: id, statement, value, bound, verdict.
    panels : the picture, in the words of `learnable.films.marks`.
    caption : a sentence about this state.
    numbers : the trace: objective, gap, margin, …
    """

    step: int
    status: str
    sentence: str
    verdict: str
    claims: list[dict[str, Any]]
    panels: list[dict[str, Any]]
    caption: str
    numbers: dict[str, Any]

    @classmethod
    def of(
        cls, step: int, status: Status | None, certificate: Certificate, picture: Picture, numbers: dict[str, Any]
    ) -> "Frame":
        claims = [
            {"id": claim.id, "statement": claim.statement, "value": claim.value, "bound": claim.bound,
             "verdict": str(claim.verdict)}
            for claim in certificate
        ]  # fmt: skip
        said = "" if status is None else status.explanation
        return cls(
            step, str(status or ""), said, str(certificate.verdict), six_digits(claims), list(picture.panels),
            picture.caption, numbers | picture.numbers,
        )  # fmt: skip


class Film:
    """The run of an algorithm; `watch(model, X, y).film()` makes one.

    Shows itself in notebooks. `save(path)` writes one HTML file that plays offline: play, pause, step, scrub, speed,
    by mouse, keyboard or touch.

    Attributes
    ----------
    title : of the page.
    frames : list of `Frame`; the last one is the fitted model.
    model : the fitted model of the last frame.
    thinned : which states are frames, where not all are; else empty.
    """

    def __init__(self, title: str, frames: list[Frame], model: Any, thinned: str = ""):
        self.title, self.frames, self.model, self.thinned = title, frames, model, thinned

    def data(self) -> dict[str, Any]:
        """The film as plain data, frames as differences (`learnable.films.deltas`); what the player takes."""
        return {
            "title": self.title,
            "thinned": self.thinned,
            "deltas": as_deltas([frame._asdict() for frame in self.frames]),
        }

    def html(self) -> str:
        """The film as one page that loads nothing from elsewhere."""
        film = self
        while len((text := page(film.data())).encode()) > MOST_BYTES and len(film.frames) > 2:
            film = film._thinner()
        return text

    def save(self, path: Any) -> Path:
        """Write the page; returns where."""
        path = Path(path)
        path.write_text(self.html(), encoding="utf-8")
        return path

    def _thinner(self) -> "Film":
        """Every second frame, and the last one."""
        kept = self.frames[::2]
        if kept[-1] is not self.frames[-1]:
            kept = [*kept, self.frames[-1]]
        return Film(self.title, kept, self.model, f"{len(kept)} of {self.frames[-1].step} states, and the last one")

    def _repr_html_(self) -> str:
        # Scripts run in a frame of their own: neither the notebook nor the film can reach into the other.
        return (
            f'<iframe title="{escape(self.title)}: film of the fit" sandbox="allow-scripts" width="100%" height="760" '
            f'style="border:0" srcdoc="{escape(self.html())}"></iframe>'
        )

    def __repr__(self) -> str:
        last = self.frames[-1]
        return f"Film({self.title}: {len(self.frames)} frames, {last.step} states, {last.status}, {last.verdict})"
