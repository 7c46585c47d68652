"""Names of criteria that scikit-learn gives up, as what they mean."""

import warnings
from typing import Any


def present_criterion(owner: Any, criterion: Any) -> Any:
    """The criterion by the name that stays, with scikit-learn's warning where it was called by the other one."""
    if not (isinstance(criterion, str) and criterion == "friedman_mse"):
        return criterion
    warnings.warn(
        f'{type(owner).__name__}: Value `"friedman_mse"` for `criterion` is deprecated and will be removed in 1.11 of '
        'scikit-learn. It maps to `"squared_error"` as both were always equivalent. Use `criterion="squared_error"` to '
        "remove this warning.",
        FutureWarning,
        stacklevel=3,
    )
    return "squared_error"
