"""Python that builds the chosen pipeline again, for those who want to go on by themselves."""

import os
from typing import Any

import numpy as np

from learnable.app.options import Options
from learnable.app.table.coding import Coded
from learnable.app.table.posing import Question, Weighting
from learnable.app.table.reading import is_embedded, parse_ordered
from learnable.app.trials.blend import is_blend
from learnable.app.trials.calibrated import Calibrated
from learnable.app.trials.fitting import takes_weights
from learnable.datasets import Kind, Table


def code_of(model: Any, coded: Coded, options: Options) -> str:
    """Lines that read the table as it was read, build the pipeline with the settings that were chosen, and fit it.

    Fitted to the rows that the chosen model was fitted to, the pipeline says what that model says.
    """
    question = coded.question
    target, goal = question.target, question.goal
    read, reader = _read(options, question.table)
    dropped = [target, *question.left_out]
    lines = [f"table = {read}"]
    if not goal.known.all():
        lines.append(f"table = table.take(~table.column({target!r}).missing)")
    lines.append(f"X, y = table.drop({dropped!r}), {_target(question)}")
    weight, given = _weights(question.weighting), ""
    if weight and _knows_weights(model):
        lines, given = [*lines, *weight], ", learn__sample_weight=weight"
    members, learner = _learner(model)
    lines += [
        *members,
        f'model = Pipeline([("code", TableCoder()), ("learn", {learner})])',
        f"model.fit(X, y{given})",
        "model.predict(X)",
    ]
    if question.costs is not None:
        lines[-1:] = [
            f"costs = np.array({question.costs.matrix.tolist()!r})  # of true classes (rows) that are called others",
            "cheapest = model.classes_[np.argmin(model.predict_proba(X) @ costs, axis=1)]",
        ]
    imports = {
        *_imports(model),
        *reader,
        "from learnable.features import TableCoder",
        "from sklearn.pipeline import Pipeline",
    }
    body = "\n".join(lines)
    if "label(value)" in body:
        imports.add("from learnable.app.table.tasks import label")
    head = ["import numpy as np", ""] if "np." in body else []
    return "\n".join([*head, *sorted(imports), "", body])


def _read(options: Options, table: Table) -> tuple[str, list[str]]:
    """The expression that reads the table, and what it needs to import."""
    source = options.data if options.data is not None else table.source
    if is_embedded(source):
        return f"load({source!r})", ["from learnable.datasets import load"]
    if isinstance(source, Table):
        return "given  # the table that was given", []
    kinds = dict.fromkeys((name for name in options.drop if name != options.target), str(Kind.TEXT))
    how = {
        "ordered": parse_ordered(options.ordered),
        "kinds": kinds,
        "delimiter": options.delimiter,
        "decimal": options.decimal,
        "sheet": options.sheet,
    }
    further = "".join(f", {key}={value!r}" for key, value in how.items() if value)
    reader = ["from learnable.datasets import read_table"]
    if isinstance(source, str | os.PathLike):
        return f"read_table({os.fspath(source)!r}{further})", reader
    return f"read_table(given{further})  # the data frame that was given", reader


def _target(question: Question) -> str:
    """The expression of the target: quantities, or the names of the classes."""
    values = f"table.column({question.target!r}).values"
    if question.goal.task != "classification":
        return values
    column = question.table.column(question.target)
    if column.kind is not Kind.NUMBER:
        return f"{values}.astype(str)"
    whole = not np.any(column.values[~column.missing] % 1)
    return f"{values}.astype(int).astype(str)" if whole else f"np.array([label(value) for value in {values}])"


def _weights(weighting: Weighting | None) -> list[str]:
    """Lines that make `weight`; none where every row counts alike."""
    if weighting is None:
        return []
    factors = [] if weighting.column is None else [f"table.column({weighting.column!r}).values"]
    if weighting.classes:
        factors.append(f"np.array([{weighting.classes!r}[name] for name in y])")
    return [f"weight = {' * '.join(factors)} / {weighting.scale!r}"]


def _knows_weights(model: Any) -> bool:
    return is_blend(model) or takes_weights(model)


def _learner(model: Any) -> tuple[list[str], str]:
    """Lines that go before, which name the members of a blend one by one, and the learner."""
    if not is_blend(model):
        return [], _call(model)
    weights = [float(f"{weight:.6g}") for weight in model.weights]
    lines = [
        "members = [",
        *(f"    {_call(member)}," for member in model.members),
        "]",
        f"labels = {list(model.labels)!r}",
        f"weights = {weights!r}",
    ]
    return lines, f"{type(model).__name__}(members, labels, weights)"


def _call(model: Any) -> str:
    if isinstance(model, Calibrated):
        return f"Calibrated({_call(model.estimator_)})"
    default = type(model)().get_params()
    given = {
        key: value for key, value in model.get_params().items() if value is not default[key] and value != default[key]
    }
    return f"{type(model).__name__}({', '.join(f'{key}={value!r}' for key, value in given.items())})"


def _imports(model: Any) -> set[str]:
    if is_blend(model):
        own = f"from learnable.app.trials.blend import {type(model).__name__}"
        return {own}.union(*(_imports(member) for member in model.members))
    if isinstance(model, Calibrated):
        return {"from learnable.app.trials.calibrated import Calibrated"} | _imports(model.estimator_)
    home = ".".join(type(model).__module__.split(".")[:2])
    return {f"from {home} import {type(model).__name__}"}
