"""How an estimator joins the panel of `learnable learn`: a class attribute, found by walking the rooms."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

Task = Literal["classification", "regression"]


class Entry(NamedTuple):
    """One candidate of the panel: `Estimator(**fixed)` tuned over `grid` by cross-validation.

    An estimator class joins by carrying `panel = (Entry(...), ...)`.

    Attributes
    ----------
    task : "classification" or "regression"; "counts" for a learner that is tried on counts of events only.
    label : name in tables and pictures.
    grid : parameter name -> values to try; empty when there is nothing to tune.
    fixed : parameters that are set and not tuned.
    in_target_units : parameters of the grid that grow with the target; they are multiplied by its standard deviation.
    in_unit : what a setting of the grid becomes for a target of another standard deviation, where that is not all.
    reference : True for the baseline that every other learner must beat.
    most_rows : training rows up to which it is tried; None for a learner whose time grows with the rows alone.
    fewest_rows : training rows from which on it is tried.

    >>> from learnable.panel import Entry
    >>> Entry("regression", "ridge", {"alpha": [0.1, 1.0]}).fixed
    {}
    """

    task: Task | Literal["counts"]
    label: str
    grid: Mapping[str, Sequence[Any]] = {}
    fixed: Mapping[str, Any] = {}
    reference: bool = False
    in_target_units: Sequence[str] = ()
    most_rows: int | None = None
    fewest_rows: int = 0
    in_unit: Callable[[dict[str, Any], float], dict[str, Any]] | None = None

    def suits(self, n_rows: int) -> bool:
        """Whether it is tried on so many training rows."""
        return self.fewest_rows <= n_rows and (self.most_rows is None or n_rows <= self.most_rows)
