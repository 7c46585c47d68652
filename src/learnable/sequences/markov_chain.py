"""The observable Markov chain."""

from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from learnable.base import Fitting, Learner
from learnable.base.fit_context import fit_context
from learnable.problems.core.information import aic, bic
from learnable.seeds import generator_from
from learnable.sequences.distributions import checked_rows
from learnable.sequences.drawing import drawn_chain
from learnable.sequences.reading import Reader, SequenceData, is_bag, refuse_misplaced_lengths
from learnable.sequences.stationary import ChainClass, communicating_classes, stationary_distributions
from learnable.sequences.symbols import symbols_of
from learnable.solvers.sequences import transition_counts
from learnable.solvers.sequences.sequence_blocks import LocalSequences, SequenceBlock, Sequences
from learnable.trace import Status, to_the_end


class MarkovChain(Learner):
    """Markov chain whose states are observed: P(q_1 … q_T) = π_{q1} Π_t a_{q_{t−1} q_t}.

    Π and A are learned from any number of sequences by counting: the maximum of the likelihood, or of the likelihood
    times a Dirichlet(1 + smoothing) prior on every row. Syllabus: H1.

    Parameters
    ----------
    n_components : int or None, default=None
        States, K: they are 0 … K − 1. None for the largest one seen plus 1.
    smoothing : float, default=0.0
        Added to every count; 1 is Laplace's rule. With 0, what was never seen is impossible.
    random_state : int, RandomState or None, default=None
        For `sample`.
    n_jobs : int or None, default=None
        Threads over sequences.

    Attributes
    ----------
    startprob_ : array (K,). transmat_ : array (K, K).
    start_counts_ : array (K,). counts_ : array (K, K), weighted counts without smoothing.
    never_left_ : array, states without any transition out of them; without smoothing their row is the even one, since
        the data say nothing about it.
    log_likelihood_ : float. lengths_ : array, lengths of the training sequences.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        H1 : the rows add up to 1; the log-likelihood is at its maximum; it is the one stated; so are the counts and
        the states never left, whose rows are even.

    Examples
    --------
    >>> from learnable.sequences import MarkovChain
    >>> model = MarkovChain().fit([[0, 0, 1, 1, 1, 0], [1, 0, 0, 1]])
    >>> model.transmat_
    array([[0.5, 0.5],
           [0.5, 0.5]])
    >>> model.stationary_distributions(), model.certificate_.holds
    (array([[0.5, 0.5]]), True)
    """

    _row_by_row: ClassVar[bool] = False
    _parameter_constraints: ClassVar = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(self, n_components=None, *, smoothing=0.0, random_state=None, n_jobs=None):
        self.n_components = n_components
        self.smoothing = smoothing
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, *, lengths=None, sequence_weight=None):
        """Count.

        Parameters
        ----------
        X : array (n, 1) or (n,), list of sequences, dask bag of sequences, or dask array (n, 1)
            States, whole numbers from 0. Nothing may be missing: cut a sequence where a state is unknown.
        y : ignored
        lengths : whole numbers, one for each sequence, default=None for a single sequence
        sequence_weight : array, one number >= 0 for each sequence, default=None
        """
        return self._learn(X, y, lengths=lengths, sequence_weight=sequence_weight)

    def _reader(self) -> Reader:
        name = type(self).__name__
        return Reader(name, partial(symbols_of, name=name), one_column=True, missing=False)

    def _pose(self, X, y=None, lengths=None, sequence_weight=None) -> Fitting:
        name = type(self).__name__
        sequences, table = self._reader().sequences(self, X, lengths, weights=sequence_weight, reset=True)
        weights = None
        if isinstance(sequences, LocalSequences):
            refuse_misplaced_lengths(y, len(table), name)
            weights = None if sequence_weight is None else sequences.weights
        self.lengths_ = sequences.lengths
        largest = max(sequences.results(_largest, self.n_jobs))
        K = largest + 1 if self.n_components is None else self.n_components
        if largest >= K:
            raise ValueError(f"{name}(n_components={K}): X holds state {largest}, but the states are 0 … {K - 1}")

        def attributes(state: transition_counts.CountState) -> dict[str, Any]:
            return {
                "startprob_": state.start.copy(),
                "transmat_": state.transition.copy(),
                "start_counts_": state.start_counts.copy(),
                "counts_": state.counts.copy(),
                "never_left_": np.flatnonzero(state.counts.sum(axis=1) == 0.0),
                "log_likelihood_": state.log_likelihood,
            }

        return Fitting(
            transition_counts.iterates(sequences, K, float(self.smoothing), self.n_jobs),
            to_the_end,
            attributes,
            SequenceData(table, None, weights, None if is_bag(table) else sequences.lengths),
            max_steps=1,
            ended=Status.OPTIMAL,
        )

    def _read(self, X, lengths, y=None) -> Sequences:
        check_is_fitted(self, ["startprob_", "transmat_"])
        sequences, _ = self._reader().sequences(self, X, lengths)
        if isinstance(sequences, LocalSequences):
            refuse_misplaced_lengths(y, len(sequences.rows), type(self).__name__)
        K, largest = len(self.transmat_), max(sequences.results(_largest, self.n_jobs))
        if largest >= K:
            raise ValueError(f"{type(self).__name__}: X holds state {largest}, but the states are 0 … {K - 1}")
        return sequences

    def score_sequences(self, X, y=None, *, lengths=None) -> np.ndarray:
        """log P of each sequence; −inf for one that cannot happen."""
        sequences = self._read(X, lengths, y)
        K = len(self.transmat_)
        start, transition = (
            checked_rows(self.startprob_, (K,), "startprob_"),
            checked_rows(self.transmat_, (K, K), "transmat_"),
        )
        return np.concatenate(sequences.results(partial(_log_probabilities, start, transition), self.n_jobs))

    def score(self, X, y=None, *, lengths=None) -> float:
        """log P, summed over the sequences."""
        return float(np.sum(self.score_sequences(X, y, lengths=lengths)))

    def predict(self, X, lengths=None) -> np.ndarray:
        """The most probable next state after each row."""
        sequences = self._read(X, lengths)
        following = self.transmat_.argmax(axis=1)
        return np.concatenate(sequences.results(partial(_looked_up, following), self.n_jobs))

    def sample(self, n_samples=1, random_state=None, currstate=None) -> np.ndarray:
        """n states of the chain, the first given or drawn from `startprob_`."""
        check_is_fitted(self, ["startprob_", "transmat_"])
        chosen = self.random_state if random_state is None else random_state
        generator = generator_from(chosen, f"{type(self).__name__}.sample")
        return drawn_chain(self.startprob_, self.transmat_, n_samples, generator, currstate)

    def stationary_distributions(self) -> np.ndarray:
        """π with π A = π, one row for each recurrent class."""
        check_is_fitted(self, ["transmat_"])
        return stationary_distributions(self.transmat_)

    def communicating_classes(self) -> list[ChainClass]:
        """Classes of states that reach one another, recurrent or transient, with their periods."""
        check_is_fitted(self, ["transmat_"])
        return communicating_classes(self.transmat_)

    @property
    def n_parameters_(self) -> int:
        """Free numbers: K − 1 of Π and K (K − 1) of A."""
        K = len(self.transmat_)
        return (K - 1) * (K + 1)

    def aic(self, X, lengths=None) -> float:
        """−2 log P + 2 · parameters."""
        return aic(self.score(X, lengths=lengths), self.n_parameters_)

    def bic(self, X, lengths=None) -> float:
        """−2 log P + parameters · log(number of rows)."""
        n = int(self._read(X, lengths).lengths.sum())
        return float(bic(self.score(X, lengths=lengths), self.n_parameters_, n))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.one_d_array = True
        tags.input_tags.positive_only = True
        return tags


def _largest(block: SequenceBlock) -> int:
    return int(block.rows.max())


def _looked_up(table: np.ndarray, block: SequenceBlock) -> np.ndarray:
    return table[block.rows]


def _log_probabilities(start: np.ndarray, transition: np.ndarray, block: SequenceBlock) -> np.ndarray:
    firsts = np.concatenate(([0], block.ends[:-1]))
    with np.errstate(divide="ignore"):
        log_start, log_A = np.log(start), np.log(transition)
    terms = np.empty(len(block.rows))
    terms[1:] = log_A[block.rows[:-1], block.rows[1:]]
    terms[firsts] = log_start[block.rows[firsts]]
    return np.add.reduceat(terms, firsts)
