"""The algorithms of the lab: every estimator of the library, by chapter, with its parameters."""

import ast
import inspect
import math
import re
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

from sklearn.base import is_classifier, is_regressor

from learnable.checks.discovery import all_estimators
from learnable.checks.registry import known_of
from learnable.lab.chapters import CHAPTERS, entries
from learnable.lab.limits import Refused
from learnable.plain import plain

# What the page offers first where the defaults of scikit-learn hide what there is to see; the user may change it.
_OFFERED = {
    "n_estimators": "15", "n_clusters": "3", "n_components": "3", "hidden_layer_sizes": "(6,)", "alpha": "0.1",
    "learning_rate_init": "0.05", "max_iter": "60",
}  # fmt: skip
_OFFERED_FOR = {
    "KMeans": ("n_clusters", "n_init", "init"), "MiniBatchKMeans": ("n_clusters",),
    "SpectralClustering": ("n_clusters",),
    "AgglomerativeClustering": ("n_clusters",), "GaussianMixture": ("n_components", "init_params"), "Lasso": ("alpha",),
    "ElasticNet": ("alpha",), "LassoLars": ("alpha",), "ADMMLasso": ("alpha",), "Perceptron": ("tol", "max_iter"),
    "MLPClassifier": ("hidden_layer_sizes", "learning_rate_init", "max_iter"),
    "MLPRegressor": ("hidden_layer_sizes", "learning_rate_init", "max_iter"),
}  # fmt: skip
_OFFERED_BY = {("KMeans", "n_init"): "1", ("KMeans", "init"): "random", ("GaussianMixture", "init_params"): "random",
               ("Perceptron", "tol"): "None",
               ("Perceptron", "max_iter"): "100"}  # fmt: skip

# What a user turns first.
_FIRST = (
    "alpha", "C", "nu", "kernel", "gamma", "n_clusters", "n_components", "n_estimators", "max_depth", "criterion",
    "hidden_layer_sizes", "eta0", "learning_rate", "l1_ratio", "penalty", "init", "n_init", "max_iter", "tol",
    "learning_rate_init", "random_state",
)  # fmt: skip

# Parameters about the machine or the caller's program, which mean nothing in a page.
_HIDDEN = frozenset(
    {"n_jobs", "verbose", "copy_X", "copy", "warm_start", "cache_size", "callbacks", "memory", "copy_x"}
)
_ROWS = re.compile(r"Syllabus:\s*((?:[A-Z]{1,2}\d+(?:\s*[–,]\s*|\s+to\s+|\s+and\s+)?\s*)+)")
_ROW = re.compile(r"([A-Z]{1,2})(\d+)(?:\s*(?:–|to)\s*([A-Z]{1,2})(\d+))?")
_ORDER = {chapter.letters: place for place, chapter in enumerate(CHAPTERS)}


@cache
def estimators() -> dict[str, type]:
    """Name -> class."""
    return dict(all_estimators())


def kind(name: str) -> type:
    """The class of that name."""
    if name not in estimators():
        raise Refused(f"there is no algorithm {name!r}", 404)
    return estimators()[name]


def rows_in(text: str) -> list[str]:
    """The rows of the syllabus that a docstring names.

    >>> rows_in("The perceptron. Syllabus: P5–P7, P10.")
    ['P5', 'P6', 'P7', 'P10']
    """
    found = _ROWS.search(text)
    rows = []
    for letters, first, _, last in _ROW.findall(found[1] if found else ""):
        rows += [f"{letters}{number}" for number in range(int(first), int(last or first) + 1)]
    return rows


@cache
def rows_of(name: str) -> tuple[str, ...]:
    """The rows of the syllabus that an estimator shows: those of its docstring, and those that name it."""
    made = estimators()[name]
    said = rows_in(inspect.getdoc(made) or "") or rows_in(sys.modules[made.__module__].__doc__ or "")
    naming = [row for row, entry in entries().items() if entry["object"].split(".")[-1] == name]
    return tuple(dict.fromkeys([*said, *naming]))


def chapter_of(name: str) -> str:
    """Letters of the chapter of the first row it shows."""
    rows = rows_of(name)
    return re.sub(r"\d+$", "", rows[0]) if rows else "D"


def fresh(name: str) -> Any:
    """An estimator with the parameters that its checks use where the defaults make none."""
    made = kind(name)
    try:
        model = made()
    except TypeError:
        make = known_of(name).make
        if make is None:
            raise Refused(f"{name} needs more than a table; use it from Python", 404) from None
        model = make()
    return model


def task_of(model: Any) -> str:
    """What `fit` takes: "classes", "numbers", "rows", "sequence", "process" or "words"."""
    from learnable.checks.kinds.kind import kind_of

    covered = type(kind_of(model)).__name__
    if covered in ("Planner", "SequenceModel"):
        return {"Planner": "process", "SequenceModel": "sequence"}[covered]
    if is_classifier(model):
        return "words" if type(model).__name__ in ("FindS", "CandidateElimination") else "classes"
    return "numbers" if is_regressor(model) else "rows"


def catalogue() -> list[dict[str, Any]]:
    """Every algorithm as the page lists it, chapter by chapter."""
    listed = [_listed(name) for name in estimators()]
    return sorted(listed, key=lambda each: (_ORDER[each["chapter"]], each["name"]))


def _listed(name: str) -> dict[str, Any]:
    model = fresh(name)
    about = (inspect.getdoc(type(model)) or name).split("\n\n")[0].replace("\n", " ")
    return {
        "name": name, "chapter": chapter_of(name), "rows": list(rows_of(name)), "about": about,
        "task": task_of(model), "parameters": list(_parameters(model)),
    }  # fmt: skip


def _parameters(model: Any) -> Iterator[dict[str, Any]]:
    constraints = getattr(type(model), "_parameter_constraints", {})
    said = _sentences(inspect.getdoc(type(model)) or "")
    given = model.get_params(deep=False)
    for name in sorted(given, key=lambda each: _FIRST.index(each) if each in _FIRST else len(_FIRST)):
        value = given[name]
        if name in _HIDDEN or callable(value):
            continue
        value = 0 if name == "random_state" else value
        first = _offered(type(model).__name__, name) or written(value)
        choices = _choices(constraints.get(name, ()), value)
        yield {"name": name, "value": first, "choices": choices, "about": said.get(name, "")}


def _offered(kind: str, parameter: str) -> str | None:
    """What the page writes into a field at first; None for the default."""
    if parameter == "n_estimators" or (parameter == "max_iter" and kind.startswith("HistGradient")):
        return "15"
    if parameter not in _OFFERED_FOR.get(kind, ()):
        return None
    return _OFFERED_BY.get((kind, parameter)) or _OFFERED[parameter]


def written(value: Any) -> str:
    """A value as a user writes it; `read` reads it again.

    >>> [written(each) for each in (None, 0.5, "rbf", (8, 8), True, float("inf"))]
    ['None', '0.5', 'rbf', '(8, 8)', 'True', 'inf']
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    return value if isinstance(value, str) else repr(plain(value))


def read(text: str) -> Any:
    """What a user wrote, as Python reads a literal; anything else is a word.

    >>> read("0.5"), read("rbf"), read("(8, 8)"), read("inf"), read("None")
    (0.5, 'rbf', (8, 8), inf, None)
    """
    text = text.strip()
    if text.lower() in ("inf", "-inf", "nan"):
        return float(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _choices(constraint: Any, value: Any) -> list[str]:
    """The words that a parameter may be, where it is one of few."""
    if isinstance(value, bool):
        return ["True", "False"]
    words: set[str] = set()
    for each in constraint if isinstance(constraint, list | tuple) else ():
        options = getattr(each, "options", None)
        if options is not None and all(isinstance(option, str) for option in options):
            words |= set(options) - set(getattr(each, "deprecated", ()))
        elif not (each is None or each == "boolean" or options is not None):
            return []  # numbers or objects will do as well
    return sorted(words) if isinstance(value, str) and value in words else []


def _sentences(doc: str) -> dict[str, str]:
    """Parameter -> what its docstring says of it."""
    section = doc.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    said: dict[str, str] = {}
    names: list[str] = []
    for line in section.splitlines():
        head, sign, rest = line.partition(" : ")
        if sign and not line.startswith(" "):
            names = [name.strip() for name in head.split(",")]
            said |= dict.fromkeys(names, rest.strip())
        else:
            said |= {name: f"{said[name]} {line.strip()}" for name in names}
    return said


def built(name: str, parameters: dict[str, str]) -> Any:
    """The estimator with what the user set; faults are told in the library's own sentences."""
    model = fresh(name)
    known = model.get_params(deep=False)
    if strange := sorted(set(parameters) - set(known)):
        raise Refused(f"{name} has no parameter {strange[0]!r}; it has {', '.join(known)}")
    given = {each: read(text) for each, text in parameters.items() if text != written(known[each])}
    for each, value in given.items():
        if isinstance(value, float) and math.isnan(value):
            raise Refused(f"{name}({each}=nan): not a number")
    if "random_state" in known:
        given.setdefault("random_state", 0)
    model.set_params(**given)
    try:
        if hasattr(model, "_parameter_constraints"):
            model._validate_params()
    except (ValueError, TypeError) as fault:
        raise Refused(str(fault)) from fault
    return model


def changed(model: Any) -> dict[str, Any]:
    """The parameters that are not the defaults of the class."""
    signature = inspect.signature(type(model)).parameters
    found = {}
    for name, value in model.get_params(deep=False).items():
        default = signature[name].default
        if value is not default and repr(value) != repr(default):
            found[name] = value
    return found
