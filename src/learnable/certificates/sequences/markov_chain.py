"""Markov chains: the transitions are counted again, and the fit compared with the best possible. Syllabus: H1."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.sequences.hidden_markov_emissions import rows_flaw
from learnable.rows import is_streamed


@certifies("MarkovChain")
def markov_chain_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """Rows of sum 1, the shortfall from the maximum, and counts that are those of the data.

    With counts c (smoothing included) of sum n in a row, the log-likelihood is concave with maximum at c/n, and a row p
    falls short of it by n KL(c/n ‖ p) = Σ c log(c / (n p)): zero exactly at the answer. A row without counts has no
    maximum of its own: it is the even one by convention.
    """
    start, transition = np.asarray(model.startprob_, dtype=float), np.asarray(model.transmat_, dtype=float)
    flaw = max(rows_flaw(start), rows_flaw(transition))
    sound = Claim.at_most("H1", "rows of probabilities add up to 1", flaw, 1e-8)
    if not sound.holds:
        return [sound]
    starts, counts = _recounted(model, X, sample_weight, len(start))
    short = _shortfall(starts + model.smoothing, start) + _shortfall(counts + model.smoothing, transition)
    with np.errstate(divide="ignore"):
        terms = [
            weight[weight > 0.0] @ np.log(p[weight > 0.0]) for weight, p in ((starts, start), (counts, transition))
        ]
    stated, never_left = abs(sum(terms) - model.log_likelihood_), np.flatnonzero(counts.sum(axis=1) == 0.0)
    bound = 1e-9 * (1.0 + starts.sum() + counts.sum())
    miscounted = max(_difference(model.start_counts_, starts), _difference(model.counts_, counts))
    misnamed = float(not np.array_equal(model.never_left_, never_left))
    uneven = _difference(transition[never_left], np.full((len(never_left), len(start)), 1.0 / len(start)))
    return [
        sound,
        Claim.at_most("H1", "the (smoothed) log-likelihood is below its maximum by at most", short, bound),
        Claim.at_most("H1", "the log-likelihood differs from the one stated by", stated, bound),
        Claim.at_most("H1", "a count differs from the one stated by", miscounted, bound),
        Claim.at_most("H1", "never_left_ are the states that are never left (1 if not)", misnamed, 0),
        Claim.at_most("H1", "the row of a state that is never left differs from the even one by", uneven, 1e-9),
        Claim.disclosure("H1", "states that are never left, whose row the data do not tell", len(never_left)),
    ]


def _recounted(model: Any, X: Any, weights: Any, K: int) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.asarray(model.lengths_)
    if is_streamed(X):
        collected = X.compute()
        X = collected if hasattr(X, "shape") else np.concatenate([np.ravel(item) for item in collected])
    states = np.asarray(X, dtype=float).ravel().astype(int)
    weights = np.ones(len(lengths)) if weights is None else np.asarray(weights, dtype=float)
    starts, counts = np.zeros(K), np.zeros((K, K))
    if lengths.sum() != len(states) or states.max() >= K:
        raise ValueError(f"certify: the chain was fitted on {lengths.sum()} steps of {K} states; X is something else")
    sequence = np.repeat(np.arange(len(lengths)), lengths)
    firsts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    np.add.at(starts, states[firsts], weights)
    stays = sequence[1:] == sequence[:-1]
    np.add.at(counts, (states[:-1][stays], states[1:][stays]), weights[sequence[1:][stays]])
    return starts, counts


def _difference(stated: Any, counted: np.ndarray) -> float:
    stated = np.asarray(stated, dtype=float)
    return float(np.abs(stated - counted).max(initial=0.0)) if stated.shape == counted.shape else np.inf


def _shortfall(counts: np.ndarray, p: np.ndarray) -> float:
    total = counts.sum(axis=-1, keepdims=True)
    seen = counts > 0.0
    share = np.where(seen, counts / np.where(total > 0.0, total, 1.0), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.sum(np.where(seen, counts * np.log(share / np.where(seen, p, 1.0)), 0.0)))
