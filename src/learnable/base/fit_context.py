"""What surrounds every `fit`: its parameters are checked, and callbacks that it set up are torn down."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from sklearn._config import _get_threadlocal_config
from sklearn.callback._callback_support import callback_management_context
from sklearn.utils.validation import _is_fitted

SKIP = "skip_parameter_validation"


def parameters_are_checked() -> bool:
    """Whether they are, of whatever is fitted now in this thread."""
    return bool(_get_threadlocal_config()[SKIP])


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Callable], Callable]:
    """scikit-learn's `_fit_context`, whose ways in and out of two contexts take as long as the fit of a small table.

    Parameters
    ----------
    prefer_skip_nested_validation : whether parameters of what the fit calls are checked already.

    Examples
    --------
    >>> from learnable.linear import Ridge
    >>> Ridge(alpha=-1.0).fit([[0.0], [1.0]], [0.0, 1.0])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sklearn.utils._param_validation.InvalidParameterError: The 'alpha' parameter of Ridge must be ...
    """

    def decorated(method: Callable) -> Callable:
        goes_on = method.__name__ == "partial_fit"

        @wraps(method)
        def fit(estimator: Any, *data: Any, **named: Any) -> Any:
            settings = _get_threadlocal_config()  # those of this thread, not a copy
            skipped = settings[SKIP]
            if not skipped and not (goes_on and _is_fitted(estimator)):
                estimator._validate_params()
            try:
                settings[SKIP] = skipped or prefer_skip_nested_validation
                return method(estimator, *data, **named)
            finally:
                settings[SKIP] = skipped
                if hasattr(estimator, "_callback_fit_ctx"):
                    with callback_management_context(estimator):
                        pass  # which tears them down

        return fit

    return decorated
