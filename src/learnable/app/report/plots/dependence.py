"""Partial dependence: the mean prediction as one column is set to each of its values."""

import math

import numpy as np
from markupsafe import Markup

from learnable.app.report.plots.svg import ACCENT, INK, blank, drawing, inline, settle
from learnable.app.report.words import percent, short, tick
from learnable.app.result import Dependence, LearnResult

LONGEST_LEVELS = 8


def dependence(result: LearnResult) -> list[tuple[Markup, str]]:
    """One picture a column, with its caption, on a common scale."""
    found = [one for one in result.dependences if all(map(math.isfinite, one.mean))]
    if not found:
        return []
    low, high = min(min(one.low) for one in found), max(max(one.high) for one in found)
    room = 0.06 * (high - low) or 1.0
    dates = {column.name for column in result.table.columns if column.kind == "date"}
    made = []
    for number, one in enumerate(found):
        with drawing():
            figure, axes = blank(250, 180, left=48, right=8, top=8, bottom=42)
            if one.levels:
                places = np.arange(len(one.levels))
                axes.vlines(places, one.low, one.high, color=ACCENT, linewidth=2)
                axes.plot(places, one.mean, "o", color=ACCENT, markersize=6)
                room_for = max(3, 26 // len(one.levels))
                axes.set_xticks(places, [short(level, room_for) for level in one.levels])
                axes.set_xlim(-0.5, len(places) - 0.5)
            else:
                axes.fill_between(one.at, one.low, one.high, color=ACCENT, alpha=0.18, linewidth=0)
                axes.plot(one.at, one.mean, color=ACCENT)
                axes.locator_params(axis="x", nbins=4)
                if one.column in dates:
                    axes.locator_params(axis="x", nbins=3)
                    axes.xaxis.set_major_formatter(lambda value, _: str(np.datetime64(int(value), "D"))[:7])
                else:
                    axes.xaxis.set_major_formatter(lambda value, _: tick(value))
            axes.set_ylim(low - room, high + room)
            axes.locator_params(axis="y", nbins=4)
            axes.yaxis.set_major_formatter(_share if one.output else _number)
            settle(axes, short(one.column, 30))
            axes.xaxis.label.set_color(INK)
            made.append((inline(figure, f"dependence{number}", told(result, one)), told(result, one)))
    return made


def _share(value: float, _: int) -> str:
    return percent(round(value, 4))


def _number(value: float, _: int) -> str:
    return tick(value)


def told(result: LearnResult, one: Dependence) -> str:
    """From where to where the prediction goes."""
    what = f"the probability of {short(one.output, 24)}" if one.output else short(result.target, 30)
    least, most = int(np.argmin(one.mean)), int(np.argmax(one.mean))
    dates = any(column.name == one.column and column.kind == "date" for column in result.table.columns)
    at = [str(np.datetime64(int(value), "D")) if dates else tick(float(f"{value:.3g}")) for value in one.at]
    where = one.levels or at

    def shown(value: float) -> str:
        if not one.output:
            return tick(float(f"{value:.3g}"))
        rare = max(one.mean) < 0.1
        return percent(float(f"{value:.2g}")) if rare else f"{100 * value:.0f}%"

    return (
        f"{short(one.column, 30)}: mean prediction of {what} from {shown(one.mean[least])} at "
        f"{short(where[least], 20)} to {shown(one.mean[most])} at {short(where[most], 20)}"
    )
