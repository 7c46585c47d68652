"""Python that builds the chosen pipeline again, for those who want to go on by themselves."""

from typing import Any

from learnable.app.blend import is_blend
from learnable.app.calibrated import Calibrated
from learnable.app.coding import Coded
from learnable.app.options import Options


def code_of(model: Any, coded: Coded, options: Options) -> str:
    """Lines that read the table, build the pipeline with the settings that were chosen, and fit it."""
    question = coded.question
    made = _call(model)
    imports = sorted(
        {*_imports(model), "from learnable.features import TableCoder", "from sklearn.pipeline import make_pipeline"}
    )
    source = question.table.source
    dropped = [question.target, *question.left_out]
    lines = [
        *imports,
        "from learnable.datasets import load, read_table",
        "",
        f"table = load({source!r})" if _embedded(source) else f"table = read_table({source!r})",
        f"X, y = table.drop({dropped!r}), table.column({question.target!r}).values",
        f"model = make_pipeline(TableCoder(), {made})",
        "model.fit(X, y)",
        "model.predict(X)",
    ]
    return "\n".join(lines)


def _embedded(source: str) -> bool:
    from learnable.app.reading import is_embedded

    return is_embedded(source)


def _call(model: Any) -> str:
    if is_blend(model):
        members = ", ".join(f"({label!r}, {_call(member)})" for label, member in zip(model.labels, model.members))
        kind = "VotingClassifier" if hasattr(model, "classes_") else "VotingRegressor"
        soft = ', voting="soft"' if kind == "VotingClassifier" else ""
        weights = [round(weight, 4) for weight in model.weights]
        return f"{kind}([{members}], weights={weights}{soft})"
    if isinstance(model, Calibrated):
        return f"CalibratedClassifierCV({_call(model.estimator_)}, cv=3, ensemble=False)"
    default = type(model)().get_params()
    given = {
        key: value for key, value in model.get_params().items() if value is not default[key] and value != default[key]
    }
    return f"{type(model).__name__}({', '.join(f'{key}={value!r}' for key, value in given.items())})"


def _imports(model: Any) -> set[str]:
    if is_blend(model):
        kind = "VotingClassifier" if hasattr(model, "classes_") else "VotingRegressor"
        return {f"from sklearn.ensemble import {kind}"}.union(*(_imports(member) for member in model.members))
    if isinstance(model, Calibrated):
        return {"from sklearn.calibration import CalibratedClassifierCV"} | _imports(model.estimator_)
    parts = type(model).__module__.split(".")
    home = ".".join(parts[:2])
    return {f"from {home} import {type(model).__name__}"}
