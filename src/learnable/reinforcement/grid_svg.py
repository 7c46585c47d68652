"""Grid worlds as SVG: a cell is shaded by its value and carries the arrows of its actions."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

CELL = 72
MARGIN = 2
LOW, MIDDLE, HIGH = (213, 94, 0), (255, 255, 255), (0, 114, 178)
INK, WALL, LINE = "#222222", "#4B5563", "#9CA3AF"
TURNS = (0, 90, 180, 270)


def draw(
    shape: tuple[int, int],
    cells: Sequence,
    goals: Mapping[tuple[int, int], float],
    values: np.ndarray | None,
    chances: np.ndarray | None,
) -> str:
    """The picture; `values` (S,) and the `chances` (S, 4) of the moves may be missing."""
    rows, columns = shape
    width, height = columns * CELL + 2 * MARGIN, rows * CELL + 2 * MARGIN
    scale = _scale(values, goals)
    inside = set(cells)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'role="img" font-family="sans-serif" text-anchor="middle">',
        f"<title>{escape(f'Grid world of {rows} by {columns} cells')}</title>",
    ]
    for i in range(rows):
        for j in range(columns):
            if (i, j) not in inside:
                parts.append(_square(i, j, WALL))
    for s, (i, j) in enumerate(cells):
        goal = goals.get((i, j))
        number = goal if goal is not None else (None if values is None else float(values[s]))
        parts.append(_square(i, j, _shade(number, scale)))
        x, y = MARGIN + (j + 0.5) * CELL, MARGIN + (i + 0.5) * CELL
        if goal is not None:
            parts.append(_square(i, j, "none", inset=5))
            parts.append(_text(x, y + 5, f"{goal:+.4g}" if goal else "0", 16, _ink(number, scale)))
            continue
        if number is not None:
            parts.append(_text(x, MARGIN + (i + 1) * CELL - 9, _short(number), 13, _ink(number, scale)))
        if chances is not None:
            parts.extend(_arrows(x, y - (9 if number is not None else 0), chances[s], _ink(number, scale)))
    return "".join([*parts, "</svg>"])


def _arrows(x: float, y: float, chances: np.ndarray, ink: str) -> list[str]:
    """An arrow a move, as long as the move is likely."""
    drawn = []
    for turn, chance in zip(TURNS, chances):
        if chance > 0.01:
            tail, tip, head = (12.0, -13.0, 4.5) if chance > 0.99 else (-4.0, -9.0 - 11.0 * float(chance), 3.0)
            drawn.append(
                f'<path transform="translate({x:g} {y:g}) rotate({turn})" d="M0 {tail:g}V{tip:.4g}M{-head:g} '
                f'{tip + 1.3 * head:.4g}L0 {tip:.4g}L{head:g} {tip + 1.3 * head:.4g}" fill="none" stroke="{ink}" '
                'stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>'
            )
    return drawn


def _square(i: int, j: int, fill: str, inset: int = 0) -> str:
    x, y, side = MARGIN + j * CELL + inset, MARGIN + i * CELL + inset, CELL - 2 * inset
    return f'<rect x="{x}" y="{y}" width="{side}" height="{side}" fill="{fill}" stroke="{LINE}" stroke-width="1"/>'


def _text(x: float, y: float, words: str, size: int, ink: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{ink}">{escape(words)}</text>'


def _short(number: float) -> str:
    return f"{number:.3g}" if abs(number) >= 1000 or 0 < abs(number) < 0.001 else f"{number:.4g}"


def _scale(values: np.ndarray | None, goals: Mapping) -> tuple[float, float] | None:
    numbers = [*goals.values(), *([] if values is None else map(float, values))]
    if not numbers:
        return None
    return min(numbers), max(numbers)


def _place(number: float, scale: tuple[float, float]) -> float:
    """Where a number stands between −1 and 1; 0 keeps its place in the middle when there are numbers on both sides."""
    low, high = scale
    if low < 0.0 < high:
        return number / max(-low, high)
    return 0.0 if high == low else (number - low) / (high - low) if high > 0.0 else (number - high) / (high - low)


def _shade(number: float | None, scale: tuple[float, float] | None) -> str:
    if number is None or scale is None:
        return "#FFFFFF"
    place = _place(number, scale)
    end, weight = (HIGH if place >= 0 else LOW), min(abs(place), 1.0)
    red, green, blue = (round(m + (e - m) * weight) for m, e in zip(MIDDLE, end))
    return f"#{red:02X}{green:02X}{blue:02X}"


def _ink(number: float | None, scale: tuple[float, float] | None) -> str:
    dark = number is not None and scale is not None and abs(_place(number, scale)) > 0.6
    return "#FFFFFF" if dark else INK
