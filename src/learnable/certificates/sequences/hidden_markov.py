"""Hidden Markov models: likelihood, forward–backward identity, EM stationarity and best paths, all computed again.

Syllabus: H2, H4–H8.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.bayes.shapes import misshapen
from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.reported import reported
from learnable.certificates.core.shapes import check_shapes
from learnable.certificates.sequences.hidden_markov_emissions import (
    Counts,
    Gaussians,
    ProbabilityRows,
    Symbols,
    rows_flaw,
)
from learnable.certificates.sequences.hidden_markov_messages import (
    LOGARITHMS,
    PROBABILITIES,
    Arithmetic,
    backward,
    forward,
)
from learnable.certificates.sequences.hidden_markov_still import still_claims
from learnable.certificates.sequences.hidden_markov_structure import structure_claims
from learnable.certificates.sequences.reading import one_by_one, read_sequences
from learnable.rows import is_streamed

# Relative rounding of a log-likelihood and of the sums behind it: 1e-15 as a rule, 1e-12 where a covariance is singular
# but for its regularisation (two equal columns).
ROUNDING = 1e-11
# What one more EM step may add to a log-likelihood, in nats at an average weight of 1: a likelihood ratio of 1.0001.
GAIN = 1e-4
# Scalings and sums below this ask for logarithms.
SMALLEST = np.log(1e-100)

_EMISSIONS: dict[str, Any] = {
    "CategoricalHMM": Symbols, "MultinomialHMM": Counts, "GaussianHMM": Gaussians,
}  # fmt: skip


class Part(NamedTuple):
    """Some whole sequences: rows (n, d), lengths, weights, known states or None; lengths of those left out too."""

    X: np.ndarray
    lengths: np.ndarray
    weights: np.ndarray
    states: np.ndarray | None
    all_lengths: np.ndarray | None = None


class Lambda(NamedTuple):
    """Π, A and the emission."""

    start: np.ndarray
    transition: np.ndarray
    emission: Any


class Given(NamedTuple):
    """What the verifier gives: table or dask collection, lengths, known states, weights of sequences."""

    X: Any
    lengths: np.ndarray | None
    states: np.ndarray | None
    weights: Any


class Expected(NamedTuple):
    """Of some sequences: Σ w log P(O), the largest relative drift of Σ_i α_t β_t, and the expected counts.

    Also their lengths, those without weight included, Σ w and Σ w T; and of the entries of Π and A that are 0 the
    counts for every unit that they would rise by.
    """

    log_likelihood: float
    drift: float
    start: np.ndarray
    transition: np.ndarray
    emission: list[np.ndarray]
    lengths: np.ndarray
    weight: float
    rows: float
    of_zeros: tuple[np.ndarray, np.ndarray]


@certifies(
    "CategoricalHMM",
    "MultinomialHMM",
    "GaussianHMM",
    ledger=Ledger(
        verified=("startprob_", "transmat_", "emissionprob_", "means_", "covars_"),
        derived=("log_likelihood_", "lengths_", "n_parameters_", "n_iter_"),
        unverified=("history_",),
        sometimes=("emissionprob_", "means_", "covars_"),
    ),
    foreign=False,
    table=False,
    # No claim tells a fixed point from another, or from itself under other names.
    again=lambda model, found: found.holds,
)
def hidden_markov_claims(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None, lengths: Any = None, *, states: Any = None,
    sequence_weight: Any = None,
) -> Sequence[Claim]:  # fmt: skip
    """The claims of a fit on sequences X.

    y, or `states`, holds states that were known; sample_weight, or `sequence_weight`, the weights of sequences;
    `lengths` says where the sequences of one table end.
    """
    kind, K = _emission_class(model), model.n_components
    table, lengths = read_sequences(model, X, lengths, one_column=kind is Symbols)
    known = one_by_one(states if y is None else y)
    weights = sequence_weight if sample_weight is None else sample_weight
    width = int(model.n_features_in_)
    if wrong := misshapen("H2", model, {"startprob_": (K,), "transmat_": (K, K)} | kind.shapes(model, K, width)):
        return wrong
    emission = kind(model)
    at = Lambda(np.asarray(model.startprob_, dtype=float), np.asarray(model.transmat_, dtype=float), emission)
    flaw = max(rows_flaw(at.start), rows_flaw(at.transition), emission.flaw())
    sound = Claim.at_most("H2", "rows of probabilities add up to 1, covariances are positive definite", flaw, 1e-8)
    if not sound.holds:
        return [sound]
    rules = (
        ProbabilityRows("s" in model.params, model.startprob_prior, model.startprob_fixed),
        ProbabilityRows("t" in model.params, model.transmat_prior, model.transmat_fixed),
    )
    given = Given(table, lengths, known, weights)

    def expected(at: Lambda) -> Expected:
        return _over_parts(_parts(given), lambda part: expectation(at, part))

    def maximised(at: Lambda, found: Expected) -> Lambda:
        return Lambda(
            rules[0].best(found.start, at.start),
            rules[1].best(found.transition, at.transition),
            at.emission.improved(found.emission),
        )

    found = expected(at)
    value = found.log_likelihood + _log_prior(at, rules)
    better = maximised(at, found)
    after = sum(likelihood(better, part) for part in _parts(given)) + _log_prior(better, rules)
    check_shapes(model, log_likelihood_=(), history_=np.shape(model.history_)[:1])
    history = np.asarray(model.history_, dtype=float)
    scale = ROUNDING * (found.rows + abs(found.log_likelihood))
    stated = float(np.max([abs(found.log_likelihood - model.log_likelihood_), abs(value - history[-1])]))
    penalised, weight = "penalised log-likelihood", found.weight / len(found.lengths)
    return [
        sound,
        Claim.at_most("H4", "log-likelihood and penalised log-likelihood differ from those stated by", stated, scale),
        Claim.at_most("H5", "log Σ_i α_t(i) β_t(i) is the same at every t, up to (relative to the logarithms in it)",
                      found.drift, ROUNDING),
        Claim.reached("H8", f"one more EM step raises the {penalised} by", after - value,
                      allowed(GAIN) * weight + scale, asked=float(model.tol) * weight + scale),
        Claim.at_most("H8", f"one more EM step lowers the {penalised} by", max(value - after, 0.0), scale),
        Claim.at_most("H8", f"the {penalised} never fell during the fit (largest fall)", _largest_fall(history), scale),
        reported("H8", "lengths_", model.lengths_, found.lengths, 0.0),
        reported("H8", "n_iter_", model.n_iter_, len(history) - 1, scale=1.0),
        *structure_claims(model),
        *still_claims(model, at, found, expected, maximised),
    ]  # fmt: skip


def path_claims(start, A, log_B, path: np.ndarray, lengths: np.ndarray) -> Sequence[Claim]:
    """Whether a path of states is the most probable one of each sequence. Syllabus: H7.

    The maximum over all paths is found from the end backwards, by a recursion that shares nothing with the one that
    found the path: ε_t(i) = max_j log a_ij + log b_j(O_{t+1}) + ε_{t+1}(j).
    """
    with np.errstate(divide="ignore"):
        log_start, log_A = np.log(np.asarray(start, dtype=float)), np.log(np.asarray(A, dtype=float))
    shortfall, impossible, row, total = 0.0, 0, 0, 0.0
    for length in lengths:
        B, q = log_B[row : row + length], path[row : row + length]
        ahead = np.zeros(len(log_start))
        for t in range(length - 1, 0, -1):
            ahead = (log_A + (B[t] + ahead)).max(axis=1)
        most = (log_start + B[0] + ahead).max()
        reached = log_start[q[0]] + B[np.arange(length), q].sum() + log_A[q[:-1], q[1:]].sum()
        impossible += int(not np.isfinite(reached))
        shortfall = max(shortfall, most - reached) if np.isfinite(reached) else np.inf
        total += abs(most) if np.isfinite(most) else 0.0
        row += int(length)
    bound = ROUNDING * (1.0 + total)
    return [
        Claim.at_most("H7", "sequences whose path has probability 0", impossible, 0.0),
        Claim.at_most("H7", "log-probability by which another path of a sequence is better", shortfall, bound),
    ]


def expectation(at: Lambda, part: Part) -> Expected:
    """The E-step in NumPy."""
    found = _messages(at, part)
    firsts, sequence = _firsts(part.lengths), np.repeat(np.arange(len(part.lengths)), part.lengths)
    lasts = firsts + np.asarray(part.lengths) - 1
    values = np.add.reduceat(found.log_c, firsts)
    # log Σ α_t β_t with the scalings put back: those up to t from the left, those after t from the right.
    left, right = np.cumsum(found.log_c), np.cumsum(found.log_d)
    left -= (left[firsts] - found.log_c[firsts])[sequence]
    right = right[lasts][sequence] - right
    sizes = part.lengths + np.add.reduceat(np.abs(found.log_c), firsts)
    drift = float(np.max(np.abs(found.overlap + left + right - values[sequence]) / sizes[sequence]))
    weight = part.weights[sequence]
    gamma = found.gamma * weight[:, None]
    inner = np.ones(len(weight), dtype=bool)
    inner[lasts] = False
    never = at.transition == 0.0
    transition = _transitions(np.where(never, 1.0, at.transition), found, weight, np.flatnonzero(inner))
    return Expected(
        float(part.weights @ values), drift, gamma[firsts].sum(axis=0), np.where(never, 0.0, transition),
        at.emission.sums(part.X, gamma), part.lengths if part.all_lengths is None else part.all_lengths,
        float(part.weights.sum()), float(part.weights @ part.lengths),
        (_of_zero_starts(at.start, found, part.weights, firsts), np.where(never, transition, 0.0)),
    )  # fmt: skip


def likelihood(at: Lambda, part: Part) -> float:
    """Σ w log P(O), by the forward procedure alone where every state is entered from every other."""
    if at.transition.min() > 1e-100:
        log_B = _restricted(at.emission.log_density(part.X), part.states)
        start, A, B, shift = _operands(at, log_B, PROBABILITIES)
        _, log_c = forward(start, A, B, part.lengths, PROBABILITIES)
        if log_c.min() > SMALLEST:
            return float(part.weights @ np.add.reduceat(log_c + shift, _firsts(part.lengths)))
    return float(part.weights @ np.add.reduceat(_messages(at, part).log_c, _firsts(part.lengths)))


class Messages(NamedTuple):
    """α and w = b β of every row, scaled to sum 1; log c, log d of the scalings; log Σ α β of the scaled; γ."""

    arithmetic: Arithmetic
    alpha: np.ndarray
    w: np.ndarray
    log_c: np.ndarray
    log_d: np.ndarray
    overlap: np.ndarray
    gamma: np.ndarray


def _messages(at: Lambda, part: Part) -> Messages:
    """As probabilities where that is safe, in logarithms elsewhere.

    What rounds to zero is below 1e-307; its share in a posterior is that divided by Σ_i α_t(i) β_t(i).
    """
    log_B = _restricted(at.emission.log_density(part.X), part.states)
    for arithmetic in (PROBABILITIES, LOGARITHMS):
        start, A, B, shift = _operands(at, log_B, arithmetic)
        alpha, log_c = forward(start, A, B, part.lengths, arithmetic)
        w, beta, log_d = backward(A, B, part.lengths, arithmetic)
        joined, overlap = arithmetic.scaled(arithmetic.product(alpha, beta))
        if min(log_c.min(), log_d.min(), overlap.min()) > SMALLEST:
            break
    gamma = np.exp(joined) if arithmetic is LOGARITHMS else joined
    return Messages(arithmetic, alpha, w, log_c + shift, log_d + shift, overlap, gamma)


def _firsts(lengths: np.ndarray) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(int)


def _operands(at: Lambda, log_B: np.ndarray, arithmetic: Arithmetic) -> tuple[Any, Any, np.ndarray, np.ndarray]:
    """Π, A, B in this arithmetic, and the logarithm taken out of each row of B."""
    shift = log_B.max(axis=1)
    shift = np.where(np.isfinite(shift), shift, 0.0)
    if arithmetic is PROBABILITIES:
        return at.start, at.transition, np.exp(log_B - shift[:, None]), shift
    with np.errstate(divide="ignore"):
        return np.log(at.start), np.log(at.transition), log_B - shift[:, None], shift


def _transitions(A: np.ndarray, found: Messages, weight: np.ndarray, at_t: np.ndarray) -> np.ndarray:
    """Σ_t ξ_t(i, j) = Σ_t α_t(i) a_ij w_{t+1}(j) / Σ_i α_t(i) β_t(i), weighted, over the rows with a successor."""
    if found.arithmetic is PROBABILITIES:
        scaled = found.alpha[at_t] * (weight[at_t] / np.exp(found.overlap[at_t]))[:, None]
        return A * (scaled.T @ found.w[at_t + 1])
    total = np.zeros(A.shape)
    with np.errstate(divide="ignore"):
        log_A = np.log(A)
    for rows in np.array_split(at_t, max(1, len(at_t) // 1000)):
        log_xi = (found.alpha[rows] - found.overlap[rows, None])[:, :, None] + log_A + found.w[rows + 1][:, None, :]
        # Above 1 only where a forbidden step would be the likely one.
        total += np.tensordot(weight[rows], np.exp(np.minimum(log_xi, 600.0)), axes=1)
    return total


def _of_zero_starts(start: np.ndarray, found: Messages, weights: np.ndarray, firsts: np.ndarray) -> np.ndarray:
    """Σ w b_i(O_1) β_1(i) / P(O) where π_i is 0."""
    w = np.exp(found.w[firsts]) if found.arithmetic is LOGARITHMS else found.w[firsts]
    return np.where(start == 0.0, (weights / np.maximum(w @ start, 1e-300)) @ w, 0.0)


def _restricted(log_B: np.ndarray, states: np.ndarray | None) -> np.ndarray:
    if states is None:
        return log_B
    allowed = (states[:, None] < 0) | (states[:, None] == np.arange(log_B.shape[1]))
    return np.where(allowed, log_B, -np.inf)


def _log_prior(at: Lambda, rules: tuple[ProbabilityRows, ProbabilityRows]) -> float:
    return rules[0].log_prior(at.start) + rules[1].log_prior(at.transition) + at.emission.log_prior()


def _largest_fall(history: np.ndarray) -> float:
    return float(np.max(-np.diff(history), initial=0.0))


def _emission_class(model: Any) -> Any:
    return next(_EMISSIONS[kind.__name__] for kind in type(model).__mro__ if kind.__name__ in _EMISSIONS)


def _over_parts(parts: Iterator[Part], function: Callable[[Part], Expected]) -> Expected:
    total: Expected | None = None
    for part in parts:
        found = function(part)
        if total is None:
            total = found
            continue
        total = Expected(
            total.log_likelihood + found.log_likelihood,
            max(total.drift, found.drift),
            total.start + found.start,
            total.transition + found.transition,
            [a + b for a, b in zip(total.emission, found.emission)],
            np.concatenate([total.lengths, found.lengths]),
            total.weight + found.weight,
            total.rows + found.rows,
            (total.of_zeros[0] + found.of_zeros[0], total.of_zeros[1] + found.of_zeros[1]),
        )
    if total is None:
        raise ValueError("certify: there are no sequences")
    return total


def _parts(given: Given) -> Iterator[Part]:
    """The sequences, all at once when they are in memory, part by part when dask holds them."""
    X, lengths, states, weights = given
    if not is_streamed(X):
        assert lengths is not None
        weight = np.ones(len(lengths)) if weights is None else np.asarray(weights, dtype=float)
        if weight.shape != lengths.shape or not np.all(weight >= 0.0) or not np.any(weight > 0.0):
            raise ValueError(
                f"certify: {len(weight)} weights for {len(lengths)} sequences; give one >= 0 for each, not all zero"
            )
        if states is not None and states.shape != (len(X),):
            raise ValueError(f"certify: {len(states)} known states for {len(X)} rows; give one for each, -1 if unknown")
        # A sequence of weight zero may even be impossible: it is left out.
        kept, counted = np.repeat(weight > 0.0, lengths), weight > 0.0
        yield Part(X[kept], lengths[counted], weight[counted], None if states is None else states[kept], lengths)
        return
    if hasattr(X, "shape"):
        assert lengths is not None
        yield Part(np.asarray(X.compute(), dtype=float), lengths, np.ones(len(lengths)), None)
        return
    for delayed in X.to_delayed():
        sequences = [np.asarray(item, dtype=float) for item in delayed.compute()]
        if sequences:
            sequences = [item.reshape(len(item), -1) for item in sequences]
            yield Part(np.concatenate(sequences), np.array(list(map(len, sequences))), np.ones(len(sequences)), None)
