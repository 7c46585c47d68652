"""What a fitted model uses and holds, asked of the model itself."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.app.judging.choosing import Traits
from learnable.app.trials.calibrated import Calibrated

# Rows on which a model is asked which columns it uses.
PROBED_ROWS = 200


def traits_of(model: Any, owners: Sequence[str], X: np.ndarray) -> Traits:
    """Columns used, numbers held, and whether there are weights to read."""
    return Traits(len(columns_used(model, owners, X)), size_of(model), readable(model))


def columns_used(model: Any, owners: Sequence[str], X: np.ndarray) -> list[str]:
    """The columns of the table that the model uses, in the order of the table.

    A model that says so itself (`features_used_`, a mask of its inputs) is believed; one with weights uses those that
    are not zero; any other is tried: a column is used when giving its cells to other rows changes a prediction.

    Parameters
    ----------
    model : fitted; owners : the column behind each input of the model; X : some coded rows.
    """
    used = inputs_used(model, X, owners)
    return list(dict.fromkeys(owner for owner, mine in zip(owners, used) if mine))


def inputs_used(model: Any, X: np.ndarray, owners: Sequence[str] | None = None) -> np.ndarray:
    """Mask of the inputs that the model uses."""
    members = parts_of(model)
    if members != [model]:
        return np.any([inputs_used(member, X, owners) for member in members], axis=0)
    said = getattr(model, "features_used_", None)
    if said is not None and len(said) == X.shape[1]:
        return np.asarray(said, dtype=bool)
    weights = getattr(model, "coef_", None)
    if weights is not None and np.shape(weights)[-1] == X.shape[1]:
        return np.any(np.atleast_2d(weights), axis=0)
    return _tried(model, X, list(range(X.shape[1])) if owners is None else owners)


def _tried(model: Any, X: np.ndarray, owners: Sequence[Any]) -> np.ndarray:
    rng = np.random.default_rng(0)
    rows = X[rng.permutation(len(X))[:PROBED_ROWS]]
    before = _said(model, rows)
    used = np.zeros(X.shape[1], dtype=bool)
    for owner in dict.fromkeys(owners):
        columns = [j for j, one in enumerate(owners) if one == owner]
        changed = rows.copy()
        changed[:, columns] = X[rng.permutation(len(X))[: len(rows)]][:, columns]
        used[columns] = not np.array_equal(_said(model, changed), before)
    return used


def _said(model: Any, X: np.ndarray) -> np.ndarray:
    return np.asarray(model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X))


def parts_of(model: Any) -> list[Any]:
    """The learners inside a model: of a blend its members, of a calibrated one what is calibrated.

    >>> from sklearn.dummy import DummyRegressor
    >>> len(parts_of(DummyRegressor()))
    1
    """
    from learnable.app.trials.blend import is_blend

    if is_blend(model):
        return [part for member in model.members for part in parts_of(member)]
    return [model.estimator_] if isinstance(model, Calibrated) else [model]


def readable(model: Any) -> bool:
    """Whether the model is one set of weights."""
    parts = parts_of(model)
    return len(parts) == 1 and hasattr(parts[0], "coef_")


def size_of(model: Any) -> int:
    """Numbers that the model holds in its fitted attributes."""
    return sum(_numbers(value) for part in parts_of(model) for key, value in vars(part).items() if _fitted(key))


def _fitted(key: str) -> bool:
    return key.endswith("_") and not key.startswith("_") and key not in ("certificate_", "status_", "classes_")


def _numbers(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return int(value.size)
    if isinstance(value, list | tuple):
        return sum(_numbers(item) for item in value)
    return int(isinstance(value, int | float | np.number))
