"""The panel: every estimator that registered itself for the task, and the baseline that it must beat."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import learnable
from learnable.app.errors import UserError, printable
from learnable.panel import Entry, Task

BLEND = "blend"
"""The label of the blend of several learners."""
QUICK_FIRST = ("linear", "bayes", "trees", "sparse", "ensembles", "kernels", "neural")
"""Families in the order in which they are tried, so that a time limit leaves out as few learners as it can."""
_PANEL = "from learnable.panel import"
_NOT_FAMILIES = frozenset({"app", "base", "certificates", "checks", "problems", "rows", "solvers", "trace", "device"})


class Candidate(NamedTuple):
    """One learner of the panel: an unfitted estimator and the parameter settings to try."""

    name: str
    label: str
    estimator: Any
    settings: list[dict[str, Any]]
    reference: bool
    in_unit: Callable[[dict[str, Any], float], dict[str, Any]] | None = None

    def for_target(self, y: Any) -> "Candidate":
        """With the settings that hang on the units of the target put into its standard deviation."""
        if self.in_unit is None:
            return self
        unit = float(f"{np.std(y) or 1.0:.3g}")
        return self._replace(settings=[self.in_unit(one, unit) for one in self.settings])


def candidates(task: Task, seed: int, counts: bool = False, n_rows: int = 0) -> list[Candidate]:
    """The learners for `task`: the baseline first, then quick families and few settings before others.

    For counts of events the learners of counts join those of quantities. A classifier without probabilities is
    calibrated, so that all can be judged by the same loss. Learners that do not suit `n_rows` training rows, as their
    entries say, are left out.

    An estimator class joins by carrying `panel = (Entry(...), ...)`; see `learnable.panel`.
    """
    found, pace = [_baseline(task)], {}
    for name, kind in members():
        pace[name] = _pace(kind)
        for entry in vars(kind).get("panel", ()):
            if entry.suits(n_rows) and (entry.task == task or (counts and entry.task == "counts")):
                estimator = kind(**entry.fixed)
                if "random_state" in estimator.get_params() and "random_state" not in entry.fixed:
                    estimator.set_params(random_state=seed)
                tried = settings(entry.grid)
                found.append(Candidate(name, entry.label, estimator, tried, entry.reference, _in_unit(entry)))
    if task == "classification":
        found = [_with_probabilities(candidate) for candidate in found]
    found[1:] = sorted(found[1:], key=lambda candidate: (pace[candidate.name], len(candidate.settings)))
    return [_distinct(candidate, found) for candidate in found]


def _pace(kind: type) -> int:
    """The place of a learner's family among `QUICK_FIRST`."""
    family = kind.__module__.split(".")[1]
    return QUICK_FIRST.index(family) if family in QUICK_FIRST else len(QUICK_FIRST)


def chosen_by_name(panel: list[Candidate], names: Sequence[str]) -> list[Candidate]:
    """The baseline and the learners of these labels or class names; all of them if no name is given."""
    if not names:
        return panel
    known = {name.lower() for one in panel if not one.reference for name in (one.label, one.name)}
    for name in names:
        if name.lower() not in known:
            labels = ", ".join(one.label for one in panel if not one.reference)
            raise UserError(f"--learner: no {printable(name)!r} in the panel for this table; it has {labels}")
    asked = {name.lower() for name in names}
    return [one for one in panel if one.reference or asked & {one.label.lower(), one.name.lower()}]


def members() -> list[tuple[str, type]]:
    """(name, class) of every public estimator that carries a panel, sorted by name.

    The files are read as text first, so that only the learners that join are imported.

    >>> "Ridge" in dict(members()), "RidgeCV" in dict(members())
    (True, False)
    """
    found = {}
    for room, module in _files_with_panels():
        public = import_module(f"learnable.{room}").__all__
        for name, kind in vars(import_module(module)).items():
            if isinstance(kind, type) and kind.__module__ == module and "panel" in vars(kind) and name in public:
                found[name] = kind
    return sorted(found.items())


@cache
def _files_with_panels() -> list[tuple[str, str]]:
    """(package of the family, module) of each file that writes a panel."""
    root, found = Path(learnable.__path__[0]), []
    for folder in sorted(root.iterdir()):
        if folder.name.startswith("_") or folder.name in _NOT_FAMILIES or not (folder / "__init__.py").is_file():
            continue
        for file in sorted(folder.rglob("*.py")):
            if _PANEL in file.read_text(encoding="utf-8"):
                found.append((folder.name, ".".join(["learnable", *file.relative_to(root).with_suffix("").parts])))
    return found


def _in_unit(entry: Entry) -> Callable[[dict[str, Any], float], dict[str, Any]] | None:
    """What its settings become for a target of another standard deviation; None where they stay."""
    return partial(_grown, growing=frozenset(entry.in_target_units)) if entry.in_target_units else entry.in_unit


def _grown(setting: dict[str, Any], unit: float, growing: frozenset[str]) -> dict[str, Any]:
    return {key: value * unit if key in growing else value for key, value in setting.items()}


def settings(grid: Any) -> list[dict[str, Any]]:
    """Every combination of the grid's values.

    >>> settings({"a": [1, 2], "b": [3]})
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    >>> settings({})
    [{}]
    """
    return [dict(zip(grid, values)) for values in product(*grid.values())]


def _baseline(task: Task) -> Candidate:
    from sklearn.dummy import DummyClassifier, DummyRegressor

    if task == "classification":
        return Candidate("DummyClassifier", "commonest class", DummyClassifier(strategy="prior"), [{}], True)
    return Candidate("DummyRegressor", "mean", DummyRegressor(), [{}], True)


def _distinct(candidate: Candidate, found: list[Candidate]) -> Candidate:
    """The label alone where it is unique, else with the class's name."""
    if sum(other.label == candidate.label for other in found) == 1:
        return candidate
    return candidate._replace(label=f"{candidate.label} ({candidate.name})")


def _with_probabilities(candidate: Candidate) -> Candidate:
    from learnable.app.trials.calibrated import Calibrated

    if hasattr(candidate.estimator, "predict_proba"):
        return candidate
    return candidate._replace(estimator=Calibrated(candidate.estimator))
