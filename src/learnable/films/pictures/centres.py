"""k-means: centres, and the rows that belong to them."""

import numpy as np

from learnable.films.marks import plane, points
from learnable.films.registry import Picture, Shot, draws
from learnable.films.surfaces import rows_of, surface


@draws(
    "solvers.unsupervised.lloyd.KMeansState",
    "solvers.unsupervised.mini_batch.MiniBatchState",
    when=lambda shot: hasattr(shot.model, "cluster_centers_") and shot.stage.X is not None,
)
def centres(shot: Shot) -> Picture:
    """Crosses are centres; colours are what is nearest to each."""
    model, stage = shot.model, shot.stage
    at = stage.plane.onto(np.asarray(model.cluster_centers_, dtype=float))
    labels = np.asarray(model.labels_)
    panel = plane(
        "Centres and their clusters", *stage.plane.names, stage.plane.box,
        [surface(shot), rows_of(shot, group=labels[stage.shown]), points(at, np.arange(len(at)), shape="cross")],
        note=stage.notes("crosses are the projected centres" if stage.plane.note else ""),
    )  # fmt: skip
    restart = getattr(shot.state, "restart", 0)
    again = f" Start {restart + 1}." if restart else ""
    return Picture([panel], f"The rows are {model.inertia_:.5g} away from their centres, in squares.{again}")
