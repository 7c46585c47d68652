"""The bars of the leaderboard: for every learner the difference to the best with its interval, on one scale."""

import math

from markupsafe import Markup

from learnable.app.judging.metrics import of_name
from learnable.app.report.words import difference_words
from learnable.app.result import LearnResult

WIDTH, HEIGHT, PAD = 200.0, 22.0, 6.0
FAR = 4.0


def bars(result: LearnResult) -> dict[str, Markup]:
    """Label -> a small picture; empty without a comparison."""
    if result.comparison is None:
        return {}
    board = {one.label: one for one in result.comparison.best}
    finite = {label: one for label, one in board.items() if _finite(one.difference.low, one.difference.high)}
    if not finite:
        return {}
    high, low = _reach([(one.difference.low, one.difference.estimate, one.difference.high) for one in finite.values()])
    metric = of_name(result.metric)
    made = {}
    for label, one in finite.items():
        found = one.difference
        words = difference_words(found, metric, None) if metric is not None and not metric.root else ""
        told = "the best" if one.other == label else f"difference to the best: {words or _plain(found)}"
        made[label] = _bar(found.low, found.estimate, found.high, low, high, label == result.chosen, told)
    return made


def _reach(ends: list[tuple[float, float, float]]) -> tuple[float, float]:
    """The scale: all intervals, unless one is so far off, to either side, that the others would be squeezed."""
    tops = sorted(high for _, _, high in ends)
    middle = tops[len(tops) // 2]
    far = FAR * max(middle, 1e-300)
    high = min(tops[-1], far)
    low = max(min(0.0, *(low for low, _, _ in ends)), -far)
    return (high, low) if high > low else (low + 1.0, low)


def _bar(start: float, at: float, end: float, low: float, high: float, chosen: bool, told: str) -> Markup:
    def place(value: float) -> float:
        return PAD + (min(max(value, low), high) - low) / (high - low) * (WIDTH - 2 * PAD)

    middle = HEIGHT / 2
    color = "var(--accent)" if chosen else "var(--muted)"
    zero = place(0.0)
    parts = [f'<line x1="{zero:.1f}" x2="{zero:.1f}" y1="0" y2="{HEIGHT:g}" style="stroke:var(--line)"/>']
    if end > start:
        parts.append(
            f'<line x1="{place(start):.1f}" x2="{place(end):.1f}" y1="{middle:g}" y2="{middle:g}" '
            f'style="stroke:{color};stroke-width:3;stroke-linecap:round"/>'
        )
    if at <= high:
        parts.append(f'<circle cx="{place(at):.1f}" cy="{middle:g}" r="4.5" style="fill:{color}"/>')
    if end > high:
        edge = WIDTH - 1
        tip = f"M{edge - 7:g} {middle - 5:g} L{edge:g} {middle:g} L{edge - 7:g} {middle + 5:g} Z"
        parts.append(f'<path d="{tip}" style="fill:{color}"/>')
    if start < low:
        tip = f"M8 {middle - 5:g} L1 {middle:g} L8 {middle + 5:g} Z"
        parts.append(f'<path d="{tip}" style="fill:{color}"/>')
    escaped = Markup.escape(told)
    return Markup(
        f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" class="bar" role="img" aria-label="{escaped}">{"".join(parts)}</svg>'
    )


def _plain(found: object) -> str:
    return str(found)


def _finite(*values: float) -> bool:
    return all(math.isfinite(value) for value in values)
