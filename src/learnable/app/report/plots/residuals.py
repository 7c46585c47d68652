"""Residuals against predictions."""

import math

from markupsafe import Markup

from learnable.app.report.plots.svg import blank, drawing, inline, settle
from learnable.app.report.words import count, number, short, tick
from learnable.app.result import LearnResult


def residuals(result: LearnResult) -> Markup | None:
    """True minus predicted value on the held-out rows, with the mean of each part of the range; None when not there."""
    from learnable.evaluation.displays import ResidualDisplay

    points = _points(result)
    if not points:
        return None
    with drawing():
        figure, axes = blank(390, 280, left=62, right=10, top=10, bottom=46)
        ResidualDisplay(*zip(*points, strict=True)).plot(axes)
        axes.collections[0].set_alpha(0.4)
        axes.locator_params(nbins=5)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda value, _: tick(value))
        settle(axes, f"predicted {short(result.target, 30)}", "true − predicted")
        return inline(figure, "residuals", f"Residuals against predictions: {caption(result)}")


def caption(result: LearnResult) -> str:
    """How large the residuals are."""
    sizes = sorted(abs(residual) for _, residual in _points(result))
    half, most = sizes[(len(sizes) - 1) // 2], sizes[math.ceil(0.9 * len(sizes)) - 1]
    means = " Squares: the mean of each part of the range, with its interval." if len(sizes) > 1 else ""
    rows = "rows held out in turn" if result.nested else "held-out rows"
    return (
        f"{count(len(sizes))} {rows}. Half of the predictions are within {number(half)} of the true value, "
        f"nine in ten within {number(most)}.{means}"
    )


def _points(result: LearnResult) -> list[tuple[float, float]]:
    found = result.residuals
    if found is None:
        return []
    pairs = zip(found.predicted, found.residual, strict=True)
    return [(x, r) for x, r in pairs if math.isfinite(x) and math.isfinite(r)]
