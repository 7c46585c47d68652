"""`certify`: the claims about a fitted estimator, computed again from its fitted attributes and the data."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import numpy as np
from scipy.sparse import issparse

from learnable.certificates.core.certificate import Certificate
from learnable.certificates.core.claim import Claim
from learnable.plain import plain
from learnable.rows import canonical, is_streamed, one_blas_thread
from learnable.rows.mapped import places_among

Certifier = Callable[..., Sequence[Claim]]

# Class name -> function of (fitted model, X, y, sample_weight). Our estimators keep the names, parameters and fitted
# attributes of scikit-learn's, so one function judges both.
_CERTIFIERS: dict[str, Certifier] = {}
_HOMES = ("learnable", "sklearn")


def certifies(*class_names: str) -> Callable[[Certifier], Certifier]:
    """Register a function as the certifier of the estimators of these class names."""

    def register(function: Certifier) -> Certifier:
        for name in class_names:
            _CERTIFIERS[name] = function
        return function

    return register


def certify(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
    """What can be proved about a fitted `model` on the data it was fitted on.

    Uses the fitted attributes and the data alone: neither how the answer was found nor any solver's code. Works for
    the estimators of this library and for fitted scikit-learn estimators with the same mathematics.

    Parameters
    ----------
    model : fitted estimator.
    X, y, sample_weight : the training data.

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

    check_is_fitted(model)
    certifier = _certifier(type(model))
    if undefined := _undefined_numbers(model):
        claim = Claim.at_most("O7", "every number of the answer is finite (how many are not)", undefined, 0.0)
        return Certificate(type(model).__name__, [claim])
    X, y, sample_weight = _readable(model, X, y, sample_weight)
    # One BLAS thread, as in a fit: the same answer and data give the same bits.
    with one_blas_thread():
        return Certificate(type(model).__name__, certifier(model, X, y, sample_weight))


def _undefined_numbers(model: Any) -> int:
    """How many entries of the fitted arrays are infinite or not numbers."""
    answers = (np.asarray(value) for name, value in vars(model).items() if name in ("coef_", "intercept_"))
    return sum(int(np.count_nonzero(~np.isfinite(answer))) for answer in answers if answer.dtype.kind == "f")


def _readable(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Data as arrays (or rows in blocks), refused when they cannot be what the model was fitted on."""
    if is_streamed(X) or hasattr(X, "pair_states"):  # rows in blocks; a decision process, which is no table
        return X, y, sample_weight
    X = _compressed(X) if issparse(X) else _cells(X)
    expected = getattr(model, "n_features_in_", None)
    if X.ndim != 2 or (expected is not None and X.shape[1] != expected):
        raise ValueError(f"certify: {type(model).__name__} was fitted on {expected} columns, but X has shape {X.shape}")
    y = None if y is None else np.asarray(y)
    if y is not None and len(y) != X.shape[0]:
        raise ValueError(f"certify: X has {X.shape[0]} rows, but y has {len(y)}")
    if y is not None and hasattr(model, "classes_"):
        _, strange = places_among(model.classes_, y)
        if np.any(strange):
            first = plain(y[np.argmax(strange)])
            raise ValueError(
                f"certify: y holds {first!r}, which is not among the classes {plain(list(model.classes_))}"
            )
    return X, y, None if sample_weight is None else np.asarray(sample_weight)


def _compressed(X: Any) -> Any:
    """A sparse matrix by rows or columns, without duplicate entries."""
    return canonical(X if X.format in ("csr", "csc") else X.tocsr())


def _cells(X: Any) -> np.ndarray:
    """The table as an array: sequences one after the other, Arrow tables without the codes of their dictionaries."""
    if isinstance(X, list | tuple) and len({np.shape(part)[:1] for part in X}) > 1:
        return np.concatenate([np.asarray(part).reshape(len(part), -1) for part in X])
    if isinstance(X, list | tuple) and len(X) and np.ndim(X[0]) == 2:
        return np.concatenate(X)
    if type(X).__module__.partition(".")[0] == "pyarrow" and hasattr(X, "columns"):
        return np.column_stack([np.array(column.to_pylist(), dtype=object) for column in X.columns])
    table = np.asarray(X)
    # A list of words and numbers keeps its numbers only cell by cell.
    return np.array(X, dtype=object) if isinstance(X, list | tuple) and table.dtype.kind == "U" else table


def _certifier(kind: type) -> Certifier:
    _load_rooms()
    for ancestor in kind.__mro__:
        if ancestor.__name__ in _CERTIFIERS and ancestor.__module__.partition(".")[0] in _HOMES:
            return _CERTIFIERS[ancestor.__name__]
    known = ", ".join(sorted(_CERTIFIERS))
    raise TypeError(f"certify: no certificate is known for {kind.__module__}.{kind.__name__}; known: {known}")


@cache
def _load_rooms() -> None:
    """Import every module of this room, so that each registers what it certifies."""
    package = import_module("learnable.certificates")
    for module in walk_packages(package.__path__, "learnable.certificates."):
        import_module(module.name)
