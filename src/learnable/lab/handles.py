"""Handles: what of a picture can be taken by the mouse, and which numbers of the answer move with it."""

from typing import Any

import numpy as np

from learnable.films.stage import Stage
from learnable.lab.tampering import numbers_of

MOST = 60


def handles(model: Any, panels: list[dict[str, Any]], stage: Stage) -> list[dict[str, Any]]:
    """What can be dragged, panel by panel.

    A "point" stands at (x, y) of a plane; moving it by (dx, dy) adds dx·across + dy·up to the numbers it names. A
    "bar" is a coefficient of a panel of bars, a "head" the end of a coefficient's path. A "cut" is a threshold of a
    tree: a line across the plane at one of the two columns. A "line" is a boundary a·x + b·y + c = 0: sliding changes
    c. A "turn" stands on it: the line turns about its middle until it passes through where the handle is, and the
    coefficients follow.
    """
    allowed = {(each["attribute"], each["part"]) for each in numbers_of(model)}
    found: list[dict[str, Any]] = []
    for place, panel in enumerate(panels):
        if panel["kind"] == "plane":
            found += [{"panel": place, **each} for each in _of_plane(model, panel, stage, allowed)]
        elif panel["kind"] in ("bars", "history") and ("coef_", None) in allowed:
            found += [{"panel": place, **each} for each in _coefficients(model, panel)]
    return found


def _coefficients(model: Any, panel: dict[str, Any]) -> list[dict[str, Any]]:
    """Bars, or the ends of paths, of a panel that shows the coefficients."""
    coef = np.asarray(model.coef_)
    if coef.size != len(panel["values"]) or not np.allclose(coef.ravel(), panel["values"], rtol=1e-4, atol=1e-6):
        return []
    return [
        {"kind": "bar" if panel["kind"] == "bars" else "head", "attribute": "coef_", "bar": k,
         "index": [int(i) for i in np.unravel_index(k, coef.shape)], "value": float(coef.ravel()[k])}
        for k in range(min(coef.size, MOST))
    ]  # fmt: skip


def _of_plane(model: Any, panel: dict[str, Any], stage: Stage, allowed: set) -> list[dict[str, Any]]:
    if stage.X is None or (panel["x"], panel["y"]) != tuple(stage.plane.names):
        return []
    found = []
    for name in ("cluster_centers_", "means_", "theta_"):
        centres = vars(model).get(name)
        if (name, None) not in allowed or np.ndim(centres) != 2 or np.shape(centres)[1] != stage.X.shape[1]:
            continue
        at = stage.plane.onto(np.asarray(centres, dtype=float))
        found += [
            {"kind": "point", "attribute": name, "row": k, "at": at[k].tolist(),
             "values": np.asarray(centres)[k].tolist(), "across": stage.plane.axes[0].tolist(),
             "up": stage.plane.axes[1].tolist()}
            for k in range(min(len(at), MOST))
        ]  # fmt: skip
    found += _boundary(model, stage, allowed)
    return found + _cuts(model, stage, allowed)


def _boundary(model: Any, stage: Stage, allowed: set) -> list[dict[str, Any]]:
    """The line between two classes: sliding it changes the intercept, turning it the coefficients as well."""
    assert stage.X is not None
    coef = vars(model).get("coef_")
    if coef is None or np.size(coef) != stage.X.shape[1] or ("intercept_", None) not in allowed:
        return []
    if not hasattr(model, "classes_") or len(model.classes_) != 2:
        return []
    normal = np.ravel(np.asarray(coef, dtype=float))
    intercept = np.asarray(model.intercept_, dtype=float)
    a, b = (stage.plane.axes @ normal).tolist()
    offset = float(intercept.ravel()[0])
    c = offset + float(normal @ stage.plane.origin)
    if a == 0.0 and b == 0.0:
        return []
    slid = {
        "kind": "line",
        "attribute": "intercept_",
        "index": [0] * intercept.ndim,
        "value": offset,
        "line": [a, b, c],
    }
    if ("coef_", None) not in allowed:
        return [slid]
    # A change (da, db) of the normal in the plane is one of da·across + db·up of the coefficients.
    across, up = stage.plane.axes
    index = [[int(i) for i in np.unravel_index(j, np.shape(coef))] for j in range(normal.size)]
    return [slid, {"kind": "turn", "attribute": "coef_", "index": index[0], "indices": index, "values": normal.tolist(),
                   "across": across.tolist(), "up": up.tolist(), "origin": stage.plane.origin.tolist(),
                   "line": [a, b, c], "intercept": slid["index"]}]  # fmt: skip


def _cuts(model: Any, stage: Stage, allowed: set) -> list[dict[str, Any]]:
    """Thresholds of a tree on two columns."""
    assert stage.X is not None
    tree = vars(model).get("tree_")
    if ("tree_", "threshold") not in allowed or stage.X.shape[1] > 2 or not hasattr(tree, "children_left"):
        return []
    inner = np.flatnonzero(np.asarray(tree.children_left) >= 0)[:MOST]
    return [
        {"kind": "cut", "attribute": "tree_", "part": "threshold", "index": [int(node)],
         "axis": int(tree.feature[node]), "value": float(tree.threshold[node])}
        for node in inner
    ]  # fmt: skip
