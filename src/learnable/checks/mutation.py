"""The mutation law: whatever solver-side function is broken, no wrong answer keeps its certificate.

A mutant is one function or method of the solvers, the kernels or the shared sums, whose numbers come out changed in
one way wherever it is called, the certificates included. A fit with a mutant must raise, or give the answer it would
have given, or be refuted by its certificate. Two rooms that share an algorithm break it: both are deceived.
"""

import inspect
import sys
import types
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

# Where solver-side functions live: all that turns data into answers. The reading of the data itself is behind the door
# that both rooms use, `rows`.
SOLVER_SIDE = (
    "learnable.solvers", "learnable._jit", "learnable.rows.moments", "learnable.rows.triangle",
    "learnable.rows.weighted_sums",
)  # fmt: skip
# Values a function can be broken into.
BREAKS: dict[str, Callable[[Any], Any]] = {
    "scaled by 1.25": lambda x: 1.25 * x,
    "shifted by 1.0": lambda x: x + 1.0,
    "halved": lambda x: 0.5 * x,
    "sign flipped": lambda x: -x,
}
# An answer that moves by less than this share of its size is the same answer.
SAME = 1e-2


class Mutant(NamedTuple):
    """One function, broken in one way.

    Attributes
    ----------
    module : where it is defined, below `SOLVER_SIDE`.
    name : its name there; "Class.method" for a method.
    how : a key of `BREAKS`.
    """

    module: str
    name: str
    how: str


class Registered(NamedTuple):
    """A mutant that ruins a fit on check data: the certificate must fail, or the fit raise.

    Attributes
    ----------
    estimator, parameters : the class, by name, and what it is made with.
    mutant : the function and how it is broken.
    """

    estimator: str
    parameters: dict[str, Any]
    mutant: Mutant


def _registered(table: str, **parameters: Any) -> tuple[Registered, ...]:
    """One entry a line: estimator, module.function below `learnable`, how it is broken."""
    found = []
    for line in table.strip().splitlines():
        estimator, place, how = line.split(maxsplit=2)
        module, _, name = place.partition(":")
        found.append(Registered(estimator, parameters, Mutant(f"learnable.{module}", name, how)))
    return tuple(found)


REGISTRY = _registered("""
    LinearRegression solvers.linear.least_squares:iterates scaled by 1.25
    Ridge solvers.linear.least_squares:iterates halved
    RidgeCV solvers.linear.ridge_leave_one_out:iterates sign flipped
    BayesianLinearRegression solvers.linear.bayesian_linear:iterates halved
    BayesianLinearRegression solvers.linear.bayesian_linear:Evidence.best_noise scaled by 1.25
    BayesianLinearRegression rows.triangle:triangular_factor scaled by 1.25
    LogisticRegression solvers.linear.newton:iterates scaled by 1.25
    LogisticRegression solvers.linear.likelihood:CategoricalLikelihood.value_and_gradient shifted by 1.0
    PoissonRegressor solvers.linear.glm:GeneralizedLikelihood.value_and_gradient shifted by 1.0
    GammaRegressor solvers.linear.glm:GeneralizedLikelihood.value_and_gradient sign flipped
    LinearDiscriminantAnalysis solvers.linear.class_moments:class_moments shifted by 1.0
    LinearDiscriminantAnalysis solvers.linear.discriminant:by_whitening scaled by 1.25
    QuadraticDiscriminantAnalysis solvers.linear.class_moments:class_moments shifted by 1.0
    Perceptron solvers.linear.perceptron:iterates sign flipped
    Lasso solvers.sparse.coordinate_descent:iterates scaled by 1.25
    Lasso solvers.sparse.penalty_factors:Posed.answer halved
    Lasso solvers.sparse.coordinate_descent:centred_columns shifted by 1.0
    ElasticNet solvers.sparse.coordinate_descent:iterates sign flipped
    AdaptiveLasso solvers.linear.least_squares:iterates scaled by 1.25
    ADMMLasso solvers.sparse.admm:iterates halved
    LassoLars solvers.sparse.homotopy:iterates scaled by 1.25
    Lars _jit.sparse.homotopy:next_knot halved
    DantzigSelector solvers.sparse.dantzig:iterates scaled by 1.25
    BestSubset solvers.sparse.support_least_squares:on_support scaled by 1.25
    BestSubset solvers.sparse.diagonal_split:diagonal_split scaled by 1.25
    BestSubset solvers.sparse.branch_and_bound:iterates halved
    SplicingSubset solvers.sparse.splicing:iterates sign flipped
    Stepwise solvers.sparse.stepwise:iterates scaled by 1.25
    GroupLasso solvers.sparse.group_descent:iterates scaled by 1.25
    SparseGroupLasso solvers.sparse.group_descent:iterates halved
    MultiTaskLasso solvers.sparse.multi_task_descent:iterates halved
    MultiTaskLasso solvers.linear.several_targets:SeveralTargets.intercept shifted by 1.0
    ReducedRankRegression solvers.sparse.reduced_rank:iterates scaled by 1.25
    PenalizedRegressor solvers.sparse.proximal_gradient:iterates halved
    SparseLogisticRegression solvers.sparse.proximal_newton:iterates halved
    SparsePoissonRegressor solvers.sparse.proximal_newton:loss_iterates halved
    SparseLDADantzig solvers.sparse.dantzig:iterates sign flipped
    MCPRegression solvers.sparse.folded_descent:iterates scaled by 1.25
    GaussianNB solvers.bayes.class_counts:column_moments scaled by 1.25
    CategoricalNB solvers.bayes.class_counts:code_counts shifted by 1.0
    BernoulliNB solvers.bayes.class_counts:presence_counts shifted by 1.0
    MultinomialNB solvers.bayes.class_counts:word_counts shifted by 1.0
    MarkovChain solvers.sequences.transition_counts:iterates shifted by 1.0
    DecisionTreeClassifier solvers.trees.cart:iterates scaled by 1.25
    DecisionTreeRegressor solvers.trees.cart:iterates shifted by 1.0
    ID3Classifier solvers.trees.id3:iterates scaled by 1.25
    SLIQClassifier solvers.trees.sliq:iterates shifted by 1.0
    OptimalTreeClassifier solvers.trees.optimal:iterates shifted by 1.0
    DecisionStump solvers.ensembles.ada_boost:stump sign flipped
    L1AdaBoost solvers.ensembles.l1_ada_boost:iterates scaled by 1.25
    L1AdaBoost solvers.ensembles.l1_ada_boost:_optimal_votes halved
""") + _registered("""
    LinearDiscriminantAnalysis solvers.linear.shrinkage:ledoit_wolf_intensity halved
    LinearDiscriminantAnalysis solvers.linear.shrinkage:shrunk shifted by 1.0
    LinearDiscriminantAnalysis solvers.linear.discriminant:by_equations halved
""", solver="lsqr", shrinkage="auto") + _registered("""
    BestSubsetMILP solvers.sparse.subset_cuts:iterates scaled by 1.25
    BestSubsetMILP solvers.sparse.subset_cuts:lowest_cut shifted by 1.0
""", k=3, max_iter=30) + _registered("""
    NuclearNormRegression solvers.sparse.nuclear_descent:iterates scaled by 1.25
""", max_iter=30) + _registered("""
    RandomForestClassifier solvers.trees.cart:grown scaled by 1.25
    RandomForestRegressor solvers.ensembles.forest:iterates halved
    BaggingRegressor solvers.trees.cart:iterates halved
    AdaBoostClassifier solvers.ensembles.ada_boost:gini_stump sign flipped
    AdaBoostClassifier solvers.ensembles.ada_boost:iterates halved
    GradientBoostingRegressor solvers.ensembles.gradient_boosting:iterates scaled by 1.25
""", n_estimators=3) + _registered("""
    HistGradientBoostingRegressor solvers.ensembles.histogram_boosting:iterates scaled by 1.25
    HistGradientBoostingRegressor solvers.ensembles.histogram_boosting:_expanded scaled by 1.25
    HistGradientBoostingClassifier solvers.ensembles.leafwise:step halved
    HistGradientBoostingClassifier solvers.ensembles.binning:_edges shifted by 1.0
""", max_iter=3)  # fmt: skip


class Broken(Exception):
    """A mutant ran for too many calls: a fit that never ends has not deceived anybody."""


def called_functions(
    action: Callable[[], Any], only: Collection[tuple[str, str]] | None = None
) -> Counter[tuple[str, str]]:
    """How often `action` calls each solver-side function, (module, name), from Python; or `only` some of them."""
    met: Counter[tuple[str, str]] = Counter()
    with _replaced(lambda module, name, function: _counting(function, (module, name), met), only):
        action()
    return met


@contextmanager
def mutated(mutant: Mutant, most_calls: int = 1000) -> Iterator[None]:
    """While this lasts, the function of the mutant gives changed numbers to whoever calls it.

    Examples
    --------
    >>> from learnable.rows import as_rows, moments
    >>> with mutated(Mutant("learnable.rows.moments", "_block_moments", "halved")):
    ...     moments(as_rows([[1.0], [3.0]])).weight
    1.0
    """
    target = {(mutant.module, mutant.name)}
    change = BREAKS[mutant.how]
    with _replaced(lambda module, name, function: _breaking(function, change, most_calls), target):
        yield


def caught(mutant: Mutant, fit: Callable[[], Any], most_calls: int) -> bool:
    """Whether the fit with a mutant raises or is refuted."""
    with mutated(mutant, most_calls), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return not fit().certificate_.holds
        except Exception:
            return True


def survives(mutant: Mutant, fit: Callable[[], Any], honest: Any, X: Any, most_calls: int) -> str | None:
    """Which output of the model a mutant changed although its certificate holds; None where the law is kept.

    Parameters
    ----------
    fit : gives a fitted model with a certificate.
    honest : the model without the mutant.
    X : rows at which outputs are compared.
    most_calls : of the function, after which the fit is given up.
    """
    with mutated(mutant, most_calls), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = fit()
        except Exception:
            return None
    if not model.certificate_.holds:
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        before, after = _outputs(honest, X), _outputs(model, X)
    return next((name for name, value in before.items() if moved(value, after.get(name))), None)


def _outputs(model: Any, X: Any) -> dict[str, Any]:
    """What the model says of the rows; its answers, where it has nothing to say of rows."""
    said = {name: getattr(model, name)(X) for name in ("decision_function", "predict") if hasattr(model, name)}
    answers = ("coef_", "value_", "policy_", "params_", "startprob_", "transmat_")
    return said or {name: getattr(model, name) for name in answers if hasattr(model, name)}


def moved(before: Any, after: Any) -> bool:
    """Whether an output is another one, by more than `SAME` of its size."""
    try:
        a, b = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    except (TypeError, ValueError):
        # Labels: a few rows near the boundary may change sides.
        return bool(np.mean(np.asarray(before) != np.asarray(after)) > SAME)
    if a.shape != b.shape:
        return True
    size = float(np.abs(a[np.isfinite(a)]).max(initial=0.0))
    return not np.allclose(a, b, rtol=SAME, atol=SAME * max(size, 1e-12), equal_nan=True)


def _changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """Numbers in any nesting of tuples and lists, changed; truth values, counts and objects as they are."""
    if isinstance(value, float | np.floating):
        return type(value)(change(value))
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return change(value).astype(value.dtype)
    if sparse.issparse(value) and value.dtype.kind == "f":
        other = value.copy()
        other.data = change(other.data).astype(other.dtype)
        return other
    if isinstance(value, tuple):
        parts = [_changed(part, change) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return [_changed(part, change) for part in value]
    return value


def _breaking(function: Callable, change: Callable, most_calls: int) -> Callable:
    left = [most_calls]

    @wraps(function)
    def broken(*args, **kwargs):
        left[0] -= 1
        if left[0] < 0:
            raise Broken(function.__name__)
        arrays = [a for a in (*args, *kwargs.values()) if isinstance(a, np.ndarray) and a.dtype.kind == "f"]
        before = [a.copy() for a in arrays]
        result = function(*args, **kwargs)
        if isinstance(result, types.GeneratorType):
            return (_changed(state, change) for state in result)
        if result is None:
            # A function that writes its results into its arguments.
            for old, new in zip(before, arrays):
                if new.flags.writeable and not np.array_equal(old, new, equal_nan=True):
                    new[...] = change(new)
        return _changed(result, change)

    return broken


def _counting(function: Callable, key: tuple[str, str], met: Counter) -> Callable:
    @wraps(function)
    def counted(*args, **kwargs):
        met[key] += 1
        return function(*args, **kwargs)

    return counted


def _loaded() -> list[types.ModuleType]:
    ours = [name for name in list(sys.modules) if name == "learnable" or name.startswith("learnable.")]
    return [module for name in sorted(ours) if (module := sys.modules.get(name))]


def _is_function(thing: Any) -> bool:
    return inspect.isfunction(thing) or (callable(thing) and hasattr(thing, "py_func"))


@contextmanager
def _replaced(
    wrap: Callable[[str, str, Callable], Callable], only: Collection[tuple[str, str]] | None = None
) -> Iterator[None]:
    """Solver-side functions and methods with their wrapped selves, under every name that any module knows them by."""
    undo: list[tuple[Any, str, Any]] = []
    modules = _loaded()
    places = None if only is None else {place for place, _ in only}
    wrapped: dict[int, Callable] = {}
    for module in modules:
        if (places is not None and module.__name__ not in places) or not module.__name__.startswith(SOLVER_SIDE):
            continue
        for name, thing in list(vars(module).items()):
            if getattr(thing, "__module__", None) != module.__name__:
                continue
            if _is_function(thing) and (only is None or (module.__name__, name) in only):
                wrapped[id(thing)] = wrap(module.__name__, name, thing)
            elif inspect.isclass(thing):
                for method, body in list(vars(thing).items()):
                    if not inspect.isfunction(body) or method.startswith("__"):
                        continue
                    dotted = f"{name}.{method}"
                    if only is None or (module.__name__, dotted) in only:
                        undo.append((thing, method, body))
                        setattr(thing, method, wrap(module.__name__, dotted, body))
    # A kernel calls kernels, compiled with it: they are broken for those who call them from Python.
    callers = [module for module in modules if wrapped and not module.__name__.startswith("learnable._jit")]
    replaced = set(wrapped)
    for module in callers:
        names = vars(module)
        if replaced.isdisjoint(map(id, names.values())):
            continue
        for name in [name for name, thing in names.items() if id(thing) in wrapped]:
            undo.append((module, name, names[name]))
            setattr(module, name, wrapped[id(names[name])])
    try:
        yield
    finally:
        for owner, name, thing in reversed(undo):
            setattr(owner, name, thing)
