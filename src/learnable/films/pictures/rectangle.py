"""The tightest box around the positive examples."""

import numpy as np

from learnable.films.marks import boxes, plane
from learnable.films.registry import Picture, Shot, draws
from learnable.films.stage import box_around
from learnable.films.surfaces import rows_of


@draws("concepts.rectangle_learner.BoxState", when=lambda shot: shot.stage.X is not None)
def rectangle(shot: Shot) -> Picture:
    """The box in the first two columns; in one column it is an interval."""
    model, stage = shot.model, shot.stage
    assert stage.X is not None
    low, high = np.asarray(model.low_, dtype=float), np.asarray(model.high_, dtype=float)
    p = stage.X.shape[1]
    at = (
        stage.X[stage.shown][:, :2] if p > 1 else np.column_stack([stage.X[stage.shown, 0], np.zeros(len(stage.shown))])
    )
    corners = [low[0], high[0], *((low[1], high[1]) if p > 1 else (-0.5, 0.5))]
    newest = shot.state.example
    ring = stage.shown == newest
    note = f"the box has {p} sides; the first two are drawn" if p > 2 else ""
    x, y = (*stage.names, "")[:2]
    drawn = rows_of(shot, ring=ring) | {"x": at[:, 0], "y": at[:, 1]}
    panel = plane("The tightest box; the ring marks the row that enlarged it", x, y, box_around(at),
                  [drawn, boxes([corners], [1])], note=note)  # fmt: skip
    said = "The box is empty." if newest < 0 else f"Row {newest} enlarged the box."
    return Picture([panel], said, {"positive examples to come": float(shot.state.objective)})
