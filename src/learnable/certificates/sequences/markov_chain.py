"""Markov chains: the transitions are counted again, and the fit compared with the best possible. Syllabus: H1."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.bayes.count_claims import largest_difference
from learnable.certificates.bayes.shapes import misshapen
from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.reported import reported
from learnable.certificates.sequences.hidden_markov_emissions import rows_flaw
from learnable.certificates.sequences.reading import read_sequences
from learnable.rows import is_streamed


@certifies(
    "MarkovChain",
    ledger=Ledger(
        verified=("startprob_", "transmat_"),
        derived=("start_counts_", "counts_", "never_left_", "log_likelihood_", "lengths_"),
    ),
    foreign=False,
    table=False,
)
def markov_chain_claims(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None, lengths: Any = None, *, sequence_weight: Any = None
) -> Sequence[Claim]:
    """Rows of sum 1, the shortfall from the maximum, and counts that are those of the data.

    With counts c (smoothing included) of sum n in a row, the log-likelihood is concave with maximum at c/n, and a row p
    falls short of it by n KL(c/n ‖ p) = Σ c log(c / (n p)): zero exactly at the answer. A row without counts has no
    maximum of its own: it is the even one by convention.
    """
    weights = sequence_weight if sample_weight is None else sample_weight
    table, lengths = read_sequences(model, X, lengths, one_column=True)
    states, lengths = _states(table, lengths)
    K = int(states.max()) + 1 if model.n_components is None else model.n_components
    if states.min() < 0 or states.max() >= K:
        raise ValueError(f"certify: the chain has the states 0 … {K - 1}, but X holds {states.min()} to {states.max()}")
    by_state: dict[str, tuple[int, ...]] = {"startprob_": (K,), "transmat_": (K, K), "start_counts_": (K,)}
    if wrong := misshapen("H1", model, by_state | {"counts_": (K, K), "log_likelihood_": ()}):
        return wrong
    start, transition = np.asarray(model.startprob_, dtype=float), np.asarray(model.transmat_, dtype=float)
    flaw = max(rows_flaw(start), rows_flaw(transition))
    sound = Claim.at_most("H1", "rows of probabilities add up to 1", flaw, 1e-8)
    if not sound.holds:
        return [sound]
    starts, counts = _recounted(states, lengths, weights, K)
    short = _shortfall(starts + model.smoothing, start) + _shortfall(counts + model.smoothing, transition)
    with np.errstate(divide="ignore"):
        terms = [
            weight[weight > 0.0] @ np.log(p[weight > 0.0]) for weight, p in ((starts, start), (counts, transition))
        ]
    stated, never_left = abs(sum(terms) - model.log_likelihood_), np.flatnonzero(counts.sum(axis=1) == 0.0)
    bound = 1e-9 * (starts.sum() + counts.sum())
    miscounted = max(largest_difference(model.start_counts_, starts), largest_difference(model.counts_, counts))
    misnamed = float(not np.array_equal(model.never_left_, never_left))
    uneven = np.abs(transition[never_left] - 1.0 / K).max(initial=0.0)
    return [
        sound,
        Claim.at_most("H1", "the (smoothed) log-likelihood is below its maximum by at most", short, bound),
        Claim.at_most("H1", "the log-likelihood differs from the one stated by", stated, bound),
        Claim.at_most("H1", "a count differs from the one stated by (relative)", miscounted, 1e-9),
        Claim.at_most("H1", "never_left_ are the states that are never left (1 if not)", misnamed, 0),
        Claim.at_most("H1", "the row of a state that is never left differs from the even one by", uneven, 1e-9),
        reported("H1", "lengths_", model.lengths_, lengths, 0.0),
        Claim.disclosure("H1", "states that are never left, whose row the data do not tell", len(never_left)),
    ]


def _states(X: Any, lengths: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """(all states, lengths), also of what dask holds."""
    if is_streamed(X):
        collected = X.compute()
        if lengths is None:
            lengths = np.array([len(item) for item in collected])
            collected = np.concatenate([np.ravel(item) for item in collected])
        X = collected
    values = np.asarray(X, dtype=float).ravel()
    if lengths is None or not np.all(values == np.floor(values)):
        raise ValueError("certify: the states of a chain are whole numbers, in a table with lengths")
    return values.astype(int), lengths


def _recounted(states: np.ndarray, lengths: np.ndarray, weights: Any, K: int) -> tuple[np.ndarray, np.ndarray]:
    weights = np.ones(len(lengths)) if weights is None else np.asarray(weights, dtype=float)
    starts, counts = np.zeros(K), np.zeros((K, K))
    if weights.shape != lengths.shape:
        raise ValueError(f"certify: {len(weights)} weights for {len(lengths)} sequences; give one for each")
    sequence = np.repeat(np.arange(len(lengths)), lengths)
    firsts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    np.add.at(starts, states[firsts], weights)
    stays = sequence[1:] == sequence[:-1]
    np.add.at(counts, (states[:-1][stays], states[1:][stays]), weights[sequence[1:][stays]])
    return starts, counts


def _shortfall(counts: np.ndarray, p: np.ndarray) -> float:
    total = counts.sum(axis=-1, keepdims=True)
    seen = counts > 0.0
    share = np.where(seen, counts / np.where(total > 0.0, total, 1.0), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.sum(np.where(seen, counts * np.log(share / np.where(seen, p, 1.0)), 0.0)))
