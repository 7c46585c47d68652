"""The vocabulary of pictures: panels and marks as plain data, which the player knows how to draw.

A panel is a mapping with a `kind`: "plane" (axes with marks on them), "bars", "history" (numbers over the frames so
far), "graph", "cells" (a table of coloured cells) or "table". Numbers are kept to six digits; what is no finite number
becomes None. Groups are small integers that choose a colour; -1 is grey.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

DIGITS = 6
LEVELS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""Signs of the cells of a raster: for scores, from -1 (the first) to 1 (the last); for classes, their numbers."""

Mark = dict[str, Any]
Panel = dict[str, Any]


def six_digits(value: Any) -> Any:
    """Arrays and numbers of NumPy as lists and numbers of Python, to six digits.

    >>> six_digits({"x": np.array([1.0, np.pi, np.nan]), "n": np.int64(3)})
    {'x': [1, 3.14159, None], 'n': 3}
    """
    if isinstance(value, dict):
        return {key: six_digits(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [six_digits(item) for item in value]
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    return _number(float(value))


def _number(value: float) -> float | int | None:
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def plane(
    title: str, x: str, y: str, box: Sequence[float], marks: Sequence[Mark], *, equal: bool = False, note: str = ""
) -> Panel:
    """Axes named `x` and `y` over the box (left, right, bottom, top), with marks drawn in the order given."""
    return {"kind": "plane", "title": title, "x": x, "y": y, "box": list(box), "marks": [m for m in marks if m],
            "equal": equal, "note": note}  # fmt: skip


def points(at: Any, group: Any = None, *, ring: Any = None, size: Any = None, shape: str = "dot") -> Mark:
    """Points (n, 2); `ring` marks some of them, `size` is relative to 1, `shape` is "dot" or "cross"."""
    at = np.asarray(at, dtype=float)
    mark: Mark = {"mark": "points", "x": at[:, 0], "y": at[:, 1], "shape": shape}
    for name, value in (("group", group), ("ring", ring), ("size", size)):
        if value is not None:
            mark[name] = np.asarray(value)
    return mark


def segments(ends: Any, group: Any = None, *, dashed: bool = False, width: float = 1.5) -> Mark:
    """Segments (n, 4): from (x, y) to (x, y); with ends that are no numbers, nothing is drawn."""
    ends = np.asarray(ends, dtype=float).reshape(-1, 4)
    return {"mark": "segments", "ends": ends, "dashed": dashed, "width": width,
            "group": np.zeros(len(ends), int) if group is None else np.asarray(group)}  # fmt: skip


def curve(x: Any, y: Any, group: int = 0, *, dashed: bool = False) -> Mark:
    """A line through points."""
    return {"mark": "curve", "x": np.asarray(x), "y": np.asarray(y), "group": group, "dashed": dashed}


def boxes(corners: Any, group: Any) -> Mark:
    """Rectangles (n, 4): left, right, bottom, top."""
    return {"mark": "boxes", "corners": np.asarray(corners, dtype=float), "group": np.asarray(group)}


def ellipses(centres: Any, covariances: Any, group: Any, scale: float = 2.0) -> Mark:
    """Where the distance by each covariance (2, 2) is `scale`."""
    shapes = []
    for (cx, cy), covariance in zip(np.asarray(centres), np.asarray(covariances)):
        spread, axes = np.linalg.eigh(covariance)
        radii = scale * np.sqrt(np.maximum(spread, 0.0))
        shapes.append([cx, cy, radii[1], radii[0], math.atan2(axes[1, 1], axes[0, 1])])
    return {"mark": "ellipses", "shapes": np.asarray(shapes), "group": np.asarray(group)}


def raster(box: Sequence[float], cells: np.ndarray, palette: str) -> Mark:
    """Coloured cells over a box, from the bottom row up: `palette` "class" for whole numbers, "score" for -1 to 1."""
    if palette == "score":
        cells = np.rint((np.clip(np.nan_to_num(cells), -1.0, 1.0) + 1.0) / 2.0 * (len(LEVELS) - 1))
    signs = np.array(list(LEVELS))[np.clip(cells.astype(int), 0, len(LEVELS) - 1)]
    return {"mark": "raster", "box": list(box), "rows": ["".join(row) for row in signs], "palette": palette}


def trail(x: float, y: float, group: int = 0) -> Mark:
    """A point whose way through the frames so far is drawn as a line."""
    return {"mark": "trail", "x": x, "y": y, "group": group}


def bars(title: str, names: Sequence[str], values: Any, group: Any = None, *, bound: float | None = None,
         note: str = "") -> Panel:  # fmt: skip
    """One horizontal bar a name, and a line at ±`bound` where there is one."""
    values = np.asarray(values, dtype=float)
    return {"kind": "bars", "title": title, "names": list(names), "values": values, "bound": bound, "note": note,
            "group": np.zeros(len(values), int) if group is None else np.asarray(group)}  # fmt: skip


def history(title: str, names: Sequence[str], values: Any, note: str = "") -> Panel:
    """Numbers of this frame; the player draws those of all frames so far as lines."""
    return {"kind": "history", "title": title, "names": list(names), "values": np.asarray(values, dtype=float),
            "note": note}  # fmt: skip


def graph(title: str, at: Any, labels: Sequence[str], edges: Sequence[Sequence[Any]], group: Any = None, *,
          shape: str = "circle", note: str = "") -> Panel:  # fmt: skip
    """Nodes at (n, 2) within the unit square, and edges (from, to, style, group, width).

    Style is "line", "arrow", "dashed" or "faint"; shape is "circle" or "box".
    """
    at = np.asarray(at, dtype=float).reshape(-1, 2)
    return {"kind": "graph", "title": title, "x": at[:, 0], "y": at[:, 1], "labels": list(labels), "shape": shape,
            "edges": [list(edge) for edge in edges], "note": note,
            "group": np.full(len(at), -1) if group is None else np.asarray(group)}  # fmt: skip


def cells(title: str, values: Any, *, texts: Any = None, rows: Sequence[str] = (), columns: Sequence[str] = (),
          arrows: Any = None, note: str = "") -> Panel:  # fmt: skip
    """A matrix of numbers as colours, with texts on them; arrows (n, 4) are row, column, right, down; NaN is a wall."""
    return {"kind": "cells", "title": title, "values": np.asarray(values, dtype=float), "texts": texts or [],
            "rows": list(rows), "columns": list(columns), "arrows": [] if arrows is None else arrows,
            "note": note}  # fmt: skip


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], *, marked: Sequence[int] = (),
          note: str = "") -> Panel:  # fmt: skip
    """A small table of texts; rows in `marked` are set off."""
    return {"kind": "table", "title": title, "columns": list(columns), "rows": [list(row) for row in rows],
            "marked": list(marked), "note": note}  # fmt: skip
