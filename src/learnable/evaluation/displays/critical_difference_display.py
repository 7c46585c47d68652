"""The critical-difference diagram: learners on a line, bars over those that cannot be told apart."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.evaluation.comparison import Comparison
from learnable.evaluation.dataset_comparison import DatasetComparison
from learnable.evaluation.displays.style import (
    BLUE,
    INK,
    MUTED,
    SMALL,
    TEXT,
    WIDTH,
    axes_or_new,
    label_text,
    short_names,
)

# All in inches, on a drawing WIDTH wide.
MARGIN = 1.8  # room for names on either side of the axis
ROW = 0.22
BAR = 0.11
GAP = 0.2  # between two bars on one level


class CriticalDifferenceDisplay:
    """Learners on one axis, best on the left; a bar joins a maximal group in which no pair differs.

    Parameters
    ----------
    names : learners, best first.
    positions : average rank or mean score of each.
    groups : runs of indices into names.
    critical_difference : length of the ruler above the axis; None when there is no single one.
    label : of the axis.
    ends : values at the left and the right end of the axis; default: the first and the last position.

    Attributes
    ----------
    figure_, ax_ : of the last plot.

    >>> display = CriticalDifferenceDisplay(["a", "b", "c"], [1.2, 1.9, 2.9], [(0, 1), (1, 2)], critical_difference=1.1)
    >>> display.bars()
    [(0, 1, 0), (1, 2, 1)]
    """

    def __init__(
        self,
        names: Sequence[str],
        positions: Sequence[float],
        groups: Sequence[Sequence[int]],
        *,
        critical_difference: float | None = None,
        label: str = "average rank",
        ends: tuple[float, float] | None = None,
    ):
        if len(names) != len(positions) or not len(names):
            raise ValueError(
                f"CriticalDifferenceDisplay: {len(names)} names for {len(positions)} positions; give one each"
            )
        self.names = list(names)
        self.positions = [float(position) for position in positions]
        self.groups = [tuple(group) for group in groups]
        self.critical_difference = critical_difference
        self.label = label
        self.ends = (self.positions[0], self.positions[-1]) if ends is None else ends

    @classmethod
    def from_comparison(cls, comparison: Comparison | DatasetComparison) -> "CriticalDifferenceDisplay":
        """Average ranks with Nemenyi's ruler (`compare_datasets`), or mean scores over folds (`compare`)."""
        place = {name: i for i, name in enumerate(comparison.ranking)}
        groups = [tuple(place[name] for name in group) for group in comparison.groups]
        if isinstance(comparison, DatasetComparison):
            return cls(
                comparison.ranking,
                list(comparison.average_ranks.values()),
                groups,
                critical_difference=comparison.nemenyi.critical_difference,
                label=f"average rank over {len(comparison.datasets)} data sets (1 is best)",
                ends=(1.0, float(len(place))),
            )
        means = [interval.estimate for interval in comparison.means.values()]
        return cls(comparison.ranking, means, groups, label=f"mean {comparison.metric} (best on the left)")

    def bars(self) -> list[tuple[int, int, int]]:
        """(first, last, level) of every group of two or more; overlapping bars lie on different levels."""
        placed: list[tuple[int, int, int]] = []
        for group in sorted(self.groups):
            if len(group) < 2:
                continue
            first, last = group[0], group[-1]
            level = 0
            start = self._x(self.positions[first])
            while any(level == other and start < self._x(self.positions[end]) + GAP for _, end, other in placed):
                level += 1
            placed.append((first, last, level))
        return placed

    def plot(self, ax: Any = None) -> "CriticalDifferenceDisplay":
        """Draw on `ax`, or on a new figure."""
        bars = self.bars()
        n = len(self.names)
        on_left = (n + 1) // 2
        top = -0.2 - BAR * (1 + max((level for *_, level in bars), default=0))
        bottom = top - ROW * on_left - 0.05
        above = 0.6 + (0.3 if self.critical_difference is not None else 0.0)
        figure, ax = axes_or_new(ax, height=above - bottom + 0.1)
        ax.set(xlim=(0, WIDTH), ylim=(bottom, above))
        ax.set_axis_off()
        self._draw_axis(ax)
        if self.critical_difference is not None:
            self._draw_ruler(ax, self.critical_difference)
        for first, last, level in bars:
            left, right = sorted((self._x(self.positions[first]), self._x(self.positions[last])))
            y = -0.13 - BAR * level
            ax.plot([left - 0.04, right + 0.04], [y, y], color=BLUE, linewidth=3.5, solid_capstyle="round")
        labels = short_names(self.names, 22)
        for i, (name, position) in enumerate(zip(labels, self.positions)):
            left_side = i < on_left
            row = i if left_side else n - 1 - i
            y = top - ROW * (row + 0.5)
            x, edge = self._x(position), MARGIN - 0.15 if left_side else WIDTH - MARGIN + 0.15
            ax.plot([x, x, edge], [0, y, y], color=MUTED, linewidth=0.9)
            ax.text(
                edge + (-0.05 if left_side else 0.05),
                y,
                name,
                ha="right" if left_side else "left",
                va="center",
                fontsize=SMALL,
                color=INK,
            )
        self.figure_, self.ax_ = figure, ax
        return self

    def _x(self, value: float) -> float:
        best, worst = self.ends
        if best == worst:
            return WIDTH / 2
        return MARGIN + (WIDTH - 2 * MARGIN) * (value - best) / (worst - best)

    def _draw_axis(self, ax: Any) -> None:
        ax.plot([MARGIN, WIDTH - MARGIN], [0, 0], color=INK, linewidth=1.2)
        for tick, text in self._ticks():
            x = self._x(tick)
            ax.plot([x, x], [0, 0.06], color=INK, linewidth=1.2)
            ax.text(x, 0.09, text, ha="center", va="bottom", fontsize=SMALL, color=INK)
        ax.text(WIDTH / 2, 0.32, label_text(self.label), ha="center", va="bottom", fontsize=TEXT, color=INK)

    def _ticks(self) -> list[tuple[float, str]]:
        """Round values strictly inside the axis and its two ends, where there is room for the text."""
        from matplotlib.ticker import MaxNLocator

        low, high = sorted(self.ends)
        if low == high:
            return [(low, f"{low:.4g}")]
        round_values = MaxNLocator(nbins=4, steps=[1, 2, 5, 10]).tick_values(low, high)
        decimals = max(0, -math.floor(math.log10(round_values[1] - round_values[0]) + 1e-9))
        near = 0.12 * (high - low)
        inner = [tick for tick in round_values if low + near < tick < high - near]
        return [(tick, f"{tick:.{decimals}f}") for tick in [low, *inner, high]]

    def _draw_ruler(self, ax: Any, length: float) -> None:
        best, worst = self.ends
        fits = length <= abs(worst - best)
        start, stop = MARGIN, self._x(best + np.sign(worst - best) * length) if fits else WIDTH - MARGIN
        y = 0.62
        ax.plot([start, stop], [y, y], color=BLUE, linewidth=1.5)
        ax.plot([start, start], [y - 0.04, y + 0.04], color=BLUE, linewidth=1.5)
        if fits:
            ax.plot([stop, stop], [y - 0.04, y + 0.04], color=BLUE, linewidth=1.5)
        note = "" if fits else ", longer than the axis"
        ax.text(start, y + 0.06, f"critical difference {length:.2f}{note}", va="bottom", fontsize=SMALL, color=BLUE)
