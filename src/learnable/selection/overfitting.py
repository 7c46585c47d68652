"""Does h overfit? Only if some h' has larger training error and smaller true error."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.evaluation.interval import Interval
from learnable.selection._inputs import require_names, require_vector
from learnable.selection._report import Reported, Table


@dataclass(frozen=True, repr=False, eq=False)
class Overfitting(Reported):
    """For each model of a path its best witness, the h' with larger training and least true error.

    Attributes
    ----------
    names : one for each model.
    training, true : the two errors.
    low, high : ends of the intervals of the true errors (equal to them when they are known exactly).
    witness : index of the witnessing h' for each h, or -1 when h does not overfit within the path.
    proved : whether the witness's interval lies wholly below that of h.
    """

    names: tuple[str, ...]
    training: NDArray
    true: NDArray
    low: NDArray
    high: NDArray
    witness: NDArray
    proved: NDArray

    @property
    def overfits(self) -> NDArray:
        """One truth value a model."""
        return self.witness >= 0

    def table(self) -> Table:
        exact = bool((self.low == self.high).all())
        rows = [
            (
                name,
                self.training[k],
                self.true[k] if exact else f"{self.true[k]:.4g} [{self.low[k]:.4g}, {self.high[k]:.4g}]",
                self.overfits[k],
                self.names[self.witness[k]] if self.overfits[k] else "-",
                self.proved[k] if self.overfits[k] else "-",
            )
            for k, name in enumerate(self.names)
        ]
        header = ("model", "training error", "true error", "overfits", "witness h'", "beyond the intervals")
        return Table("Overfitting", header, rows)


def overfitting(
    training_errors: ArrayLike, true_errors: ArrayLike | Sequence[Interval], *, names: Sequence[str] | None = None
) -> Overfitting:
    """h overfits when some h' has training error > that of h and true error < that of h; the witness is named.

    With true errors known only by intervals, a witness counts by the estimates and is *proved* when its whole interval
    lies below that of h. Syllabus: T25.

    Parameters
    ----------
    training_errors : training error of each model of a path.
    true_errors : true errors, or intervals (`Interval`) for them from held-out data.
    names : names of the models.

    >>> result = overfitting([0.2, 0.1, 0.0], [0.25, 0.15, 0.22], names=["depth 1", "depth 3", "depth 9"])
    >>> [result.names[j] if j >= 0 else None for j in result.witness]
    [None, None, 'depth 3']
    """
    training = require_vector("training_errors", training_errors)
    if isinstance(true_errors, Sequence) and len(true_errors) and all(isinstance(e, Interval) for e in true_errors):
        true, low, high = (np.array([getattr(e, end) for e in true_errors]) for end in ("estimate", "low", "high"))
    else:
        true = require_vector("true_errors", true_errors)
        low = high = true
    if len(training) != len(true):
        raise ValueError(f"training_errors has {len(training)} entries, true_errors {len(true)}; one each per model")
    # witnesses[h, h']: strict on both sides, as the definition has it.
    witnesses = (training[None, :] > training[:, None]) & (true[None, :] < true[:, None])
    best = np.where(witnesses, true[None, :], np.inf).argmin(axis=1)
    witness = np.where(witnesses.any(axis=1), best, -1)
    proved = (witness >= 0) & (high[witness] < low)
    return Overfitting(require_names(names, len(true), "model"), training, true, low, high, witness, proved)
