"""Predicted against true values."""

from markupsafe import Markup

from learnable.app.report.plots.residuals import _points
from learnable.app.report.plots.svg import ACCENT, SECOND, blank, drawing, inline, settle
from learnable.app.report.words import count, short, tick
from learnable.app.result import LearnResult

MOST_POINTS = 1000


def predicted(result: LearnResult) -> Markup | None:
    """A dot a row, and the line on which prediction and truth agree."""
    points = _points(result)
    points = points[:: len(points) // MOST_POINTS + 1]
    if len(points) < 2:
        return None
    with drawing():
        figure, axes = blank(390, 280, left=62, right=10, top=10, bottom=46)
        said = [x for x, _ in points]
        true = [x + r for x, r in points]
        low, high = min(*said, *true), max(*said, *true)
        axes.plot([low, high], [low, high], color=SECOND, linewidth=1.2, linestyle=(0, (3, 3)))
        axes.plot(said, true, "o", color=ACCENT, markersize=4, alpha=0.4, markeredgewidth=0)
        axes.locator_params(nbins=5)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda value, _: tick(value))
        settle(axes, f"predicted {short(result.target, 30)}", "true")
        return inline(figure, "predicted", f"Predicted against true values. {caption(result)}")


def caption(result: LearnResult) -> str:
    rows = "rows held out in turn" if result.nested else "held-out rows"
    return f"{count(len(_points(result)))} {rows}; on the dashed line prediction and truth agree."
