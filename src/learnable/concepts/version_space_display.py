"""A version space as a picture: S at the bottom, G at the top, one line for each step of generality."""

from typing import Any

from learnable.concepts.conjunction import Conjunction
from learnable.concepts.version_space import VersionSpace


class VersionSpaceDisplay:
    """The lattice of a version space; hypotheses with the same number of constraints share a level.

    Parameters
    ----------
    space : VersionSpace
    most : int, default=40
        Hypotheses up to which all are drawn; beyond it only the boundaries are, and up to `most` members of G.

    Attributes
    ----------
    figure_, ax_ : of the last plot.

    Examples
    --------
    >>> from learnable.concepts import ANY, Attributes, Conjunction, VersionSpace
    >>> table = Attributes(("sky", "wind"), (("sun", "rain"), ("weak", "strong")))
    >>> space = VersionSpace(table, Conjunction(("sun", "weak")), (Conjunction((ANY, ANY)),))
    >>> display = VersionSpaceDisplay(space)
    >>> [[str(h) for h in level] for level in display.levels()]
    [['<?, ?>'], ['<?, weak>', '<sun, ?>'], ['<sun, weak>']]
    >>> len(display.edges())
    4
    """

    def __init__(self, space: VersionSpace, most: int = 40):
        if most < 1:
            raise ValueError(f"VersionSpaceDisplay(most={most}): most must be >= 1")
        self.space, self.most = space, most

    @property
    def complete(self) -> bool:
        """Whether every hypothesis is drawn."""
        return self.space.size <= self.most

    def levels(self) -> list[list[Conjunction]]:
        """The hypotheses drawn, most general level first."""
        if self.complete:
            shown = list(self.space.hypotheses())
        else:
            shown = [*self.space.general[: self.most], self.space.specific]
        by_constraints: dict[int, list[Conjunction]] = {}
        for hypothesis in dict.fromkeys(shown):
            # ∅ is below everything, also below what asks every attribute for a value.
            depth = hypothesis.n_constrained + int(hypothesis.is_empty)
            by_constraints.setdefault(depth, []).append(hypothesis)
        return [by_constraints[depth] for depth in sorted(by_constraints)]

    def edges(self) -> list[tuple[Conjunction, Conjunction]]:
        """(more general, more specific) pairs of hypotheses drawn with none of those drawn between them."""
        shown = [hypothesis for level in self.levels() for hypothesis in level]
        pairs = [(a, b) for a in shown for b in shown if a.strictly_more_general_than(b)]
        related = set(pairs)
        return [(a, b) for a, b in pairs if not any((a, c) in related and (c, b) in related for c in shown)]

    def plot(self, ax: Any = None) -> "VersionSpaceDisplay":
        """Draw on `ax`, or on a new figure."""
        from learnable.evaluation.displays.style import (
            BLUE,
            FAINT,
            GREEN,
            INK,
            MUTED,
            SMALL,
            TEXT,
            axes_or_new,
            label_text,
        )

        levels, edges = self.levels(), self.edges()
        widest = max(len(level) for level in levels)
        length = max(len(str(hypothesis)) for level in levels for hypothesis in level)
        figure, ax = axes_or_new(
            ax, height=1.2 + 0.75 * len(levels), width=min(max(6.0, 0.085 * (length + 4) * widest), 24.0)
        )
        # Text of size s is some 0.0085 s inches a letter; on narrow axes of the caller it shrinks so that labels fit.
        room = ax.get_window_extent().width / figure.dpi / widest
        size = min(SMALL, max(3.0, room / (0.0085 * (length + 2))))
        spot = _places(levels, edges)
        for upper, lower in edges:
            (x0, y0), (x1, y1) = spot[upper], spot[lower]
            ax.plot([x0, x1], [y0, y1], color=MUTED, linewidth=0.8, linestyle="-" if self.complete else ":", zorder=1)
        for hypothesis, (x, y) in spot.items():
            general, specific = hypothesis in self.space.general, hypothesis == self.space.specific
            colour = BLUE if specific else GREEN if general else FAINT
            box = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": colour, "linewidth": 1.2}
            ax.text(
                x,
                y,
                label_text(str(hypothesis)),
                ha="center",
                va="center",
                fontsize=size,
                color=INK,
                bbox=box,
                zorder=2,
            )
        ax.set(xlim=(0, 1), ylim=(-len(levels) + 0.4, 0.6))
        ax.set_axis_off()
        ax.set_title(self._title(), fontsize=TEXT, color=INK)
        for name, colour, x in (("G, most general", GREEN, 0.0), ("S, most specific", BLUE, 0.3)):
            ax.text(x, -0.02, f"■ {name}", color=colour, fontsize=SMALL, transform=ax.transAxes, va="top")
        self.figure_, self.ax_ = figure, ax
        return self

    def _title(self) -> str:
        size = self.space.size
        title = f"version space of {size:,} hypotheses" if size != 1 else "version space of one hypothesis"
        if self.complete:
            return title
        hidden = len(self.space.general) - self.most
        return title + "; only the boundaries are drawn" + (f", {hidden} members of G are not" if hidden > 0 else "")


def _places(
    levels: list[list[Conjunction]], edges: list[tuple[Conjunction, Conjunction]]
) -> dict[Conjunction, tuple[float, float]]:
    """Where each hypothesis is drawn: on its level, in the order of the mean place of what is just above it."""
    above: dict[Conjunction, list[Conjunction]] = {}
    for upper, lower in edges:
        above.setdefault(lower, []).append(upper)
    spot: dict[Conjunction, tuple[float, float]] = {}
    for depth, level in enumerate(levels):
        middle = {h: sum(spot[up][0] for up in above[h]) / len(above[h]) if h in above else 0.5 for h in level}
        for place, hypothesis in enumerate(sorted(level, key=middle.__getitem__)):
            spot[hypothesis] = ((place + 0.5) / len(level), float(-depth))
    return spot
