"""The reliability diagram: predicted probability against what happened."""

from markupsafe import Markup

from learnable.app.report.plots.svg import blank, drawing, inline, settle
from learnable.app.report.words import count, percent, short
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
        far = reach([*curve.predicted, *(one.high for one in curve.observed)])
        ticks = [far * step / 4 for step in range(5)]
        axes.set_xticks(ticks, [percent(tick) for tick in ticks])
        axes.set_yticks(ticks, [percent(tick) for tick in ticks])
        axes.set_xlim(-0.02 * far, 1.02 * far)
        axes.set_ylim(-0.02 * far, 1.02 * far)
        settle(axes, f"predicted probability of {short(curve.positive, 30)}", "observed frequency")
        return inline(figure, "calibration", f"Calibration: {caption(result)}")


def reach(shares: list[float]) -> float:
    """Where the axes end: a rare class would lie in a corner of the whole square.

    >>> reach([0.01, 0.06]), reach([0.2, 0.41]), reach([0.7])
    (0.08, 0.5, 1.0)
    """
    most = max(shares)
    return next((end for end in (0.04, 0.08, 0.2, 0.5) if most <= end), 1.0)


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
