"""`certify`: the claims about a fitted estimator, computed again from its fitted attributes and the data."""

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules, walk_packages
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from learnable.certificates.core.accidents import by_accident
from learnable.certificates.core.admitted import as_fitted_again, as_theirs_is, says_it_fell_short
from learnable.certificates.core.again import again_claim
from learnable.certificates.core.certificate import Certificate
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.condensed import condensed, standing_for
from learnable.certificates.core.effort import asking
from learnable.certificates.core.inner import astray_claim, innermost
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.methods import hidden, overridden_claim
from learnable.certificates.core.origin import is_ours
from learnable.certificates.core.refitted import as_refitted, only_theirs
from learnable.certificates.core.single import in_its_precision
from learnable.certificates.core.soundness import unsound
from learnable.certificates.core.verdict import Verdict
from learnable.plain import plain
from learnable.rows import as_rows, canonical, in_folds, is_streamed
from learnable.rows.mapped import places_among
from learnable.rows.masked import unmasked
from learnable.rows.threads import one_blas_thread_meanwhile

Certifier = Callable[..., Sequence[Claim]]


class _Entry(NamedTuple):
    """Who judges a class, what of it is judged, whether scikit-learn's class of that name has the same problem.

    `table` says whether the data are a table with targets and weights, which is read and checked for the certifier.
    `double` says whether sparse rows in single precision are read in double, as a fit does that knows no other.
    `again` says of a model and what was found whether the claims leave answers that only the same fit tells apart.
    """

    function: Certifier
    ledger: Ledger
    foreign: bool
    table: bool
    double: bool
    again: Callable[[Any, Certificate], bool] | None


# Our estimators keep the names, parameters and fitted attributes of scikit-learn's, so one function judges both.
_BY_NAME: dict[str, _Entry] = {}
_BY_CLASS: dict[type, _Entry] = {}

# What an answer of the wrong shape or kind makes of a certifier, as do errors of compiled code about types.
_UNREADABLE = (LookupError, AttributeError, ArithmeticError, NotImplementedError, StopIteration, np.linalg.LinAlgError)

# Numbers that may be kept as objects, and what is left behind by a fit to which objects are more than numbers.
_NUMBERS = (float, int, np.float64, np.float32, np.int64, np.int32)
_READS_WORDS = frozenset({"attributes_", "categories_", "kinds_"})


def certifies(
    *kinds: str | type,
    ledger: Ledger | None = None,
    foreign: bool = True,
    table: bool = True,
    double: bool = False,
    again: Callable[[Any, Certificate], bool] | None = None,
) -> Callable[[Certifier], Certifier]:
    """Register a function as the certifier of estimators.

    The function takes (fitted model, X, y, sample_weight), or whatever else `fit` takes, and returns claims.

    Parameters
    ----------
    *kinds : names of classes of this library, or classes of any other.
    ledger : which fitted attributes the claims answer for.
    foreign : whether the function also judges scikit-learn's class of the same name.
    table : whether X is a table, read as one beforehand; False where the function reads what the verifier gives.
    double : whether sparse rows in single precision are read in double, as by a fit that knows no other.
    again : whether `certify` does the fit of a model again, given the model and what was found: where the claims hold
        of other answers too, since the algorithm ends at no optimum or draws at random.
    """
    entry_of = _Entry(None, Ledger() if ledger is None else ledger, foreign, table, double, again)  # type: ignore[arg-type]

    def register(function: Certifier) -> Certifier:
        for kind in kinds:
            if isinstance(kind, type):
                _BY_CLASS[kind] = entry_of._replace(function=function)
            else:
                _BY_NAME[kind] = entry_of._replace(function=function)
        return function

    return register


def certify(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None, *, tolerance: float | None = None, **named: Any
) -> Certificate:
    """What can be proved about a fitted `model` on the data it was fitted on.

    Uses the fitted attributes and the data alone: neither how the answer was found nor any solver's code. The model
    says which problem it solves; the bounds are the library's. Works for the estimators of this library, for fitted
    scikit-learn estimators with the same mathematics, and for pipelines and searches that end in one of those.

    Of a model that says that it fell short of a bound, the fit is done again, for its word is no evidence: where the
    second fit ends at the same numbers, what they miss is left open; any other answer is refuted. So is the fit of a
    learner whose answer is no optimum: training that was stopped, trees that draw columns at random. scikit-learn's own
    are done again by scikit-learn, where their random numbers are known, and left open where they end elsewhere.

    Parameters
    ----------
    model : fitted estimator.
    X, y, sample_weight : the training data; `X` alone for learners without a target.
    tolerance : the verifier's own relative bound, instead of the library's.
    **named : what else `fit` was given, e.g. `lengths` of sequences.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from learnable import certify
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.5])
    >>> certify(LinearRegression().fit(X, y), X, y).holds
    True
    """
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except AttributeError:  # it asks parameters that may be anything
        if (fault := _not_a_problem(model)) is None:
            raise
        return Certificate(type(model).__name__, [fault])
    if tolerance is not None and not tolerance > 0.0:
        raise ValueError(f"certify(tolerance={tolerance!r}): a bound must be > 0, or None for the library's")
    if fault := astray_claim(model):
        return Certificate(type(model).__name__, [fault])
    inner = innermost(model, X, y)
    found = _certified(inner.model, inner.X, y, sample_weight, tolerance, named)
    if inner.claims or inner.unverified:
        return Certificate(found.subject, [*found, *inner.claims], (*found.unverified, *inner.unverified))
    return found


def _certified(
    model: Any, X: Any, y: Any, sample_weight: Any, tolerance: float | None, named: dict[str, Any]
) -> Certificate:
    """The same of a model that stands alone."""
    if sample_weight is not None and not _takes_weights(model):
        raise ValueError(f"certify({type(model).__name__}): its fit takes no sample_weight; leave it out")
    if (fault := _not_a_problem(model)) is not None:
        return Certificate(type(model).__name__, [fault])
    entry = _entry(type(model))
    if entry.table and is_ours(model):
        X = in_its_precision([vars(model).get(name) for name in entry.ledger.verified], X)

    def judged(fit: Any) -> Certificate:
        return certificate_of(fit, X, y, sample_weight, **named)

    with asking(thorough=True, tolerance=tolerance):
        found = judged(model)
        data = (X,) if y is None else (X, y)
        given = named if sample_weight is None else named | {"sample_weight": sample_weight}
        if found.verdict is Verdict.REFUTED:
            if only_theirs(model):
                return as_theirs_is(model, found, judged, *data, **given)
            return as_fitted_again(model, found, *data, **given) if says_it_fell_short(model) else found
        asks = found.holds and entry.table and not is_streamed(X)
        if asks and (mute := _does_not_answer(model, X, sample_weight)) is not None:
            return Certificate(found.subject, [*found, mute], found.unverified)
        if entry.again is None or is_streamed(X) or not entry.again(model, found):
            return found
        if is_ours(model) and entry.ledger.taken_from(vars(model)):
            return found
        if not hasattr(model, "_begin_as"):
            return as_refitted(model, found, *data, **given)
        more = again_claim(found[0].id, model, entry.ledger.verified + entry.ledger.derived, *data, **given)
        return Certificate(found.subject, [*found, more], found.unverified)


def certificate_of(model: Any, *data: Any, **named: Any) -> Certificate:
    """The certificate of a model on its data, with the effort asked for: cheap unless `certify` asks."""
    entry, judged = _found(type(model))
    subject = type(model).__name__
    unverified = entry.ledger.unverified_of(vars(model)) if any(entry.ledger) else ()
    names = _column_names(data[0]) if data else None
    if faults := _faults(model, entry.ledger, names) + _wrong_shape(model, *data[1:2]):
        return Certificate(subject, faults, unverified)
    if entry.table and is_ours(model) and hasattr(data[0], "__len__") and "n_features_in_" not in vars(model):
        return Certificate(subject, [_fault("the number of columns is told, n_features_in_ (1 if not)", 1)], unverified)
    data = _readable(model, *data) if entry.table else data
    if entry.double and issparse(data[0]) and data[0].dtype == np.float32:
        data = (data[0].astype(float), *data[1:])
    # One BLAS thread, as in a fit: the same answer and data give the same bits. What overflows ends as no number, which
    # no claim holds of; the flags of the processor tell of numbers too that BLAS reads beyond the last one.
    with one_blas_thread_meanwhile(), np.errstate(over="ignore", invalid="ignore"):
        try:
            claims = entry.function(model, *data, **named)
        except MemoryError as error:
            raise MemoryError(
                f"certify({subject}): its parameters, or its answer, tell of more than there is memory for ({error}); "
                "nothing was found out about it, compare get_params() with what was fitted"
            ) from error
        except Exception as error:
            unreadable = isinstance(error, _UNREADABLE) or type(error).__module__.partition(".")[0] == "numba"
            # Labels that are words were looked up among the classes.
            numbers = data[:1] if hasattr(model, "classes_") else data
            if not unreadable and not (isinstance(error, TypeError | ValueError) and by_accident(error, *numbers)):
                raise
            claims = [_fault(f"the answer can be judged ({type(error).__name__}: {error})", np.inf)]
    others = overridden_claim(type(model), judged, vars(model))
    return Certificate(subject, claims if others is None else [*claims, others], unverified)


def ledger_of(kind: type) -> Ledger:
    """The ledger of an estimator class."""
    return _entry(kind).ledger


def _takes_weights(model: Any) -> bool:
    """Whether rows, or sequences, may have weights in the fit: others would be ignored by what is proved."""
    from sklearn.utils.validation import has_fit_parameter

    return any(has_fit_parameter(model, name) for name in ("sample_weight", "sequence_weight"))


def _fault(statement: str, how_many: float) -> Claim:
    return Claim.at_most("O7", statement, how_many, 0.0)


def _not_a_problem(model: Any) -> Claim | None:
    """What is wrong with the parameters, which say what problem the answer is for; a fit would refuse them."""
    try:
        if hasattr(model, "_parameter_constraints"):
            model._validate_params()
    except ValueError as error:
        return _fault(f"the parameters state a problem ({error})", 1)
    for name, value in model.get_params(deep=False).items() if is_ours(model) else ():
        if isinstance(value, float) and value != value:
            return _fault(f"the parameters state a problem ({name} is no number)", 1)
    weights, classes = vars(model).get("class_weight"), vars(model).get("classes_")
    if isinstance(weights, dict) and isinstance(classes, np.ndarray):
        strange = [label for label in weights if label not in classes.tolist()]
        if strange:
            return _fault(f"class_weight names classes ({strange[0]!r} is none)", len(strange))
    return None


def _faults(model: Any, ledger: Ledger, names: list[str] | None) -> list[Claim]:
    """What is wrong with the answer before any claim about it can be checked; empty for a sound one."""
    found = unsound(model, ledger)
    if is_ours(model) and (taken := ledger.taken_from(vars(model))):
        fault = _fault(f"a fit leaves every attribute of its answer (missing: {', '.join(taken)})", len(taken))
        # A part of the rows leaves no status, and less than all of them.
        found.append(fault._replace(open=hasattr(model, "partial_fit") and "status_" not in vars(model)))
    kind: Any = type(model)
    if others := hidden(kind, tuple(vars(model)), every=is_ours(model)):
        found.append(_fault(f"methods are those of the class (hidden by attributes: {', '.join(others)})", len(others)))
    known = getattr(model, "feature_names_in_", None)
    if known is not None and names is not None and list(known) != names:
        found.append(_fault("the columns have the names that the model was fitted on", 1))
    if "classes_" in vars(model):
        for each in model.classes_ if isinstance(model.classes_, list) and model.classes_ else [model.classes_]:
            if not isinstance(each, np.ndarray) or each.ndim != 1 or not each.size:
                found.append(_fault("classes_ is a vector of labels (1 if not)", 1))
            elif not _in_order(each):
                found.append(_fault("the classes stand in order, each once", 1))
    return found


def _in_order(classes: np.ndarray) -> bool:
    try:
        return bool((classes[1:] > classes[:-1]).all())
    except TypeError:
        return True  # labels of several types have no order


def _wrong_shape(model: Any, y: Any = None) -> list[Claim]:
    """One target has a row of coefficients, not a table of one row, which would predict a table; classes have a table;
    each row has one intercept.

    Where none was to be fitted it is zero: no other claim need see what an intercept adds to every prediction.
    """
    if "coef_" not in vars(model) and "intercept_" not in vars(model):
        return []
    coef, intercept = _shape(vars(model).get("coef_", 0.0)), _shape(vars(model).get("intercept_", 0.0))
    found = []
    # scikit-learn's least angle regression without a path keeps a table of one row.
    table = not is_ours(model) and getattr(model, "fit_path", True) is False
    if len(coef) == 2 and np.ndim(y) == 1 and "classes_" not in vars(model) and _predicts_numbers(model) and not table:
        found.append(_fault("one target has one vector of coefficients (dimensions too many)", 1))
    if len(coef) == 1 and "classes_" in vars(model):
        found.append(_fault("classes have a table of coefficients (dimensions missing)", 1))
    if coef and intercept and intercept != (coef[:1] if len(coef) == 2 else (1,)):
        found.append(_fault("each vector of coefficients has one intercept (shapes that do not agree)", 1))
    if not getattr(model, "fit_intercept", True) and np.any(np.asarray(vars(model).get("intercept_", 0.0)) != 0.0):
        found.append(_fault("with fit_intercept=False no intercept is added (1: one is)", 1))
    return found


def _shape(value: Any) -> tuple[int, ...]:
    """`np.shape`, which makes an array of what has a shape of its own."""
    return value.shape if isinstance(value, np.ndarray | np.generic) else np.shape(value)


def _does_not_answer(model: Any, X: Any, sample_weight: Any) -> Claim | None:
    """A failing claim where a model does not predict its own rows: it reads more than is shown.

    Asked only of what has been proved: compiled code trusts its counts.
    """
    from sklearn.utils import _safe_indexing

    if not (hasattr(X, "shape") or hasattr(X, "__len__")):  # a process, which is no table
        return None
    X = _compressed(X) if issparse(X) else X
    rows = np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
    if np.ndim(sample_weight) == 1:  # rows that count for nothing may be impossible to the model
        rows = np.flatnonzero(sample_weight)
    for name in ("predict", "transform"):
        if callable(answer := getattr(model, name, None)):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    answer(_safe_indexing(X, rows[:2].tolist()))
            except NotImplementedError:  # as its options say
                continue
            except Exception as error:
                if isinstance(error, ValueError) and _names_an_option(model, error):
                    continue  # two options that do not go together, as scikit-learn says no sooner
                return _fault(f"{name} answers for rows of its data ({type(error).__name__}: {error})", 1)
    return None


def _names_an_option(model: Any, error: Exception) -> bool:
    return any(f"{name} must be" in str(error) for name in model.get_params(deep=False))


def _predicts_numbers(model: Any) -> bool:
    from sklearn.base import is_regressor

    return is_regressor(model)


def _column_names(X: Any) -> list[str] | None:
    """The names of the columns of a data frame, where all are strings."""
    columns = getattr(X, "columns", None)
    if columns is None or type(X).__module__.partition(".")[0] == "pyarrow":
        return None
    names = list(columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def _readable(model: Any, X: Any, *rest: Any) -> tuple:
    """Data as arrays (or rows in blocks), refused when they cannot be what the model was fitted on."""
    if is_streamed(X) and getattr(type(model), "_by_moments", False):
        rows = as_rows(X, *rest[:2])
        if rows.n_columns != model.n_features_in_:
            raise ValueError(
                f"certify: {type(model).__name__} was fitted on {model.n_features_in_} columns, but X has "
                f"{rows.n_columns}"
            )
        if type(model)._counts_rows:
            return rows, None, None
        short, *others = in_folds(rows, model._n_folds(), condensed, type(model)._of_sums)
        return (standing_for(rows, short), *others)
    if is_streamed(X) or not (hasattr(X, "__len__") or issparse(X)):  # rows in blocks; a process, which is no table
        return (X, *rest)
    y, sample_weight, *more = (*rest, None, None)[: max(2, len(rest))]
    X = _compressed(X) if issparse(X) else _cells(X)
    if X.dtype.hasobject and _READS_WORDS.isdisjoint(vars(model)) and all(type(cell) in _NUMBERS for cell in X.flat):
        X = X.astype(float)
    expected = getattr(model, "n_features_in_", X.shape[-1])
    if "objects_" in vars(model) and X.ndim == 1:
        X = X.astype(object)[:, None]
    if X.shape[1:2] != (expected,) or (X.ndim > 2 and not getattr(model, "_takes_more_dimensions", False)):
        raise ValueError(f"certify: {type(model).__name__} was fitted on {expected} columns, but X has shape {X.shape}")
    if y is None and _needs_targets(model):
        raise ValueError(f"certify({type(model).__name__}): y is needed, the targets that the model was fitted on")
    y = None if y is None else np.asarray(y)
    if y is not None and len(y) != X.shape[0]:
        raise ValueError(f"certify: X has {X.shape[0]} rows, but y has {len(y)}")
    if sample_weight is not None and np.ndim(sample_weight) and len(sample_weight) != X.shape[0]:
        raise ValueError(f"certify: X has {X.shape[0]} rows, but sample_weight has {len(sample_weight)}")
    if y is not None and hasattr(model, "classes_") and _needs_targets(model):
        several = isinstance(model.classes_, list) and y.ndim == 2
        for classes, column in zip(model.classes_, y.T) if several else [(model.classes_, y)]:
            _, strange = places_among(classes, column)
            if strange.any():
                first = plain(column[np.argmax(strange)])
                raise ValueError(f"certify: y holds {first!r}, which is not among the classes {plain(list(classes))}")
    return (X, y, None if sample_weight is None else np.asarray(sample_weight), *more)


def _needs_targets(model: Any) -> bool:
    kind: Any = type(model)
    by_kind = _kind_needs_targets(kind)
    if by_kind is not None:
        return by_kind
    from sklearn.base import is_classifier, is_regressor

    return is_classifier(model) or is_regressor(model)


@cache
def _kind_needs_targets(kind: type) -> bool | None:
    """What the mixins of a class say; None where only its tags do, which take longer to ask for."""
    from sklearn.base import (
        ClassifierMixin,
        ClusterMixin,
        DensityMixin,
        OutlierMixin,
        RegressorMixin,
        TransformerMixin,
    )

    if issubclass(kind, ClassifierMixin | RegressorMixin):
        return True
    return False if issubclass(kind, ClusterMixin | TransformerMixin | OutlierMixin | DensityMixin) else None


def _compressed(X: Any) -> Any:
    """A sparse matrix by rows or columns, without duplicate entries."""
    return canonical(X if X.format in ("csr", "csc") else X.tocsr())


def _cells(X: Any) -> np.ndarray:
    """The table as an array: sequences one after the other, Arrow tables without the codes of their dictionaries."""
    if type(X) is np.ndarray:
        return X
    if isinstance(X, list | tuple) and len({np.shape(part)[:1] for part in X}) > 1:
        return np.concatenate([np.asarray(part).reshape(len(part), -1) for part in X])
    if isinstance(X, list | tuple) and len(X) and np.ndim(X[0]) == 2:
        return np.concatenate(X)
    if type(X).__module__.partition(".")[0] == "pyarrow" and hasattr(X, "columns"):
        return np.column_stack([np.array(column.to_pylist(), dtype=object) for column in X.columns])
    table = np.asarray(unmasked(X))
    # A list of words and numbers keeps its numbers only cell by cell.
    return np.array(X, dtype=object) if isinstance(X, list | tuple) and table.dtype.kind == "U" else table


def _entry(kind: type) -> _Entry:
    return _found(kind)[0]


def _found(kind: type) -> tuple[_Entry, type]:
    """Who judges a class, and as which: exactly itself, if it is of this library or scikit-learn's; a class of somebody
    else may derive from ours.
    """
    home = kind.__module__.partition(".")[0]
    if home == "learnable" and (ours := _own_entry(kind)) is not None:
        return ours, kind
    _load_rooms()
    for ancestor in kind.__mro__:
        exact = ancestor is kind
        if ancestor in _BY_CLASS and (exact or home != "sklearn"):
            return _BY_CLASS[ancestor], ancestor
        entry = _BY_NAME.get(ancestor.__name__)
        origin = ancestor.__module__.partition(".")[0]
        if entry is not None and (origin == "learnable" or (exact and origin == "sklearn" and entry.foreign)):
            return entry, ancestor
        if home == "learnable":
            break
    known = ", ".join(sorted({*_BY_NAME, *(each.__name__ for each in _BY_CLASS)}))
    raise TypeError(f"certify: no certificate is known for {kind.__module__}.{kind.__name__}; known: {known}")


def _own_entry(kind: type) -> _Entry | None:
    """Who judges a class of this library, from the modules of its family that name it; None if it is none of them."""
    if kind.__name__ not in _BY_NAME:
        _load_naming(kind.__module__.split(".")[1], f'"{kind.__name__}"')
    return None if kind in _BY_CLASS else _BY_NAME.get(kind.__name__)


@cache
def _load_naming(family: str, name: str) -> None:
    """Import those modules of the family's room whose source holds the name; a first fit need not wait for the rest."""
    room = f"learnable.certificates.{family}"
    if find_spec(room) is None:
        return
    for module in iter_modules(import_module(room).__path__, f"{room}."):
        spec = module.module_finder.find_spec(module.name, None)  # type: ignore[call-arg]
        loader: Any = None if spec is None else spec.loader
        if name in (loader.get_source(module.name) or name):
            import_module(module.name)


@cache
def _load_rooms() -> None:
    """Import every module of this room, so that each registers what it certifies."""
    for module in walk_packages(import_module("learnable.certificates").__path__, "learnable.certificates."):
        import_module(module.name)
