"""Lloyd's algorithm: assign every point to its nearest centre, move every centre to the mean of its points.

Every comparison is made; one pass over the rows a step, wherever the rows are. Syllabus: U3.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from learnable.device import DeviceRows
from learnable.rows import Rows
from learnable.solvers.unsupervised import empty_clusters
from learnable.solvers.unsupervised.assignment import cluster_sums, sums_on_device
from learnable.trace import Status


class KMeansState(NamedTuple):
    """Centres and the assignment to them.

    Attributes
    ----------
    objective : J = Σ w ‖x − c‖² over the nearest centres.
    centres : (K, p), about the origin of the fit.
    labels : (n,) nearest centre of each row; None where they are not kept.
    shift : Σ_k ‖x̄_k − c_k‖², the move that the next step makes.
    moved : rows whose label is not that of the step before; −1 where it is not known.
    history : J of this run's steps, this one included.
    restart : number of the run.
    verdict : how the best run ended; None before that.
    """

    objective: float
    centres: np.ndarray
    labels: np.ndarray | None
    shift: float
    moved: int
    history: np.ndarray
    restart: int = 0
    verdict: Status | None = None


def iterates(
    rows: Rows, start: np.ndarray, origin: np.ndarray | None, restart: int = 0, n_jobs: int | None = None,
    on_device: DeviceRows | None = None, device: str = "cpu",
) -> Iterator[KMeansState]:  # fmt: skip
    """The centres after 0, 1, 2, … steps, until they stay where they are.

    Parameters
    ----------
    rows : the data, with or without weights.
    start : (K, p) centres about `origin`.
    origin : what is subtracted from every row, None for nothing.
    on_device : the same rows about `origin`, held on a device; None to sum where `rows` are.
    device : where blocks of `rows` are sent, if not held anywhere.
    """
    centres = np.array(start, dtype=float)
    history: list[float] = []
    while True:
        if on_device is None:
            sums = rows.reduce(partial(cluster_sums, centres=centres, origin=origin, device=device), n_jobs=n_jobs)
        else:
            sums = sums_on_device(on_device, centres)
        filled = sums.masses > 0.0
        following = np.where(filled[:, None], sums.firsts / np.where(filled, sums.masses, 1.0)[:, None], centres)
        if not filled.all():
            following = empty_clusters.refilled(rows, origin, centres, sums, following)
        shift = float(np.sum((following - centres) ** 2))
        history.append(float(sums.inertia))
        yield KMeansState(history[-1], centres, None, shift, -1, np.array(history), restart)
        if shift == 0.0:
            return
        centres = following
