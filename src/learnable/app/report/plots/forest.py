"""The forest plot: effects of a linear model with bootstrap intervals."""

import math

from markupsafe import Markup

from learnable.app.report.plots.svg import ACCENT, INK, LINE, MUTED, blank, drawing, inline, settle
from learnable.app.report.words import number, percent, short
from learnable.app.result import Coefficient, LearnResult

MOST = 16
ROW = 26


def forest(result: LearnResult) -> Markup | None:
    """One row a feature, to a scale on which rows can be compared, with its bootstrap interval; None without such."""
    found = shown(result)
    if not found:
        return None
    with drawing():
        figure, axes = blank(390, ROW * len(found) + 52, left=150, right=60, top=6, bottom=44)
        for row, one in enumerate(found):
            assert one.effect is not None
            scale = one.weight / one.effect.estimate if one.effect.estimate and not one.against else 1.0
            low, high = sorted((one.effect.low * scale, one.effect.high * scale))
            color = ACCENT if low > 0 or high < 0 else MUTED
            axes.plot([low, high], [row, row], color=color, linewidth=2.2)
            axes.plot(one.effect.estimate * scale, row, "s", color=color, markersize=5.5)
            share = "" if one.selected is None else percent(round(one.selected, 2))
            beside = {"transform": axes.get_yaxis_transform(), "va": "center", "color": MUTED, "fontsize": 10.5}
            axes.text(1.02, row, share, **beside)
        axes.axvline(0, color=LINE, linewidth=1)
        axes.set_ylim(len(found) - 0.5, -0.5)
        axes.set_yticks(range(len(found)), [short(name(one, result), 22) for one in found])
        axes.locator_params(axis="x", nbins=5)
        settle(axes, "effect of one standard deviation, or of the level")
        axes.tick_params(axis="y", labelcolor=INK)
        told = "; ".join(f"{short(name(one, result))} {one.effect}" for one in found)
        return inline(figure, "forest", f"Effects with intervals: {told}")


def caption(result: LearnResult) -> str:
    """How to read it."""
    output = next((one.output for one in result.coefficients if one.output), "")
    scale = "the log of the mean" if result.counts else short(result.target)
    if result.task == "classification":
        scale = "the log odds"
    several = len({one.output for one in result.coefficients}) > 1
    side = f" Right of the line speaks for {short(output, 24)}." if output and not several else ""
    return (
        f"Change of {scale} per standard deviation of a number, or for a level against the commonest one. Lines: 95% "
        "intervals from the bootstrap; percentages: bootstrap fits in which the weight is not zero. Effects in the "
        f"units of the table stand in the table below.{side}"
    )


def name(one: Coefficient, result: LearnResult) -> str:
    several = len({other.output for other in result.coefficients}) > 1
    return f"{one.output}: {one.feature}" if several and one.output else one.feature


def shown(result: LearnResult) -> list[Coefficient]:
    good = [
        one
        for one in result.coefficients
        if one.effect is not None and all(map(math.isfinite, (one.effect.low, one.effect.high, one.effect.estimate)))
    ]
    return good[:MOST]


def effect_words(one: Coefficient) -> str:
    """The effect in the units of the table.

    >>> effect_words(Coefficient("age", 0.3))
    '—'
    """
    if one.effect is None:
        return "reference" if one.against == "" and "=" in one.feature else "—"
    if not math.isfinite(one.effect.low):
        return number(one.effect.estimate)
    return f"{number(one.effect.estimate)} [{number(one.effect.low)}, {number(one.effect.high)}]"
