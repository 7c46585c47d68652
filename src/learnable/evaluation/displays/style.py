"""What all pictures share: colours that colour-blind readers can tell apart, sizes for a narrow page, safe labels."""

from collections.abc import Sequence
from typing import Any

# Okabe and Ito's colours; the first three differ in lightness too, so they survive a grey print.
BLUE = "#0072B2"
ORANGE = "#E69F00"
GREEN = "#009E73"
VERMILION = "#D55E00"
PURPLE = "#CC79A7"
SKY = "#56B4E9"
PALETTE = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY)
INK = "#222222"
MUTED = "#6B7280"
FAINT = "#E5E7EB"

WIDTH = 6.0  # inches: the width of a phone screen held close, or of a page column
TEXT = 9
SMALL = 8


def axes_or_new(ax: Any, height: float, width: float = WIDTH) -> tuple[Any, Any]:
    """The figure and axes to draw on: the caller's, or new ones of the given size in inches."""
    if ax is not None:
        return ax.figure, ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")


def tidy(ax: Any, *, xlabel: str = "", ylabel: str = "", grid: str = "both") -> None:
    """Two spines, a faint grid behind the data, small readable text."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(MUTED)
    ax.tick_params(labelsize=SMALL, colors=INK)
    ax.grid(True, axis=grid, color=FAINT, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.set_xlabel(label_text(xlabel), fontsize=TEXT, color=INK)
    ax.set_ylabel(label_text(ylabel), fontsize=TEXT, color=INK)


def legend(ax: Any, **options: Any) -> None:
    """A frameless legend with solid markers, also for dots that are nearly transparent."""
    for handle in ax.legend(fontsize=SMALL, frameon=False, **options).legend_handles:
        handle.set_alpha(1.0)


def label_text(name: str) -> str:
    """A user's text as one line, with no part of it read as a formula.

    >>> label_text("cost $x^2$")
    'cost \\\\$x^2\\\\$'
    """
    return " ".join(str(name).split()).replace("$", r"\$")


def short_names(names: Sequence[str], limit: int) -> list[str]:
    """Names of at most `limit` characters, cut in the middle, where they often agree; still all different.

    >>> short_names(["tree", "gradient boosting, depth 3"], 14)
    ['tree', 'gradie… depth 3']
    """
    shortened: list[str] = []
    for name in names:
        short = " ".join(str(name).split())
        if len(short) > limit + 1:
            short = f"{short[: (limit - 1) // 2]}…{short[-(limit - limit // 2) - 1 :]}"
        mark = 2
        unique = short
        while unique in shortened:
            unique = f"{short} ({mark})"
            mark += 1
        shortened.append(unique)
    return [label_text(name) for name in shortened]
