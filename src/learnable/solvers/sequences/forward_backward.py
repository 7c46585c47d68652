"""Likelihood and posterior of the states, scaled where that is safe and in logarithms where it is not."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp

from learnable._jit.sequences import hmm, hmm_log
from learnable.solvers.sequences.sequence_blocks import SequenceBlock


class HiddenMarkov(NamedTuple):
    """λ = (Π, A, B).

    Attributes
    ----------
    start : (K,) initial distribution. transition : (K, K), rows of sum 1.
    emission : what the states emit: `CategoricalEmission`, `GaussianEmission`, `MultinomialEmission`.
    """

    start: np.ndarray
    transition: np.ndarray
    emission: Any


class Smoothed(NamedTuple):
    """Of a block of sequences: log P(O) of each, γ of every row, Σ γ_1 and Σ ξ; the last three weighted."""

    log_likelihoods: np.ndarray
    gamma: np.ndarray
    start: np.ndarray
    transition: np.ndarray


def log_likelihoods(model: HiddenMarkov, block: SequenceBlock) -> np.ndarray:
    """log P(O) of each sequence of the block; −inf for one that cannot happen. O(T K²)."""
    if _mixes(model.transition):
        found, _, _, _ = _forward(model, block)
        return np.array([_in_logarithms(model, block, s)[0] if np.isnan(v) else v for s, v in enumerate(found)])
    return smoothed(model, block).log_likelihoods


def smoothed(model: HiddenMarkov, block: SequenceBlock) -> Smoothed:
    """The backward procedure on top of the forward one. A sequence that cannot happen has no posterior: zeros."""
    K = len(model.start)
    A = np.ascontiguousarray(model.transition)
    found, alpha, scale, B = _forward(model, block)
    trusted = ~np.isnan(found)
    while True:
        start, transition, before = np.zeros(K), np.zeros((K, K)), trusted.copy()
        hmm.backward(
            A, np.ascontiguousarray(A.T), block.weights, block.ends, alpha, scale, trusted, B, start, transition
        )
        if np.array_equal(before, trusted):
            break
        # A sequence turned out to need logarithms and has spoilt the sums: once more without it.
        B, _ = model.emission.density(block.rows, block.states)
    for s in np.flatnonzero(~trusted).tolist():
        found[s], log_alpha, log_B = _in_logarithms(model, block, s)
        if found[s] > -np.inf and block.weights[s] > 0.0:
            first, end = _span(block, s)
            with np.errstate(divide="ignore"):
                log_A = np.log(A)
            hmm_log.log_backward(log_A, log_B, log_alpha, found[s], block.weights[s], B[first:end], transition)
            start += B[first]
    return Smoothed(found, B, start, transition)


def log_variables(model: HiddenMarkov, block: SequenceBlock) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(log α, log β, log P(O) of each sequence): the recursions themselves, in logarithms throughout. O(T K²).

    α_1(i) = π_i b_i(O_1), α_{t+1}(j) = Σ_i α_t(i) a_ij b_j(O_{t+1}); β_T(i) = 1, β_t(i) = Σ_j a_ij b_j(O_{t+1})
    β_{t+1}(j).
    """
    shape, found = (len(block.rows), len(model.start)), np.empty(len(block.ends))
    alpha, beta = np.empty(shape), np.zeros(shape)
    with np.errstate(divide="ignore"):
        log_A = np.log(model.transition)
    for s in range(len(block.ends)):
        first, end = _span(block, s)
        found[s], alpha[first:end], log_B = _in_logarithms(model, block, s)
        for t in range(end - 2, first - 1, -1):
            beta[t] = logsumexp(log_A + (log_B[t + 1 - first] + beta[t + 1]), axis=1)
    return alpha, beta, found


def _forward(model: HiddenMarkov, block: SequenceBlock) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    B, shift = model.emission.density(block.rows, block.states)
    alpha, scale, found = np.empty_like(B), np.empty(len(B)), np.empty(len(block.ends))
    hmm.forward(model.start, np.ascontiguousarray(model.transition), B, block.ends, alpha, scale, found)
    if shift is not None:
        firsts = np.concatenate(([0], block.ends[:-1]))
        found += np.add.reduceat(shift, firsts)
    return found, alpha, scale, B


def _mixes(A: np.ndarray) -> bool:
    """Whether every state is entered from every other with a probability that keeps all forward variables away from 0.

    Then a forward variable that rounds to zero is filled again at the next step, and nothing that matters is lost.
    """
    return bool(A.min() > 1e-100)


def _in_logarithms(model: HiddenMarkov, block: SequenceBlock, s: int) -> tuple[float, np.ndarray, np.ndarray]:
    first, end = _span(block, s)
    states = None if block.states is None else block.states[first:end]
    log_B = np.ascontiguousarray(model.emission.log_density(block.rows[first:end], states))
    log_alpha = np.empty_like(log_B)
    with np.errstate(divide="ignore"):
        value = hmm_log.log_forward(np.log(model.start), np.log(model.transition), log_B, log_alpha)
    return value, log_alpha, log_B


def _span(block: SequenceBlock, s: int) -> tuple[int, int]:
    return (int(block.ends[s - 1]) if s else 0), int(block.ends[s])
