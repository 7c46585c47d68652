"""Markov chains and hidden Markov models."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.sequences.categorical_hmm import CategoricalHMM
    from learnable.sequences.choose_states import StateChoice, choose_n_components
    from learnable.sequences.enumerate_paths import Enumeration, enumerate_paths
    from learnable.sequences.forward_backward import ForwardBackward
    from learnable.sequences.gaussian_hmm import GaussianHMM
    from learnable.sequences.markov_chain import MarkovChain
    from learnable.sequences.multinomial_hmm import MultinomialHMM
    from learnable.sequences.stationary import communicating_classes, stationary_distributions

__all__ = [
    "CategoricalHMM", "Enumeration", "ForwardBackward", "GaussianHMM", "MarkovChain", "MultinomialHMM", "StateChoice",
    "choose_n_components", "communicating_classes", "enumerate_paths", "stationary_distributions",
]  # fmt: skip

import_when_used(__name__)
