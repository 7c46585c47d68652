"""Expectation–maximisation: the loop that every latent-variable model shares. Syllabus: U5, H8."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np

Model = TypeVar("Model")
Expected = TypeVar("Expected")


class EMStep(NamedTuple):
    """A model after an EM step.

    Attributes
    ----------
    model : the parameters.
    expected : what the E-step at this model found.
    value : its (penalised) log-likelihood.
    gain : what one more EM step adds to it.
    history : the value of the start and after each step.
    """

    model: Any
    expected: Any
    value: float
    gain: float
    history: np.ndarray


def em(
    start: Model,
    expectation: Callable[[Model], tuple[Expected, float]],
    maximisation: Callable[[Model, Expected], Model],
    impossible: Callable[[Model], Exception],
) -> Iterator[EMStep]:
    """The models after 1, 2, … EM steps. Each waits for the step after it, so that its gain is known and not guessed.

    Parameters
    ----------
    start : the first model.
    expectation : model -> (expected sufficient statistics, log-likelihood).
    maximisation : (model, expected statistics) -> the model that maximises the expected log-likelihood.
    impossible : the error for a start under which the data have probability 0.
    """
    expected, value = expectation(start)
    if value == -np.inf:
        raise impossible(start)
    history = [value]
    model = maximisation(start, expected)
    expected, value = expectation(model)
    while True:
        history.append(value)
        following = maximisation(model, expected)
        here = expected
        expected, after = expectation(following)
        yield EMStep(model, here, value, after - value, np.array(history))
        model, value = following, after
