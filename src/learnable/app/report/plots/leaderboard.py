"""The leaderboard: the loss of every learner on the held-out rows, with its interval."""

import math

from markupsafe import Markup

from learnable.app.report.plots.svg import ACCENT, INK, MUTED, PAPER, blank, drawing, inline, settle
from learnable.app.report.sentences import rivals
from learnable.app.report.words import Losses, count, percent, short
from learnable.app.result import Interval, LearnResult

WIDTH = 390
ROW = 40
OFF_SCALE = 5.0
_HALO = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5}  # clears the grid behind a text


def leaderboard(result: LearnResult) -> Markup | None:
    """One row a learner: its name and loss above, the dot and the interval below; None when nothing was tested."""
    from learnable.evaluation.displays import LeaderboardDisplay

    board = _board(result)
    if not board:
        return None
    losses = Losses.of(result)
    together = {result.chosen, *rivals(result)[0]}
    low, high = _reach(board)
    with drawing():
        figure, axes = blank(WIDTH, ROW * len(board) + 48, left=6, right=6, top=6, bottom=42)
        LeaderboardDisplay(list(board), list(board.values())).plot(axes)  # type: ignore[arg-type]
        axes.set_xlim(low, high)
        axes.set_ylim(len(board) - 0.72, -0.72)
        axes.set_yticks([])
        axes.locator_params(axis="x", nbins=5)
        axes.xaxis.set_major_formatter(lambda value, _: losses.tick(value))
        settle(axes, f"{result.measure} on held-out rows")
        for lines in axes.collections:
            lines.set(color=[ACCENT if label in together else MUTED for label in board], alpha=None)
        for row, (label, interval) in enumerate(board.items()):
            weight = "bold" if label == result.chosen else "normal"
            above = {"y": row - 0.32, "transform": axes.get_yaxis_transform(), "weight": weight, "bbox": _HALO}
            axes.text(0, s=short(label, 40), ha="left", color=INK, **above)
            axes.text(
                1, s=losses.show(interval.estimate), ha="right", color=INK if label in together else MUTED, **above
            )
            if label not in together:
                axes.plot(interval.estimate, row, "o", markersize=7, mfc=PAPER, mec=MUTED, mew=1.8)
            if interval.high > high:
                color = ACCENT if label in together else MUTED
                axes.plot(high, row, ">", color=color, markersize=7, clip_on=False)
                if interval.low > high:  # nothing of it is in the picture but the shaft of the arrow
                    axes.plot([0.9, 1], [row, row], color=color, linestyle=":", transform=axes.get_yaxis_transform())
        if result.chosen in board:
            axes.axvline(board[result.chosen].estimate, color=ACCENT, linewidth=0.9, linestyle=(0, (3, 3)), zorder=0.5)
        told = "; ".join(f"{short(label)} {losses.ranged(interval)}" for label, interval in board.items())
        return inline(figure, "leaderboard", f"Leaderboard, {result.measure} on held-out rows: {told}")


def caption(result: LearnResult) -> str:
    """What the picture shows."""
    board = _board(result)
    level = next(iter(board.values())).level
    _, end = _reach(board)
    beyond = [short(label) for label, interval in board.items() if interval.estimate > end]
    arrow = " Arrow: the interval goes on further right." if any(i.high > end for i in board.values()) else ""
    if beyond:
        others = f" and {len(beyond) - 1} more lie" if len(beyond) > 1 else " lies"
        arrow = f" Arrow: {beyond[0]}{others} further right, at the figure written above it."
    return (
        f"Dot: {result.measure} on {count(result.test_rows)} held-out rows; line: its {percent(level)} interval. "
        f"Further left is better. Filled dots: the chosen learner and those that cannot be told apart from it.{arrow}"
    )


def _board(result: LearnResult) -> dict[str, Interval]:
    """Label -> loss of the learners that can be drawn."""
    return {
        one.label: result.shown(one.test) for one in result.learners if one.test and math.isfinite(one.test.estimate)
    }


def _reach(board: dict[str, Interval]) -> tuple[float, float]:
    """The stretch of losses to draw: all of them, unless one is so far off that the others would be squeezed.

    From the smallest loss upwards, the first that is more than `OFF_SCALE` times all before it lies outside, and
    so do those after it and what reaches as far.
    """
    ends = [end for i in board.values() for end in (i.low, i.estimate, i.high) if math.isfinite(end)]
    low, high = min(ends), max(ends)
    best, *others = sorted(board.values(), key=lambda interval: interval.estimate)
    near = best.high if math.isfinite(best.high) else best.estimate
    for interval in others:
        if interval.estimate > OFF_SCALE * near:
            break
        near = max(near, interval.estimate)
    if 0 < OFF_SCALE * near < high:
        drawn = [i.high for i in board.values() if i.estimate <= near and i.high <= OFF_SCALE * near]
        high = max([near, *drawn])
    span = high - low or abs(high) or 1.0
    # A little below zero, so that a dot on it is whole.
    return (max(-0.02 * span, low - 0.06 * span) if low >= 0 else low - 0.06 * span), high + 0.06 * span
