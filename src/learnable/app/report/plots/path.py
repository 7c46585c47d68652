"""The path of the setting: cross-validated loss by the parameter that was tuned, with the one-standard-error rule."""

import math
from typing import Any

from markupsafe import Markup

from learnable.app.report.plots.svg import ACCENT, LINE, SECOND, blank, drawing, inline, settle
from learnable.app.report.words import Losses, number, short, tick
from learnable.app.result import Interval, LearnResult


def path(result: LearnResult) -> Markup | None:
    """Loss with intervals by the tuned parameter; None when one number was not tuned over three values or more."""
    found = points(result)
    if found is None:
        return None
    parameter, values, losses = found
    shown = Losses.of(result)
    with drawing():
        figure, axes = blank(390, 250, left=58, right=12, top=10, bottom=46)
        axes.vlines(values, [one.low for one in losses], [one.high for one in losses], color=ACCENT, alpha=0.45)
        axes.plot(values, [one.estimate for one in losses], "o-", color=ACCENT, markersize=5)
        if min(values) > 0 and max(values) > 20 * min(values):
            axes.set_xscale("log")
            axes.minorticks_off()
            if max(values) > 1e6 * min(values):
                axes.locator_params(axis="x", numticks=5)  # a label for every decade would run into the next
        best, simple = best_and_simple(result)
        axes.axvline(best, color=SECOND, linewidth=1.2, linestyle=(0, (3, 3)))
        if simple != best:
            axes.axvline(simple, color=LINE, linewidth=1.4, linestyle=(0, (1, 2)))
        axes.locator_params(axis="y", nbins=5)
        axes.xaxis.set_major_formatter(lambda value, _: tick(float(f"{value:.3g}")))
        axes.yaxis.set_major_formatter(lambda value, _: shown.tick(value))
        settle(axes, short(parameter, 30), result.measure)
        return inline(figure, "path", f"Path of the setting: {caption(result)}")


def caption(result: LearnResult) -> str:
    found = points(result)
    assert found is not None
    best, simple = best_and_simple(result)
    more = f"; dotted: the strongest penalty within one standard error, {number(simple)}" if simple != best else ""
    return f"Dashed: the setting with the smallest loss over the folds, {short(found[0], 20)} = {number(best)}{more}."


def best_and_simple(result: LearnResult) -> tuple[float, float]:
    """The value of least loss, and the most restrained one within one standard error of it."""
    found = points(result)
    assert found is not None
    parameter, values, losses = found
    at = min(range(len(values)), key=lambda i: losses[i].estimate)
    error = (losses[at].high - losses[at].low) / 2 / 2.262  # the 97.5% point of Student's law with 9 degrees
    near = [value for value, one in zip(values, losses) if one.estimate <= losses[at].estimate + error]
    return values[at], (min(near) if parameter == "C" else max(near))


def points(result: LearnResult) -> tuple[str, list[float], list[Interval]] | None:
    tried: list[dict[str, Any]] = [one for one in result.winner.tuning if one.get("interval")]
    if len(tried) < 3 or any(len(one["params"]) != 1 for one in tried):
        return None
    parameter = next(iter(tried[0]["params"]))
    values = [one["params"].get(parameter) for one in tried]
    if any(not isinstance(value, int | float) or isinstance(value, bool) for value in values):
        return None
    losses = [result.shown(Interval(**one["interval"])) for one in tried]
    if not all(math.isfinite(end) for one in losses for end in (one.low, one.high)):
        return None
    order = sorted(range(len(values)), key=lambda i: values[i])
    return parameter, [float(values[i]) for i in order], [losses[i] for i in order]
