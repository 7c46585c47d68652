"""The hidden Markov model with counts."""

from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.sequences.drawing import drawn_around
from learnable.sequences.emission_table import EmissionTableModel
from learnable.sequences.reading import Reader
from learnable.sequences.shared_parameters import with_parameters_of
from learnable.sequences.symbols import counts_of
from learnable.solvers.sequences.multinomial_emission import MultinomialEmission
from learnable.solvers.sequences.sequence_blocks import SequenceBlock, Sequences


class MultinomialHMM(EmissionTableModel):
    """Hidden Markov model whose states emit a vector of counts.

    b_k(x) = (Σx)! / Πx_v! · Π p_kv^{x_v}. With one trial a step it is `CategoricalHMM` in another coding. A row with a
    NaN is a missing observation. Names of parameters and attributes follow hmmlearn. Syllabus: H2–H8.

    Parameters
    ----------
    n_components : int, default=2
        States, K.
    n_trials : int, default=1
        Total count of the observations that `sample` draws; those of a fit may have any.
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
    >>> from learnable.sequences import MultinomialHMM
    >>> X = np.array([[5, 1], [4, 2], [6, 0], [1, 5], [0, 6], [1, 5], [5, 1], [6, 0]])
    >>> model = MultinomialHMM(n_components=2, random_state=0).fit(X)
    >>> states = model.predict(X)
    >>> [int(state) for state in states == states[0]], model.certificate_.holds
    ([1, 1, 1, 0, 0, 0, 1, 1], True)
    """

    _parameter_constraints: ClassVar = EmissionTableModel._parameter_constraints | {
        "n_trials": [Interval(Integral, 1, None, closed="left")],
    }

    @with_parameters_of(EmissionTableModel)
    def __init__(self, n_components=2, *, n_trials=1, **shared):
        super().__init__(n_components, **shared)
        self.n_trials = n_trials

    def _reader(self) -> Reader:
        return Reader(type(self).__name__, partial(counts_of, name=type(self).__name__))

    def _emission_at(self, values: dict[str, Any], width: int) -> MultinomialEmission:
        return MultinomialEmission(*self._table(values["emissionprob"], width), self.n_trials)

    def _emission_values(self, sequences: Sequences, given: dict[str, Any], generator, width: int) -> dict[str, Any]:
        if "emissionprob" in given:
            return {"emissionprob": given["emissionprob"]}
        counts = sequences.total(_totals, self.n_jobs)
        if not counts.any():
            raise ValueError(f"{type(self).__name__}: every count is zero or missing; nothing can be learned")
        return {"emissionprob": drawn_around(counts, self.n_components, self.emission_groups, generator)}

    def _width(self) -> int:
        return np.shape(self.emissionprob_)[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def _totals(block: SequenceBlock) -> np.ndarray:
    return np.nansum(block.rows, axis=0)
