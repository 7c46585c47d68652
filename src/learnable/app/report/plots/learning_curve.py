"""The learning curve: loss by number of training rows."""

from markupsafe import Markup

from learnable.app.report.plots.svg import ACCENT, SECOND, blank, drawing, inline, settle
from learnable.app.report.words import Losses, count, percent
from learnable.app.result import LearnResult


def learning_curve(result: LearnResult) -> Markup | None:
    """Mean loss on training and on validation rows, with intervals, by number of training rows; None when not there."""
    from learnable.evaluation.displays import LearningCurveDisplay

    curve = result.learning_curve
    if curve is None or len(curve.sizes) < 2:
        return None
    losses = Losses.of(result)
    with drawing():
        figure, axes = blank(390, 270, left=58, right=80, top=12, bottom=46)
        shown = [[result.shown(one) for one in side] for side in (curve.training, curve.validation)]
        LearningCurveDisplay(curve.sizes, *shown).plot(axes)  # type: ignore[arg-type]
        axes.grid(visible=False, axis="x")
        if max(curve.sizes) > 20 * min(curve.sizes) > 0:
            axes.set_xscale("log")
            axes.minorticks_off()
        axes.set_xticks(*_ticks(curve.sizes, axes.get_xscale() == "log"))
        axes.locator_params(axis="y", nbins=5)
        axes.yaxis.set_major_formatter(lambda value, _: losses.tick(value))
        settle(axes, "training rows", result.measure)
        ends = [
            (shown[1][-1].estimate, "validation", ACCENT),
            (shown[0][-1].estimate, "training", SECOND),
        ]
        _label(axes, ends)
        return inline(figure, "learning_curve", f"Learning curve: {caption(result)}")


def caption(result: LearnResult) -> str:
    """The last step of the validation curve and the gap at its end."""
    curve = result.learning_curve
    assert curve is not None
    losses = Losses.of(result)
    before, last = result.shown(curve.validation[-2]), result.shown(curve.validation[-1])
    if last.low <= before.estimate <= last.high:
        verdict = "a step that the folds cannot tell from none"
    else:
        verdict = "so the last rows still helped" if last.estimate < before.estimate else "so it did not fall"
    return (
        f"From {count(curve.sizes[-2])} to {count(curve.sizes[-1])} training rows the validation error went from "
        f"{losses.ranged(before)} to {losses.ranged(last)}, {verdict}. "
        f"On its own training rows the error is {losses.ranged(result.shown(curve.training[-1]))}. "
        f"Brackets and bands are {percent(last.level)} intervals over the folds."
    )


def _label(axes, ends: list[tuple[float, str, str]]) -> None:
    """Names at the ends of the curves, pushed apart when the curves meet."""
    bottom, top = axes.get_ylim()
    gap = 0.075 * (top - bottom)
    (upper, *_), (lower, *_) = ends = sorted(ends, reverse=True)
    push = max(0.0, gap - (upper - lower)) / 2
    for (height, name, color), shift in zip(ends, (push, -push), strict=True):
        axes.annotate(
            name, (1, height + shift), xycoords=axes.get_yaxis_transform(), xytext=(6, 0),
            textcoords="offset points", color=color, va="center", annotation_clip=False,
        )  # fmt: skip


def _ticks(sizes: list[int], log: bool) -> tuple[list[int], list[str]]:
    """The sizes themselves as ticks, leaving out those that would run into their right neighbour."""
    from math import log as ln

    place = [ln(size) if log else float(size) for size in sizes]
    reach = place[-1] - place[0] or 1.0
    kept = [len(sizes) - 1]
    for i in range(len(sizes) - 2, -1, -1):
        if place[kept[0]] - place[i] >= 0.17 * reach:
            kept.insert(0, i)
    return [sizes[i] for i in kept], [count(sizes[i]) for i in kept]
