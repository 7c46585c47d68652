"""Values for messages, as a user writes them."""

from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """NumPy's scalars as Python's, alone or in a list or tuple; anything else as it is.

    >>> f"no class {plain(np.str_('a'))!r} among {plain(tuple(np.array([1, 2])))}"
    "no class 'a' among (1, 2)"
    """
    if isinstance(value, np.generic):
        return value.item()
    if type(value) in (list, tuple):
        return type(value)(map(plain, value))
    return value
