"""What the user asked for."""

from dataclasses import dataclass
from typing import Any, Literal

Prefer = Literal["accuracy", "simple", "fast", "interpretable"]


@dataclass(frozen=True)
class Options:
    """What the user asked for; see `learnable learn --help`.

    `data` is a path, "-", the name of an embedded table, or a data frame. `test_size` None means: a fifth of the rows,
    or nested cross-validation where the rows are few. `memory` in GiB: a file that would take more is read in blocks.
    `learner` names the learners to try, by label or class; empty means all that suit the task.
    `dask` is the address of a scheduler on whose cluster the panel is tuned and judged. Without `times` the result
    does not say how long things took, so that the same seed gives the same bytes.
    """

    data: Any = None
    target: str | None = None
    task: Literal["classification", "regression", "counts"] | None = None
    test_size: float | None = None
    seed: int = 0
    jobs: int = 1
    time_limit: float | None = None
    ordered: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    learner: tuple[str, ...] = ()
    metric: str | None = None
    prefer: Prefer = "accuracy"
    cost: tuple[str, ...] = ()
    class_weight: str | None = None
    time: str | None = None
    group: str | None = None
    weight: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    memory: float | None = None
    dask: str | None = None
    times: bool = True
