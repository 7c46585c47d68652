"""Transitions of observed Markov chains, counted over many sequences. Syllabus: H1."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from learnable.solvers.sequences.sequence_blocks import SequenceBlock, Sequences


class CountState(NamedTuple):
    """The one state of a direct solution.

    Attributes
    ----------
    objective : minus the log-likelihood plus Σ smoothing · log p.
    log_likelihood : Σ w log P(sequence).
    start_counts : (K,), counts : (K, K), weighted.
    start, transition : the maximisers.
    """

    objective: float
    log_likelihood: float
    start_counts: np.ndarray
    counts: np.ndarray
    start: np.ndarray
    transition: np.ndarray


def iterates(sequences: Sequences, K: int, smoothing: float, n_jobs: int | None) -> Iterator[CountState]:
    """Maximum-likelihood (or, with smoothing, maximum a posteriori) Π and A: counts, each row divided by its sum.

    A state that is never left has a row without counts: every row is as likely there, and it gets the even one.
    """
    start_counts, counts = sequences.total(partial(_counts, K=K), n_jobs)
    start, transition = _shares(start_counts + smoothing), _shares(counts + smoothing)
    fit, prior = (
        sum(float(weight[p > 0.0] @ np.log(p[p > 0.0])) for weight, p in pairs)
        for pairs in (
            ((start_counts, start), (counts, transition)),
            ((np.full(K, smoothing), start), (np.full((K, K), smoothing), transition)),
        )
    )
    yield CountState(-fit - prior, fit, start_counts, counts, start, transition)


def _counts(block: SequenceBlock, K: int) -> tuple[np.ndarray, np.ndarray]:
    firsts = np.concatenate(([0], block.ends[:-1]))
    weight = np.repeat(block.weights, np.diff(np.concatenate(([0], block.ends))))
    start = np.bincount(block.rows[firsts], weights=block.weights, minlength=K)
    inner = np.ones(len(block.rows), dtype=bool)
    inner[firsts] = False
    into = np.flatnonzero(inner)
    pairs = block.rows[into - 1] * K + block.rows[into]
    return start, np.bincount(pairs, weights=weight[into], minlength=K * K).reshape(K, K)


def _shares(counts: np.ndarray) -> np.ndarray:
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0.0, counts / np.where(total > 0.0, total, 1.0), 1.0 / counts.shape[-1])
