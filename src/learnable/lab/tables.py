"""The tables of the lab: examples of every algorithm, tables that ship, files, points drawn by hand."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from learnable.checks.kinds.kind import kind_of
from learnable.checks.registry import known_of
from learnable.datasets import Kind, Table, enjoy_sport, entry, load, names, play_tennis, read_table, xor
from learnable.datasets.csv import read_csv
from learnable.datasets.opening import Unpacked
from learnable.features import TableCoder
from learnable.lab.limits import Limits, Refused

EXAMPLE = "example"


class Given(NamedTuple):
    """What `fit` is given.

    Attributes
    ----------
    X, y : the data; y is None for learners without a target.
    names : of the columns, where the data are a table.
    said : what was done to the table, in a sentence; empty if nothing.
    code : lines of Python that make X and y again.
    lengths : of the sequences that lie one below the other in X; None where it is one, or none.
    """

    X: Any
    y: Any
    names: list[str] | None
    said: str
    code: str
    lengths: Any = None


class Ready(NamedTuple):
    """A small table that is made on the spot."""

    title: str
    task: str
    code: str


# Each is Python that makes X (and y); the page shows the same lines that the lab runs.
READY = {
    "separable clouds": Ready(
        "two clouds that a line separates", "classes",
        "rng = np.random.default_rng(0)\ny = np.arange(80) % 2\n"
        "X = rng.standard_normal((80, 2)) * 0.6 + np.array([[-1.5, -1.0], [1.5, 1.0]])[y]",
    ),
    "overlapping clouds": Ready(
        "two clouds that no line separates", "classes",
        "rng = np.random.default_rng(0)\ny = np.arange(80) % 2\n"
        "X = rng.standard_normal((80, 2)) + np.array([[-0.7, -0.5], [0.7, 0.5]])[y]",
    ),
    "three clouds": Ready(
        "three clouds", "classes",
        "rng = np.random.default_rng(0)\ny = np.arange(120) % 3\n"
        "X = rng.standard_normal((120, 2)) * 0.7 + np.array([[-2.0, -1.0], [2.0, -1.0], [0.0, 2.0]])[y]",
    ),
    "ring": Ready(
        "one class around the other", "classes",
        "rng = np.random.default_rng(0)\ny = np.arange(100) % 2\nangle = rng.uniform(0, 2 * np.pi, 100)\n"
        "radius = np.where(y, 2.2, 0.7) + 0.3 * rng.standard_normal(100)\n"
        "X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])",
    ),
    "line with noise": Ready(
        "one column and a noisy line", "numbers",
        "rng = np.random.default_rng(0)\nX = rng.uniform(-2, 2, (60, 1))\n"
        "y = 1.5 * X[:, 0] - 0.5 + 0.5 * rng.standard_normal(60)",
    ),
    "wave": Ready(
        "one column and a wave", "numbers",
        "rng = np.random.default_rng(0)\nX = rng.uniform(-3, 3, (80, 1))\n"
        "y = np.sin(2 * X[:, 0]) + 0.2 * rng.standard_normal(80)",
    ),
    "sparse regression": Ready(
        "twelve correlated columns, three of which matter", "numbers",
        "from learnable.datasets import toeplitz_regression\n\n"
        "X, y, *_ = toeplitz_regression(80, 12, support=3, noise=0.5, random_state=0)",
    ),
    "causes": Ready(
        "four columns: a and b cause c, c causes d", "rows",
        "rng = np.random.default_rng(3)\na, b, e, f = rng.standard_normal((4, 300))\nc = a + b + 0.5 * e\n"
        "X, y = np.column_stack([a, b, c, c + 0.5 * f]), None",
    ),
    "chain": Ready(
        "a level that jumps now and then, seen through noise", "sequence",
        "rng = np.random.default_rng(2)\nstate = np.cumsum(rng.random(120) < 0.1) % 2\n"
        "X, y = (2.0 * state + 0.5 * rng.standard_normal(120))[:, None], None",
    ),
    "three chains": Ready(
        "three sequences of such levels, one below the other", "sequence",
        "rng = np.random.default_rng(4)\nlengths = np.array([60, 30, 40])\n"
        "state = np.concatenate([np.cumsum(rng.random(n) < 0.1) % 2 for n in lengths])\n"
        "X, y = (2.0 * state + 0.5 * rng.standard_normal(130))[:, None], None",
    ),
    "symbols": Ready(
        "the same, as signs 0 and 1", "sequence",
        "rng = np.random.default_rng(2)\nstate = np.cumsum(rng.random(120) < 0.1) % 2\n"
        "X, y = (2.0 * state + 0.5 * rng.standard_normal(120) > 1.0).astype(int)[:, None], None",
    ),
    "grid world": Ready(
        "eleven cells, a prize and a pit", "process",
        "from learnable.reinforcement import russell_norvig_world\n\n"
        "X, y = russell_norvig_world().mdp.with_discount(0.95), None",
    ),
}  # fmt: skip

TOYS: dict[str, Callable[[], Table]] = {"enjoy_sport": enjoy_sport, "play_tennis": play_tennis}

# The ready table on which an algorithm shows itself best, by name, by room and task, or by task; where the checks of an
# algorithm bring data of their own, it needs them.
_SHOWN_ON = {
    "Perceptron": "overlapping clouds", "classes": "separable clouds", "sparse numbers": "sparse regression",
    "numbers": "line with noise",
    "rows": "three clouds", "words": "enjoy_sport", "process": "grid world", "graphical rows": "causes",
    "KernelRidge": "wave", "KernelRegressor": "wave", "NadarayaWatson": "wave", "SplineRegression": "wave",
    "SVR": "wave", "NuSVR": "wave", "MLPRegressor": "wave", "DecisionTreeRegressor": "wave",
    "GradientBoostingRegressor": "wave", "HistGradientBoostingRegressor": "wave", "RandomForestRegressor": "wave",
    "ExtraTreesRegressor": "wave", "BaggingRegressor": "wave", "SVC": "ring", "KernelPerceptron": "ring",
    "KernelClassifier": "ring", "MLPClassifier": "ring", "AdaBoostClassifier": "overlapping clouds",
    "DecisionTreeClassifier": "ring", "GaussianHMM": "chain", "CategoricalHMM": "symbols", "MarkovChain": "symbols",
    "LinearDiscriminantAnalysis": "three clouds", "GaussianNB": "three clouds", "KMeans": "three clouds",
    "MiniBatchKMeans": "three clouds", "GaussianMixture": "three clouds", "SpectralClustering": "three clouds",
    "AgglomerativeClustering": "three clouds", "KernelPCA": "ring", "FindS": "enjoy_sport",
    "CandidateElimination": "enjoy_sport", "ID3Classifier": "separable clouds", "QLearning": "grid world",
    "RectangleLearner": "separable clouds", "HalfSpaceLearner": "separable clouds", "GammaRegressor": EXAMPLE,
    "PoissonRegressor": EXAMPLE, "SparsePoissonRegressor": EXAMPLE, "MultiTaskLasso": EXAMPLE,
    "Lars": "sparse regression",
}  # fmt: skip


def shown_on(model: Any, task: str) -> str:
    """The table that an algorithm is first offered."""
    name, room = type(model).__name__, type(model).__module__.split(".")[1]
    if name in _SHOWN_ON:
        return _SHOWN_ON[name]
    if known_of(name).data is not None or known_of(name).make is not None:
        return EXAMPLE
    return _SHOWN_ON.get(f"{room} {task}") or _SHOWN_ON.get(task, EXAMPLE)


def listed() -> list[dict[str, Any]]:
    """The tables that need no file, as the page lists them."""
    made = [{"name": EXAMPLE, "title": "an example for this algorithm", "task": "any", "columns": [], "target": ""}]
    made += [
        {"name": name, "title": ready.title, "task": ready.task, "columns": [], "target": ""}
        for name, ready in READY.items()
    ]
    made.append(
        {"name": "xor", "title": "the four corners of a square", "task": "classes", "columns": [], "target": ""}
    )
    for name in names():
        kept = entry(name)
        columns = list(load(name).names)
        made.append({"name": name, "title": kept.about, "task": "table", "columns": columns, "target": kept.target})
    for name, make in TOYS.items():
        columns = list(make().names)
        made.append({"name": name, "title": "fourteen days" if "tennis" in name else "four days", "task": "table",
                     "columns": columns, "target": columns[-1]})  # fmt: skip
    return made


def given(model: Any, task: str, wanted: dict[str, Any], limits: Limits) -> Given:
    """The data that the page asked for: `wanted` has a "name", and for some tables "points", "bytes" or "path"."""
    name = str(wanted.get("name", EXAMPLE))
    if "points" in wanted:
        return _drawn(task, wanted, limits)
    if "bytes" in wanted or "path" in wanted:
        table = uploaded(wanted)
        code = f"from learnable.datasets import read_table\n\ntable = read_table({name!r})"
        return coded(
            table, str(wanted.get("target") or ("" if task == "sequence" else table.names[-1])), task, code, limits
        )
    if name == EXAMPLE:
        return _example(model)
    if name in READY:
        return _ready(READY[name], task)
    if name == "xor":
        X, y = xor()
        return Given(X, y if task != "rows" else None, None, "", "from learnable.datasets import xor\n\nX, y = xor()")
    if name in TOYS:
        table, code = TOYS[name](), f"from learnable.datasets import {name}\n\ntable = {name}()"
    elif name in names():
        table, code = load(name), f"from learnable.datasets import load\n\ntable = load({name!r})"
    else:
        raise Refused(f"there is no table {name!r}", 404)
    if task == "sequence":
        return coded(table, str(wanted.get("target") or ""), task, code, limits)
    target = wanted.get("target") or (entry(name).target if name in names() else table.names[-1])
    return coded(table, str(target), task, code, limits)


def uploaded(wanted: dict[str, Any]) -> Table:
    """A file: its bytes as they came, or the path that the user gave on the command line."""
    try:
        if "path" in wanted:
            return read_table(wanted["path"])
        return read_csv(Unpacked(str(wanted["name"]), wanted["bytes"]))
    except (ValueError, OSError) as fault:
        raise Refused(str(fault)) from fault


def coded(table: Table, target: str, task: str, code: str, limits: Limits) -> Given:
    """A table as an algorithm takes it: numbers standardised, categories as columns of 0 and 1.

    For models of sequences the "target" is the column whose equal neighbouring cells make one sequence; empty for one.
    """
    said, lengths = [], None
    if task == "process":
        raise Refused("this algorithm plans in a decision process, not in a table; choose the grid world")
    if table.n_rows > limits.rows:
        rows = np.linspace(0, table.n_rows - 1, limits.rows).astype(int)
        said.append(f"{limits.rows} of {table.n_rows} rows, evenly spaced")
        code += f"\ntable = table.take(np.linspace(0, table.n_rows - 1, {limits.rows}).astype(int))"
        table = table.take(rows)
    y, features = None, table
    if task in ("classes", "numbers", "words"):
        try:
            column = table.column(target)
        except ValueError as fault:
            raise Refused(str(fault)) from fault
        if task == "numbers" and column.kind is not Kind.NUMBER:
            raise Refused(f"the target {target!r} is no column of numbers; choose another target or a classifier")
        if column.missing.any():
            said.append(f"{column.n_missing} rows without a target are left out")
            table = table.take(~column.missing)
            code += f"\ntable = table.take(~table.column({target!r}).missing)"
            column = table.column(target)
        y, features = column.values, table.drop(target)
        code += f"\ny, features = table.column({target!r}).values, table.drop({target!r})"
        if task == "classes" and len(np.unique(y.astype(str))) > 50:
            raise Refused(f"the target {target!r} has more than 50 classes; choose another target or a regression")
        y = y.astype(str) if y.dtype == object else y
        code += "\ny = y.astype(str) if y.dtype == object else y"
    elif task == "sequence" and target:
        try:
            lengths = table.column(target).run_lengths
        except ValueError as fault:
            raise Refused(str(fault)) from fault
        features = table.drop(target)
        said.append(f"{len(lengths)} sequences, by {target}")
        code += f"\nlengths = table.column({target!r}).run_lengths\ny, features = None, table.drop({target!r})"
    else:
        code += "\ny, features = None, table"
    if task == "words":
        X = np.column_stack([column.values.astype(object) for column in features.columns])
        code += "\nX = np.column_stack([column.values.astype(object) for column in features.columns])"
        return Given(X, y, list(features.names), "; ".join(said), code)
    try:
        coder = TableCoder(max_words=0).fit(features)
        X = coder.transform(features)
    except (ValueError, TypeError) as fault:
        raise Refused(str(fault)) from fault
    if X.shape[1] > limits.columns:
        raise Refused(f"{X.shape[1]} columns after coding; the lab takes {limits.columns} at most")
    said.append("numbers are standardised" + (", categories are columns of 0 and 1" if coder.levels_ else ""))
    if coder.dropped_:
        said.append("left out: " + ", ".join(f"{name} ({why})" for name, why in list(coder.dropped_.items())[:4]))
    code += "\nX = TableCoder(max_words=0).fit_transform(features)"
    code = "from learnable.features import TableCoder\n" + code
    return Given(X, y, [str(name) for name in coder.get_feature_names_out()], "; ".join(said), code, lengths)


def _example(model: Any) -> Given:
    name = type(model).__name__
    known = known_of(name)
    data = known.data(0) if known.data is not None else kind_of(model).data(model, 0)
    code = (
        "from learnable.checks.kinds.kind import kind_of\nfrom learnable.checks.registry import known_of\n\n"
        f"known = known_of({name!r})\n"
        "X, y = (known.data(0) if known.data is not None else kind_of(model).data(model, 0))[:2]"
    )
    return Given(data[0], data[1], None, "the table on which the checks of this algorithm run", code)


def _ready(ready: Ready, task: str) -> Given:
    space: dict[str, Any] = {"np": np}
    exec(ready.code, space)  # lines of this very file, which the page shows
    X, y = space["X"], space["y"]
    if (ready.task == "process") != (task == "process"):
        raise Refused(f"{ready.title}: this algorithm needs {'a decision process' if task == 'process' else 'a table'}")
    if task in ("rows", "sequence", "process"):
        lengths = space.get("lengths") if task == "sequence" else None
        return Given(X, None, None, "", ready.code + ("\ny = None" if y is not None else ""), lengths)
    if y is None:
        raise Refused(f"{ready.title}: there is no target here; choose another table")
    return Given(X, y, None, "", ready.code)


def _drawn(task: str, wanted: dict[str, Any], limits: Limits) -> Given:
    """Points (x, y, class); where a number is to be predicted, it is the height of the point."""
    points = wanted["points"]
    if not isinstance(points, list) or not points:
        raise Refused("there are no points yet; draw some")
    if len(points) > limits.drawn:
        raise Refused(f"{len(points)} points; the lab takes {limits.drawn} at most")
    try:
        at = np.array([[float(x), float(y)] for x, y, _ in points])
        group = np.array([int(group) for *_, group in points])
    except (TypeError, ValueError) as fault:
        raise Refused("a point is [x, y, class]") from fault
    if not np.isfinite(at).all() or np.abs(at).max() > 1e6:
        raise Refused("a point lies too far away")
    at = at.round(4)
    code = f"points = np.array({np.column_stack([at, group]).tolist()})\n"
    if task == "process":
        raise Refused("this algorithm plans in a decision process, not in a table; choose the grid world")
    if task == "numbers":
        return Given(at[:, :1], at[:, 1], ["x"], "the height of a point is its target",
                     code + "X, y = points[:, :1], points[:, 1]")  # fmt: skip
    if task in ("rows", "sequence"):
        return Given(at, None, ["x", "y"], "", code + "X, y = points[:, :2], None")
    if task == "words":
        raise Refused("this algorithm learns from words; choose a table with categories")
    if len(np.unique(group)) < 2:
        raise Refused("all points have one colour; draw a second cloud in another colour")
    return Given(at, group, ["x", "y"], "", code + "X, y = points[:, :2], points[:, 2].astype(int)")
