"""How an estimator joins the panel of `learnable learn`: a class attribute, found by walking the rooms."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

Task = Literal["classification", "regression"]


class Entry(NamedTuple):
    """One candidate of the panel: `Estimator(**fixed)` tuned over `grid` by cross-validation.

    An estimator class joins by carrying `panel = (Entry(...), ...)`.

    Attributes
    ----------
    task : "classification" or "regression".
    label : name in tables and pictures.
    grid : parameter name -> values to try; empty when there is nothing to tune.
    fixed : parameters that are set and not tuned.
    reference : True for the baseline that every other learner must beat.

    >>> from learnable.panel import Entry
    >>> Entry("regression", "ridge", {"alpha": [0.1, 1.0]}).fixed
    {}
    """

    task: Task
    label: str
    grid: Mapping[str, Sequence[Any]] = {}
    fixed: Mapping[str, Any] = {}
    reference: bool = False
