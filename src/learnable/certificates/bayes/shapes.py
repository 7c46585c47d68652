"""Fitted attributes have the shapes that the classes and the columns ask for, and are stored in doubles or singles."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from learnable.certificates.core.claim import Claim
from learnable.rows import Rows


def misshapen(id: str, model: Any, shapes: Mapping[str, tuple[int, ...]]) -> list[Claim]:
    """A refuted claim if an attribute is missing, is no array of numbers, or has another shape; otherwise none.

    >>> from types import SimpleNamespace
    >>> misshapen("Y6", SimpleNamespace(theta_=np.zeros((2, 3))), {"theta_": (2, 3)})
    []
    >>> print(misshapen("Y6", SimpleNamespace(theta_=np.zeros((1, 2, 3))), {"theta_": (2, 3)})[0])
    [REFUTED] Y6: theta_ has the shape of the classes and columns (how many have not): 1 <= 0
    """
    wrong = [name for name, shape in shapes.items() if not _is_array(getattr(model, name, None), shape)]
    if not wrong:
        return []
    statement = f"{', '.join(wrong)} has the shape of the classes and columns (how many have not)"
    return [Claim.at_most(id, statement, len(wrong), 0.0)]


def _is_array(values: Any, shape: tuple[int, ...]) -> bool:
    try:
        return np.asarray(values, dtype=float).shape == shape
    except (TypeError, ValueError):
        return False


def stored_precision(rows: Rows) -> float:
    """The rounding of an answer that is stored as the data are: single precision for single-precision tables.

    The answer's own dtype says nothing here: who rounds an answer does not choose how far it may be off.
    """
    return float(np.finfo(np.float32 if rows.dtype == np.float32 else np.float64).eps)
