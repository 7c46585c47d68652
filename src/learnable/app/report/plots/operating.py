"""ROC and precision–recall curves, and the cost by threshold."""

from markupsafe import Markup

from learnable.app.report.plots.svg import ACCENT, INK, LINE, SECOND, blank, drawing, inline, settle
from learnable.app.report.words import number, percent, short
from learnable.app.result import LearnResult

TICKS = [0, 0.25, 0.5, 0.75, 1]


def roc(result: LearnResult) -> Markup | None:
    """Recall against false alarms, with the threshold in use."""
    found = result.operating
    if found is None:
        return None
    with drawing():
        figure, axes = blank(330, 330, left=52, right=10, top=10, bottom=46)
        axes.plot([0, 1], [0, 1], color=LINE, linewidth=1, linestyle=(0, (3, 3)))
        axes.plot([0, *found.false_positive_rate, 1], [0, *found.recall, 1], color=ACCENT)
        at = _place(result)
        dot = (0.0, 0.0) if at is None else (found.false_positive_rate[at], found.recall[at])
        axes.plot(*dot, "o", color=SECOND, markersize=8)
        _square(axes)
        settle(axes, "false alarms among the others", f"{short(found.positive, 18)} that are found")
        return inline(figure, "roc", f"ROC curve: {roc_caption(result)}")


def precision_recall(result: LearnResult) -> Markup | None:
    """Precision against recall, with the share of the class as what guessing has."""
    found = result.operating
    if found is None:
        return None
    with drawing():
        figure, axes = blank(330, 330, left=52, right=10, top=10, bottom=46)
        axes.axhline(found.share, color=LINE, linewidth=1, linestyle=(0, (3, 3)))
        first = found.precision[0]
        axes.plot([0, *found.recall], [first, *found.precision], color=ACCENT, drawstyle="steps-pre")
        at = _place(result)
        if at is not None:
            axes.plot(found.recall[at], found.precision[at], "o", color=SECOND, markersize=8)
        _square(axes)
        settle(axes, f"{short(found.positive, 18)} that are found", "right among those called")
        return inline(figure, "precision_recall", f"Precision and recall: {precision_caption(result)}")


def cost(result: LearnResult) -> Markup | None:
    """Mean cost a row by threshold; None without costs."""
    found = result.operating
    if found is None or not found.cost:
        return None
    with drawing():
        figure, axes = blank(390, 250, left=56, right=12, top=10, bottom=46)
        axes.plot(found.threshold, found.cost, color=ACCENT)
        axes.axvline(found.chosen, color=SECOND, linewidth=1.2, linestyle=(0, (3, 3)))
        axes.locator_params(nbins=5)
        settle(axes, f"threshold for calling {short(found.positive, 18)}", "mean cost")
        axes.xaxis.label.set_color(INK)
        return inline(figure, "cost", f"Cost by threshold: {cost_caption(result)}")


def roc_caption(result: LearnResult) -> str:
    found = result.operating
    assert found is not None
    at = _place(result)
    finds = "none of them: no row has as much"
    if at is not None:
        alarms = percent(round(found.false_positive_rate[at], 3))
        finds = f"{percent(round(found.recall[at], 3))} of them with {alarms} false alarms"
    return (
        f"Area {number(found.auc.estimate)} [{number(found.auc.low)}, {number(found.auc.high)}]; guessing has 0.5. "
        f"Dot: calling {short(found.positive, 24)} from a probability of {percent(round(found.chosen, 3))} on finds "
        f"{finds}."
    )


def precision_caption(result: LearnResult) -> str:
    found = result.operating
    assert found is not None
    at = _place(result)
    average = found.average_precision
    ends = f" [{number(average.low)}, {number(average.high)}]" if average.low < average.high else ""
    dot = "" if at is None else f" At the dot {percent(round(found.precision[at], 3))} of the calls are right."
    return f"Average precision {number(average.estimate)}{ends}; guessing has {number(found.share)} (dashed).{dot}"


def cost_caption(result: LearnResult) -> str:
    found = result.operating
    assert found is not None
    at = _place(result)
    here = "no row reaches it" if at is None else f"it costs {number(found.cost[at])} a row here"
    return (
        f"Dashed: the threshold {number(found.chosen)} that the costs ask of true probabilities; {here}, the cheapest "
        f"{number(min(found.cost))}."
    )


def _place(result: LearnResult) -> int | None:
    """The last point whose threshold is not below the one in use; None where no row reaches it."""
    assert result.operating is not None
    above = [i for i, value in enumerate(result.operating.threshold) if value >= result.operating.chosen]
    return above[-1] if above else None


def _square(axes) -> None:  # type: ignore[no-untyped-def]
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_aspect("equal")
    axes.set_xticks(TICKS, [percent(value) for value in TICKS])
    axes.set_yticks(TICKS, [percent(value) for value in TICKS])
