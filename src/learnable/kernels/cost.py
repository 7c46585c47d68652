"""What slack costs: the parameter C of the machines, and the weights of rows that multiply C."""

from collections.abc import Iterable, Iterator, Sequence
from numbers import Real
from typing import Any

import numpy as np

from learnable.solvers.kernels.machines import MachinesState, Posed

# Its square, which enters bounds on the gap, is a number too.
LARGEST = 1e100
# What C=inf is fitted as: where no coefficient comes near it, any larger C has the same answer.
WITHOUT_SLACK = 1e10


def number(given: Any) -> float:
    """A parameter as a number, NaN where it is none: no bound holds for it.

    >>> number(2), number("2"), number(None)
    (2.0, nan, nan)
    """
    return float(given) if isinstance(given, Real) else float("nan")


def refuse_cost(name: str, C: Any, without_slack: bool = False) -> None:
    """Raise unless C is a number > 0 that has a square, or infinite where there is such a machine.

    >>> refuse_cost("SVC", 1e300)
    Traceback (most recent call last):
    ValueError: SVC(C=1e+300): C must be a number > 0, at most 1e+100; larger values allow less slack
    """
    if not 0.0 < number(C) <= LARGEST and not (without_slack and number(C) == np.inf):
        raise ValueError(
            f"{name}(C={C!r}): C must be a number > 0, at most {LARGEST:g}; larger values allow less slack"
        )


def without_negative(name: str, sample_weight: Any) -> Any:
    """The weights with 0 for those below: a row without a positive weight is left out, as by LIBSVM.

    Weights that leave no row are refused; what is no vector of numbers is left to others.

    >>> without_negative("SVC", [1.0, -2.0, 3.0]).tolist()
    [1.0, 0.0, 3.0]
    """
    given = np.asarray(sample_weight)
    if given.ndim != 1 or given.dtype.kind not in "biuf":
        return sample_weight
    if len(given) and np.all(given <= 0):
        raise ValueError(
            f"{name}: Invalid input - all samples have zero or negative weights. sample_weight must have a positive "
            "number for some row; at least one must be non-zero"
        )
    return np.where(given < 0, 0.0, given) if np.any(given < 0) else sample_weight


def fitted_cost(C: float) -> float:
    """C as a number to fit with: that of a machine without slack where it is infinite."""
    return WITHOUT_SLACK if np.inf == C else float(C)


def without_bounds(name: str, states: Iterable[MachinesState], posed: Sequence[Posed]) -> Iterator[MachinesState]:
    """The states of machines with C=inf; raises at the end where a coefficient has come near the bound after all."""
    for state in states:
        yield state
    for each, beta in zip(posed, state.betas):
        bound = np.maximum(each.dual.upper, -each.dual.lower)
        if np.any(np.abs(beta) > 0.5 * bound):
            raise ValueError(
                f"{name}(C=inf): at C={WITHOUT_SLACK:g} some row still needs slack, so that no function of this kernel "
                "leaves none, or only one of far larger coefficients; scale the columns, give a finite C, or take "
                "another kernel"
            )
