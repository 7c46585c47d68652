"""Permutation importance: how much the loss rises when a column is shuffled."""

import math

from markupsafe import Markup

from learnable.app.report.plots.svg import ACCENT, INK, LINE, MUTED, blank, drawing, inline, settle
from learnable.app.report.words import percent, short
from learnable.app.result import Importance, LearnResult

MOST = 15
ROW = 24


def importance(result: LearnResult) -> Markup | None:
    """One row a column, the most important first; None when nothing was measured."""
    found = _shown(result)
    if not found:
        return None
    with drawing():
        figure, axes = blank(390, ROW * len(found) + 52, left=130, right=12, top=6, bottom=44)
        for row, one in enumerate(found):
            clear = one.rise.low > 0
            axes.plot([one.rise.low, one.rise.high], [row, row], color=ACCENT if clear else MUTED, linewidth=2.2)
            axes.plot(one.rise.estimate, row, "o", color=ACCENT if clear else MUTED, markersize=6)
        axes.axvline(0, color=LINE, linewidth=1)
        axes.set_ylim(len(found) - 0.5, -0.5)
        axes.set_yticks(range(len(found)), [short(one.column, 19) for one in found])
        axes.locator_params(axis="x", nbins=4)
        settle(axes, f"rise of {_measure(result)} when shuffled")
        axes.tick_params(axis="y", labelcolor=INK)
        told = "; ".join(f"{short(one.column)} {one.rise}" for one in found)
        return inline(figure, "importance", f"Importance of columns: {told}")


def caption(result: LearnResult) -> str:
    """How to read it, and how many are clear of zero."""
    found = _shown(result)
    clear = sum(one.rise.low > 0 for one in found)
    rows = "rows held out in turn" if result.nested else "held-out rows"
    most = f" The first {len(found)} of {len(result.importances)}." if len(result.importances) > len(found) else ""
    return (
        f"Each column in turn is given to other rows and the loss measured again on {rows}: {clear} of {len(found)} "
        f"columns are clear of zero ({percent(found[0].rise.level)} intervals). Columns that say the same share their "
        f"importance.{most}"
    )


def _measure(result: LearnResult) -> str:
    return result.metric


def _shown(result: LearnResult) -> list[Importance]:
    good = [one for one in result.importances if all(map(math.isfinite, (one.rise.low, one.rise.high)))]
    return good[:MOST]
