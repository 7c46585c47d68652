"""The reliability diagram: predicted probability against what happened."""

from markupsafe import Markup

from learnable.app.plots.svg import blank, drawing, inline, settle
from learnable.app.report_words import count, percent, short
from learnable.app.result import LearnResult


def calibration(result: LearnResult) -> Markup | None:
    """Observed frequency of the positive class by predicted probability, with intervals; None when not there."""
    from learnable.evaluation.displays import CalibrationDisplay

    curve = result.calibration
    if curve is None or not any(curve.counts):
        return None
    with drawing():
        figure, axes = blank(360, 360, left=50, right=10, top=10, bottom=46)
        CalibrationDisplay(curve.predicted, curve.observed, curve.counts).plot(axes)  # type: ignore[arg-type]
        axes.set_aspect("equal")
        ticks = [0, 0.25, 0.5, 0.75, 1]
        axes.set_xticks(ticks, [percent(tick) for tick in ticks])
        axes.set_yticks(ticks, [percent(tick) for tick in ticks])
        settle(axes, f"predicted probability of {short(curve.positive, 30)}", "observed frequency")
        return inline(figure, "calibration", f"Calibration: {caption(result)}")


def caption(result: LearnResult) -> str:
    """How many of the bins agree with the diagonal."""
    curve = result.calibration
    assert curve is not None
    agree = sum(o.low <= p <= o.high for p, o in zip(curve.predicted, curve.observed, strict=True))
    fewest, most = min(curve.counts), max(curve.counts)
    size = count(most) if fewest == most else f"{count(fewest)} to {count(most)}"
    rows = "Rows held out in turn" if result.nested else "Held-out rows"
    return (
        f"{rows} in {len(curve.counts)} bins of {size}. In {agree} of {len(curve.predicted)} bins the "
        f"{percent(curve.observed[0].level)} interval (upright line) meets the dashed line of perfect calibration."
    )
