"""AdaBoost: the weight of each row is what it still has to learn."""

import numpy as np

from learnable.films.marks import bars, plane
from learnable.films.registry import Picture, Shot, draws
from learnable.films.surfaces import classifies_numbers, rows_of, share, surface, wrong


@draws("solvers.ensembles.ada_boost.AdaBoostState", when=classifies_numbers)
def boosting_weights(shot: Shot) -> Picture:
    """Rows as large as the weight that the next round gives them."""
    model, stage = shot.model, shot.stage
    alpha = np.asarray(model.estimator_weights_, dtype=float)
    missed = wrong(shot)
    size = None
    if hasattr(model, "margins_"):
        weight = np.exp(-np.asarray(model.margins_) * np.abs(alpha).sum())
        weight /= weight.mean()
        size = np.clip(np.sqrt(weight[stage.shown]), 0.3, 3.0)
    panel = plane(
        "Rows as large as their weight in the next round; rings mark mistakes", *stage.plane.names, stage.plane.box,
        [surface(shot), rows_of(shot, ring=missed, size=size)], note=stage.notes(),
    )  # fmt: skip
    newest = np.where(np.arange(len(alpha)) == len(alpha) - 1, 1, 0)
    votes = bars(
        "The vote of each round", [f"round {k + 1}" for k in range(len(alpha))][-12:], alpha[-12:], newest[-12:]
    )
    return Picture([panel, votes], f"After {len(alpha)} rounds {share(missed)} rows are given another class.")
