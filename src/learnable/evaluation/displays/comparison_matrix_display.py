"""All pairs of learners in one square: differences below the diagonal, adjusted p-values above."""

from typing import Any

import numpy as np

from learnable.evaluation.comparison import Comparison
from learnable.evaluation.displays.style import (
    FAINT,
    INK,
    MUTED,
    SMALL,
    TEXT,
    WIDTH,
    axes_or_new,
    label_text,
    short_names,
)


class ComparisonMatrixDisplay:
    """Below the diagonal: score of the column (better) minus score of the row; above: Holm-adjusted p of that pair.

    Colour is the size of the difference; bold figures mark pairs that differ at alpha. Columns are numbered as rows.

    Parameters
    ----------
    comparison : a `Comparison` of at least two learners.

    Attributes
    ----------
    names : best first.
    differences : |mean difference| of every pair, symmetric. p_adjusted : likewise, 1 on the diagonal.
    figure_, ax_ : of the last plot.

    >>> folds = {"tree": [0.90, 0.93, 0.88], "stump": [0.70, 0.66, 0.71]}
    >>> display = ComparisonMatrixDisplay.from_comparison(Comparison.from_scores(folds, n_train=200, n_test=100))
    >>> display.differences.round(3).tolist()
    [[0.0, 0.213], [0.213, 0.0]]
    """

    def __init__(self, comparison: Comparison):
        if len(comparison.names) < 2:
            raise ValueError(f"ComparisonMatrixDisplay: {len(comparison.names)} learner(s); a pair needs at least 2")
        self.names = list(comparison.ranking)
        n = len(self.names)
        self.differences = np.zeros((n, n))
        self.p_adjusted = np.ones((n, n))
        self.different = np.zeros((n, n), dtype=bool)
        self.alpha = comparison.alpha
        self.metric = comparison.metric
        place = {name: i for i, name in enumerate(self.names)}
        for pair in comparison.pairs:
            i, j = place[pair.first], place[pair.second]
            for a, b in ((i, j), (j, i)):
                self.differences[a, b] = abs(pair.difference.estimate)
                self.p_adjusted[a, b] = pair.p_adjusted
                self.different[a, b] = pair.different

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> "ComparisonMatrixDisplay":
        """From `compare` or `Comparison.from_scores`."""
        return cls(comparison)

    def plot(self, ax: Any = None) -> "ComparisonMatrixDisplay":
        """Draw on `ax`, or on a new figure."""
        from matplotlib.colors import LinearSegmentedColormap

        n = len(self.names)
        names_width = 0.35 + 0.07 * min(24, max(len(name) for name in self.names))
        cell = min(0.62, (WIDTH - names_width - 0.3) / n)
        figure, ax = axes_or_new(ax, height=max(cell * n + 0.95, 1.9))
        # White to a blue light enough for black figures on it.
        shades = LinearSegmentedColormap.from_list("difference", ["#FFFFFF", "#8EC3E6"])
        shown = np.where(np.tril(np.ones((n, n)), -1) > 0, self.differences, np.nan)
        ax.imshow(
            shown, cmap=shades, aspect="auto", vmin=0, vmax=max(float(self.differences.max()), np.finfo(float).tiny)
        )
        size = float(np.clip(22 * cell, 6, TEXT))
        scale, unit = self._unit()
        for i in range(n):
            for j in range(n):
                if i == j:
                    ax.text(j, i, "·", ha="center", va="center", color=MUTED, fontsize=size)
                    continue
                text = (
                    _figure(self.differences[i, j] * scale)
                    if i > j
                    else _p_figure(self.p_adjusted[i, j], narrow=cell < 0.4)
                )
                weight = "bold" if self.different[i, j] else "normal"
                colour = INK if self.different[i, j] else "#4B5563"
                ax.text(j, i, text, ha="center", va="center", fontsize=size, weight=weight, color=colour)
        numbered = [f"{name}  {i + 1}" for i, name in enumerate(short_names(self.names, 24))]
        ax.set_yticks(range(n), labels=numbered, fontsize=SMALL)
        ax.set_xticks(range(n), labels=[str(i + 1) for i in range(n)], fontsize=SMALL)
        ax.xaxis.tick_top()
        ax.tick_params(length=0, colors=INK)
        ax.set_xticks(np.arange(n - 1) + 0.5, minor=True)
        ax.set_yticks(np.arange(n - 1) + 0.5, minor=True)
        ax.grid(which="minor", color=FAINT, linewidth=0.8)
        ax.tick_params(which="minor", length=0)
        ax.spines[:].set_visible(False)
        ax.set_xlabel(
            f"below: difference in {label_text(self.metric)}{unit}\nabove: adjusted p; bold: p ≤ {self.alpha:g}",
            fontsize=SMALL,
            color=INK,
        )
        self.figure_, self.ax_ = figure, ax
        return self

    def _unit(self) -> tuple[float, str]:
        """A power of ten that brings the largest difference between 1 and 1000, so that cells need few characters."""
        largest = float(self.differences.max())
        if largest == 0:
            return 1.0, ""
        power = 3 * int(np.floor(np.log10(largest) / 3))
        return (1.0, "") if power == 0 else (10.0**-power, rf" ($\times 10^{{{power}}}$)")


def _figure(value: float) -> str:
    return f"{value:#.3g}".rstrip(".")


def _p_figure(p: float, narrow: bool) -> str:
    if p > 0.995:
        return "1"
    if narrow or p >= 0.0995:
        return f"{p:.2f}"[1:]
    return "<.001" if p < 0.001 else f"{p:.3f}"[1:]
