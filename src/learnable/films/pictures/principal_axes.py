"""Principal components: the axes in which the rows vary most."""

import numpy as np

from learnable.films.marks import bars, plane, segments
from learnable.films.registry import Picture, Shot, draws
from learnable.films.surfaces import rows_of


@draws("solvers.unsupervised.principal_axes.AxesState", when=lambda shot: shot.stage.X is not None)
def principal_axes(shot: Shot) -> Picture:
    """Axes as long as two standard deviations, from the mean; and how much of the variance each explains."""
    model, stage = shot.model, shot.stage
    centre = stage.plane.onto(np.asarray(model.mean_)[None])[0]
    arms = (2.0 * np.sqrt(model.explained_variance_))[:, None] * (np.asarray(model.components_) @ stage.plane.axes.T)
    ends = np.column_stack([centre - arms, centre + arms])[:8]
    panel = plane(
        "Rows and principal axes, two standard deviations each way", *stage.plane.names, stage.plane.box,
        [rows_of(shot), segments(ends, np.arange(len(ends)), width=3.0)], equal=True, note=stage.notes(),
    )  # fmt: skip
    ratio = np.asarray(model.explained_variance_ratio_)
    shares = bars(
        "Share of the variance", [f"axis {k + 1}" for k in range(len(ratio))], ratio, np.arange(len(ratio)) % 8
    )
    return Picture([panel, shares], f"{len(ratio)} axes explain {ratio.sum():.1%} of the variance.")
