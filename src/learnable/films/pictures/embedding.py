"""Spectral embeddings: rows where a matrix of their likeness puts them."""

import numpy as np

from learnable.films.marks import bars, plane, points
from learnable.films.registry import Picture, Shot, draws
from learnable.films.stage import box_around
from learnable.films.surfaces import rows_of


@draws("solvers.unsupervised.lloyd.KMeansState", when=lambda shot: hasattr(shot.model, "embedding_"))
def spectral(shot: Shot) -> Picture:
    """k-means in the space of the eigenvectors, and what that means for the rows themselves."""
    model, stage = shot.model, shot.stage
    at = np.asarray(model.embedding_)
    # The first eigenvector is nearly constant: the next ones tell the parts apart.
    pair = at[:, [1, 2]] if at.shape[1] > 2 else at[:, [0, min(1, at.shape[1] - 1)]]
    names = ("second eigenvector", "third eigenvector") if at.shape[1] > 2 else ("first eigenvector", "second")
    labels = np.asarray(model.labels_)
    panels = [plane("Rows in the space of the eigenvectors", *names, box_around(pair), [points(pair, labels)])]
    if stage.X is not None and not _square(stage.X):
        marks = [rows_of(shot, group=labels[stage.shown])]
        panels.append(plane("The rows themselves", *stage.plane.names, stage.plane.box, marks, note=stage.notes()))
    values = np.asarray(model.eigenvalues_)
    panels.append(bars("Eigenvalues", [f"{k + 1}" for k in range(len(values))], values))
    return Picture(panels, f"The gap after the eigenvalues in use is {model.eigengap_:.3g}.")


@draws("unsupervised.kernel_pca.KernelState")
def kernel_components(shot: Shot) -> Picture:
    """Rows on the first two kernel principal components."""
    model, stage = shot.model, shot.stage
    scale = np.sqrt(np.maximum(np.asarray(model.eigenvalues_), 0.0))
    at = np.asarray(model.eigenvectors_) * scale
    at = at[:, :2] if at.shape[1] > 1 else np.column_stack([at[:, 0], np.zeros(len(at))])
    shown = (at[stage.shown], stage.group) if len(stage.shown) else (at, None)
    panel = plane("Rows on kernel principal components", "first", "second", box_around(at), [points(*shown)])
    values = np.asarray(model.eigenvalues_)
    shares = bars("Eigenvalues", [f"{k + 1}" for k in range(len(values))], values, np.arange(len(values)) % 8)
    return Picture([panel, shares], f"{values.sum() / model.trace_:.1%} of the trace of the kernel is explained.")


def _square(X: np.ndarray) -> bool:
    return X.shape[0] == X.shape[1]
