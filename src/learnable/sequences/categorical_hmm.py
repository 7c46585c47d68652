"""The hidden Markov model with symbols."""

from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.sequences.drawing import drawn_around
from learnable.sequences.emission_table import EmissionTableModel
from learnable.sequences.reading import Reader
from learnable.sequences.shared_parameters import with_parameters_of
from learnable.sequences.symbols import symbols_of
from learnable.solvers.sequences.categorical_emission import CategoricalEmission
from learnable.solvers.sequences.sequence_blocks import SequenceBlock, Sequences


class CategoricalHMM(EmissionTableModel):
    """Hidden Markov model whose states emit one of V symbols.

    P(q, O) = π_{q1} b_{q1}(O_1) Π_t a_{q_{t−1} q_t} b_{q_t}(O_t); learned from many sequences by Baum–Welch, with
    missing observations (NaN) summed out. Names of parameters and attributes follow hmmlearn.
    Syllabus: H2–H8.

    Parameters
    ----------
    n_components : int, default=2
        States, K.
    n_features : int or None, default=None
        Symbols, V: they are 0 … V − 1. None for the largest one seen plus 1.
    emissionprob_prior : float or array >= 1, default=1.0
        Dirichlet parameters of the rows of B.
    startprob_prior, transmat_prior : float or array >= 1, default=1.0
        Dirichlet parameters of Π and of the rows of A; 1 for no prior.
    algorithm : {"viterbi", "map"}, default="viterbi"
        What `decode` and `predict` look for: the best path, or the best state of each step.
    random_state : int, RandomState or None, default=None
    n_iter : int, default=500
        EM steps at most, in each run.
    tol : float, default=1e-4
        Stop when one more EM step would raise the (penalised) log-likelihood, at an average weight of 1, by no more
        than this.
    params, init_params : str, default="ste"
        What is learned, and what is drawn from the data to start with: "s" Π, "t" A, "e" B. What is not
        drawn starts at its `…_init`, or at the attribute set on the estimator before `fit`.
    n_init : int, default=1
        Runs from different random starts; the best is kept.
    startprob_init, transmat_init, emissionprob_init : array or None, default=None
        Where to start.
    startprob_fixed, transmat_fixed, emissionprob_fixed : array of bool or None, default=None
        True where an entry keeps its starting value. Probabilities that start at 0 stay 0 in any case.
    emission_groups : array (K,) of int or None, default=None
        States of equal number share one emission distribution.
    n_jobs : int or None, default=None
        Threads over sequences; None for every core. The answer does not depend on it.

    Attributes
    ----------
    startprob_ : array (K,). transmat_ : array (K, K). emissionprob_ : array (K, V)
    log_likelihood_ : float, Σ w log P(O) of the training sequences.
    history_ : array, penalised log-likelihood of the start and after each EM step of the run that was kept.
    n_iter_ : int, EM steps of that run. lengths_ : array, lengths of the training sequences.
    n_parameters_ : int, numbers learned; a probability that starts at 0 is none.
    status_ : `trace.Status`; "stationary" when the gain fell to `tol`.
    certificate_ : `certificates.Certificate`, which claims
        H2 : the rows add up to 1. H4 : the log-likelihood is the one stated. H5 : Σ_i α_t(i) β_t(i) is the same at
        every step. H8 : one more EM step gains at most 1e-4 (at an average weight of 1; with a looser `tol` this is
        left open) and loses nothing, no step of the fit did; what is not learned is where it started; `lengths_`,
        `n_parameters_` and `n_iter_` are right. Nothing is claimed about `history_` but its end.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sequences import CategoricalHMM
    >>> sequences = [[0, 0, 1, 0, 0, 2, 2, 1, 2], [0, 1, 0, 0, 2, 2, 2], [2, 2, 1, 2, 2]]
    >>> model = CategoricalHMM(n_components=2, random_state=0).fit(sequences)
    >>> str(model.status_), model.certificate_.holds
    ('stationary', True)
    >>> low, high = np.argsort(model.emissionprob_[:, 2])
    >>> [int(np.sum(model.predict([each]) == high)) for each in sequences]
    [4, 3, 5]
    """

    _parameter_constraints: ClassVar = EmissionTableModel._parameter_constraints | {
        "n_features": [Interval(Integral, 1, None, closed="left"), None],
    }

    @with_parameters_of(EmissionTableModel)
    def __init__(self, n_components=2, *, n_features=None, **shared):
        super().__init__(n_components, **shared)
        self.n_features = n_features

    def _reader(self) -> Reader:
        return Reader(type(self).__name__, partial(symbols_of, name=type(self).__name__), one_column=True)

    def _emission_at(self, values: dict[str, Any], width: int) -> CategoricalEmission:
        prob = values["emissionprob"]
        return CategoricalEmission(*self._table(prob, np.shape(prob)[-1]))

    def _emission_values(self, sequences: Sequences, given: dict[str, Any], generator, width: int) -> dict[str, Any]:
        largest = max(sequences.results(_largest, self.n_jobs))
        shape = np.shape(given.get("emissionprob", np.ones((self.n_components, 1))))
        if len(shape) != 2 or shape[0] != self.n_components or shape[1] == 0:
            raise ValueError(
                f"{type(self).__name__}: emissionprob_init has shape {shape}; expected ({self.n_components}, symbols), "
                "one row for each state"
            )
        V = np.shape(given["emissionprob"])[-1] if "emissionprob" in given else self.n_features or largest + 1
        if largest < 0:
            raise ValueError(f"{type(self).__name__}: every observation is missing; nothing can be learned")
        if largest >= V:
            raise ValueError(f"{type(self).__name__}: X holds symbol {largest}, but the symbols are 0 … {V - 1}")
        if "emissionprob" in given:
            return {"emissionprob": given["emissionprob"]}
        counts = sequences.total(partial(_counts, n_symbols=V), self.n_jobs)
        return {"emissionprob": drawn_around(counts, self.n_components, self.emission_groups, generator)}

    def _width(self) -> int:
        return 1

    def _read(self, X, lengths, y=None) -> Sequences:
        sequences = super()._read(X, lengths, y)
        V, largest = np.shape(self.emissionprob_)[1], max(sequences.results(_largest, self.n_jobs))
        if largest >= V:
            raise ValueError(f"{type(self).__name__}: X holds symbol {largest}, but the symbols are 0 … {V - 1}")
        return sequences

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.one_d_array = True
        tags.input_tags.positive_only = True
        return tags


def _largest(block: SequenceBlock) -> int:
    return int(block.rows.max())


def _counts(block: SequenceBlock, n_symbols: int) -> np.ndarray:
    return np.bincount(block.rows[block.rows >= 0], minlength=n_symbols).astype(float)
