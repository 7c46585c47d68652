"""What the parameters of learners with a kernel may be; each has some of them."""

from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, Options, StrOptions

from learnable.problems.kernels.named import NAMES

COUNT = [Interval(Integral, 1, None, closed="left")]
# Whether a width is large enough, and a cost too large, is said in words of their own.
WIDTH: list[Any] = [StrOptions({"scale", "auto"}), Real, None]
COST: list[Any] = [Interval(Real, 0.0, None, closed="right")]
OF_KERNELS: dict[str, Any] = {
    "kernel": [StrOptions(set(NAMES)), callable],
    "gamma": WIDTH,
    "degree": [Interval(Real, 0.0, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "kernel_params": [dict, None],
    "loss": [str, tuple],
    "C": COST,
    "fit_intercept": ["boolean"],
    "cache_size": COST,
    "max_iter": COUNT,
}
OF_MACHINES: dict[str, Any] = OF_KERNELS | {
    "degree": [Interval(Integral, 0, None, closed="left")],
    "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    "epsilon": [Interval(Real, 0.0, None, closed="left")],
    "tol": [Interval(Real, 0.0, None, closed="neither")],
    "shrinking": ["boolean"],
    "probability": ["boolean", StrOptions({"deprecated"})],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "max_iter": [Options(Integral, {-1}), *COUNT],
    "decision_function_shape": [StrOptions({"ovr", "ovo"})],
    "break_ties": ["boolean"],
}
