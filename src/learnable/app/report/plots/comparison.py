"""The comparison matrix: every pair of learners, and whether the folds can tell them apart."""

from markupsafe import Markup

from learnable.app.report.plots.svg import ACCENT, INK, LINE, MUTED, blank, drawing, inline
from learnable.app.report.words import Losses, probability, short
from learnable.app.result import LearnResult

WIDTH = 390
NAME_ROOM = 128
IN_FIGURES = 6  # up to so many learners the cells are wide enough for figures


def comparison(result: LearnResult) -> Markup | None:
    """The lower triangle of pairs; a name on the diagonal stands at the end of its row and the top of its column."""
    if result.comparison is None or len(result.comparison.labels) < 2 or not result.comparison.pairs:
        return None
    from matplotlib.patches import Rectangle

    losses = Losses.of(result)
    labels = result.comparison.labels
    pairs = {(pair.first, pair.second): pair for pair in result.comparison.pairs}
    size = len(labels)
    figures = size <= IN_FIGURES
    cell = min(84, (WIDTH - NAME_ROOM) / (size - 1))
    height = min(cell, 46)
    with drawing():
        figure, axes = blank(WIDTH, height * size + 8, left=2, right=2, top=4, bottom=4)
        axes.set_xlim(0, (WIDTH - 4) / cell)
        axes.set_ylim(size, 0)
        axes.axis("off")
        for row, mine in enumerate(labels):
            bold = "bold" if mine == result.chosen else "normal"
            room = int((WIDTH - row * cell) / 6.5)
            axes.text(
                row + 7 / cell,
                row + 0.5,
                short(mine, min(34, room)),
                va="center",
                color=INK,
                weight=bold,
                fontsize=11.5,
            )
            for column, other in enumerate(labels[:row]):
                sign = 1 if (mine, other) in pairs else -1
                pair = pairs.get((mine, other)) or pairs[other, mine]
                difference = sign * pair.difference.estimate
                face = (ACCENT, 0.2) if pair.different else "none"
                edge = ACCENT if pair.different else LINE
                axes.add_patch(
                    Rectangle((column + 0.05, row + 0.05), 0.9, 0.9, facecolor=face, edgecolor=edge, linewidth=0.9)
                )
                ink = {"color": INK, "weight": "bold"} if pair.different else {"color": MUTED}
                middle = {"ha": "center", "va": "center"}
                if figures:
                    axes.text(column + 0.5, row + 0.32, losses.signed(difference), fontsize=11.5, **ink, **middle)
                    p = probability(pair.p_adjusted)
                    axes.text(column + 0.5, row + 0.7, f"p {p}", fontsize=9.5, color=MUTED, **middle)
                else:
                    verdict = ("+" if difference > 0 else "−") if pair.different else "·"
                    axes.text(column + 0.5, row + 0.5, verdict, fontsize=min(12, cell * 0.6), **ink, **middle)
        different = sum(pair.different for pair in result.comparison.pairs)
        told = f"Comparison matrix of {size} learners: {different} of {len(pairs)} pairs differ; figures in the table"
        return inline(figure, "comparison", told)


def caption(result: LearnResult) -> str:
    """How to read the matrix."""
    assert result.comparison is not None
    unit = ", in percentage points" if result.metric == "error rate" else ""
    reading = (
        f"A cell compares the learner at the end of its row with the one at the top of its column: difference of "
        f"{result.metric}{unit}, above zero when the row is worse"
    )
    if len(result.comparison.labels) <= IN_FIGURES:
        return (
            f"{reading}, and the adjusted p. Filled and bold: the two differ. Empty: the data cannot tell them apart."
        )
    return (
        "A cell compares the learner at the end of its row with the one at the top of its column. Filled: they differ, "
        "+ the row has the larger error, − the smaller. A dot: the data cannot tell them apart."
    )
