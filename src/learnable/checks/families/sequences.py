"""Sequence models under the checks: sequences drawn from models of the same kind."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np

from learnable.checks.registry import register
from learnable.sequences.drawing import drawn_chain
from learnable.solvers.sequences.categorical_emission import CategoricalEmission
from learnable.solvers.sequences.multinomial_emission import MultinomialEmission


def a_chain(seed: int) -> tuple[np.ndarray, None]:
    """A chain of three states."""
    A = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4]])
    return drawn_chain([1.0, 0.0, 0.0], A, 200, np.random.default_rng(seed))[:, None], None


def symbols(seed: int) -> tuple[np.ndarray, None]:
    """A sequence of three symbols from two states that last."""
    generator = np.random.default_rng(seed)
    states = drawn_chain([1.0, 0.0], np.array([[0.9, 0.1], [0.15, 0.85]]), 200, generator)
    prob = np.array([[0.7, 0.2, 0.1], [0.05, 0.25, 0.7]])
    return CategoricalEmission(prob).drawn(states, generator), None


def counts(seed: int) -> tuple[np.ndarray, None]:
    """A sequence of counts from two states that last."""
    generator = np.random.default_rng(seed)
    states = drawn_chain([1.0, 0.0], np.array([[0.9, 0.1], [0.15, 0.85]]), 200, generator)
    prob = np.array([[0.6, 0.2, 0.1, 0.1], [0.1, 0.2, 0.2, 0.5]])
    return MultinomialEmission(prob, n_trials=5).drawn(states, generator), None


def vectors(seed: int) -> tuple[np.ndarray, None]:
    """A sequence of vectors from two states that last."""
    generator = np.random.default_rng(seed)
    states = drawn_chain([1.0, 0.0], np.array([[0.9, 0.1], [0.15, 0.85]]), 200, generator)
    means, scales = np.array([[0.0, 1.0, -1.0], [3.0, -2.0, 0.5]]), np.array([[1.0, 0.5, 2.0], [0.7, 1.5, 1.0]])
    return means[states] + scales[states] * generator.standard_normal((200, 3)), None


def other_states_never_left(model: Any) -> Iterator[tuple[str, Any]]:
    """Copies with another list of the states that are never left."""
    for state in range(len(model.transmat_)):
        copy = deepcopy(model)
        copy.never_left_ = np.setxor1d(model.never_left_, [state])
        yield f"state {state} moved in or out of never_left_", copy


register("MarkovChain", data=a_chain, altered=other_states_never_left)
# One sequence, however long, is the work of one thread; `tests/sequences` has many.
register("CategoricalHMM", data=symbols, copies=2)
register("MultinomialHMM", data=counts, copies=2)
register("GaussianHMM", data=vectors, copies=2)
