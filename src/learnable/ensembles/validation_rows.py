"""Rows that boosting sets aside to see when it no longer gets better."""

from typing import Any

import numpy as np


def set_aside(model: Any, target: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(rows to learn from, rows set aside), in order; of classes the same shares in both."""
    from sklearn.model_selection import train_test_split  # half of scikit-learn, which no prediction needs

    try:
        rows, rest = train_test_split(
            np.arange(len(target)), test_size=model.validation_fraction, random_state=seed,
            stratify=target if hasattr(model, "classes_") else None,
        )  # fmt: skip
    except ValueError as error:
        raise ValueError(
            f"{_named(model)}: {len(target)} rows cannot be parted so ({error}); give another share, or "
            f"{_without(model)}"
        ) from None
    return np.sort(rows), np.sort(rest)


def refuse_weightless(model: Any, weight: np.ndarray, rows: np.ndarray, rest: np.ndarray) -> None:
    """ValueError unless some row weighs something on either side."""
    for some, what in ((rows, "left to learn from"), (rest, "set aside")):
        if not np.any(weight[some]):
            raise ValueError(
                f"{_named(model)}: all {len(some)} rows {what} have weight 0; leave rows of weight 0 out, give another "
                f"random_state, or {_without(model)}"
            )


def _named(model: Any) -> str:
    return f"{type(model).__name__}(validation_fraction={model.validation_fraction})"


def _without(model: Any) -> str:
    """How no rows are set aside."""
    return "early_stopping=False" if hasattr(model, "early_stopping") else "n_iter_no_change=None"
