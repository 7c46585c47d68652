"""The hidden Markov model with Gaussian vectors."""

from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.sequences.distributions import checked_covars, checked_groups, checked_mask, refuse_unequal
from learnable.sequences.drawing import in_known_order, spread_means
from learnable.sequences.hidden_markov import HiddenMarkovModel
from learnable.sequences.reading import Reader
from learnable.sequences.shared_parameters import with_parameters_of
from learnable.sequences.symbols import vectors_of
from learnable.solvers.sequences.gaussian_emission import GaussianEmission, GaussianRule
from learnable.solvers.sequences.sequence_blocks import LocalSequences, SequenceBlock, Sequences

# Rows that the start is drawn from.
SAMPLE = 20_000


class GaussianHMM(HiddenMarkovModel):
    """Hidden Markov model whose states emit Gaussian vectors.

    b_k = N(μ_k, Σ_k); learned from many sequences by Baum–Welch, with missing coordinates (NaN) integrated out. Names
    of parameters and attributes follow hmmlearn. Syllabus: H2–H8.

    Parameters
    ----------
    n_components : int, default=2
        States, K.
    covariance_type : {"spherical", "diag", "full", "tied"}, default="diag"
        One variance a state, one a state and coordinate, one matrix a state, one matrix for all states.
    min_covar : float, default=1e-3
        Added to the variances that a run starts from.
    means_prior, means_weight : float or array (K, d), and float >= 0, default=0
        m and w of the prior on means.
    covars_prior, covars_weight : float or array, and float, default=1e-2 and 1
        Ψ and the strength of the prior on covariances: a = max(covars_weight − 1, 0) for diagonal kinds,
        max(covars_weight − d, 0) for matrices; a number Ψ stands for Ψ times the identity. The penalised
        log-likelihood subtracts ½ Σ_k [a log|Σ_k| + tr(Ψ Σ_k⁻¹) + w (μ_k − m)ᵀ Σ_k⁻¹ (μ_k − m)]; with Ψ = 0 a state
        that holds on to a single point has no maximum, and the fit says so.
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
    params, init_params : str, default="stmc"
        What is learned, and what is drawn from the data to start with: "s" Π, "t" A, "m" means, "c"
        covariances. What is not drawn starts at its `…_init`, or at the attribute set on the estimator before `fit`.
    n_init : int, default=1
        Runs from different random starts; the best is kept.
    startprob_init, transmat_init, means_init, covars_init : array or None, default=None
        Where to start.
    startprob_fixed, transmat_fixed, means_fixed : array of bool or None, default=None
        True where an entry keeps its starting value. Probabilities that start at 0 stay 0 in any case.
    emission_groups : array (K,) of int or None, default=None
        States of equal number share one emission distribution.
    n_jobs : int or None, default=None
        Threads over sequences; None for every core. The answer does not depend on it.

    Attributes
    ----------
    startprob_ : array (K,). transmat_ : array (K, K). means_ : array (K, d)
    covars_ : array (K,), (K, d), (K, d, d) or (d, d), as `covariance_type` says
    log_likelihood_ : float, Σ w log P(O) of the training sequences.
    history_ : array, penalised log-likelihood of the start and after each EM step of the run that was kept.
    n_iter_ : int, EM steps of that run. lengths_ : array, lengths of the training sequences.
    n_parameters_ : int, numbers learned; a probability that starts at 0 is none.
    status_ : `trace.Status`; "stationary" when the gain fell to `tol`.
    certificate_ : `certificates.Certificate`, which claims
        H2 : the rows add up to 1, covariances are positive definite. H4 : the log-likelihood is the one stated.
        H5 : Σ_i α_t(i) β_t(i) is the same at every step. H8 : one more EM step gains at most 1e-4
        (at an average weight of 1; with a looser `tol` this is left open) and loses nothing, no step of the fit did;
        what is not learned is where it started; `lengths_`, `n_parameters_` and `n_iter_` are right. Nothing is
        claimed about `history_` but its end.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sequences import GaussianHMM
    >>> X = np.array([0.1, -0.2, 0.0, 0.2, 5.1, 4.9, np.nan, 5.0, 0.1, -0.1])[:, None]
    >>> model = GaussianHMM(n_components=2, random_state=0).fit(X)
    >>> model.means_[np.argsort(model.means_[:, 0])].round(1).ravel()
    array([0., 5.])
    >>> [int(state) for state in model.predict(X) == model.predict(X)[4]], model.certificate_.holds
    ([0, 0, 0, 0, 1, 1, 1, 1, 0, 0], True)
    """

    _letters: ClassVar = HiddenMarkovModel._letters | {"m": "means", "c": "covars"}
    _parameter_constraints: ClassVar = HiddenMarkovModel._parameter_constraints | {
        "covariance_type": [StrOptions({"spherical", "diag", "full", "tied"})],
        "min_covar": [Interval(Real, 0, None, closed="left")],
        "means_prior": [Interval(Real, None, None, closed="neither"), "array-like"],
        "means_weight": [Interval(Real, 0, None, closed="left")],
        "covars_prior": [Interval(Real, None, None, closed="neither"), "array-like"],
        "covars_weight": [Interval(Real, None, None, closed="neither")],
        "means_init": ["array-like", None],
        "covars_init": ["array-like", None],
        "means_fixed": ["array-like", None],
    }

    @with_parameters_of(HiddenMarkovModel)
    def __init__(
        self,
        n_components=2,
        *,
        covariance_type="diag",
        min_covar=1e-3,
        means_prior=0,
        means_weight=0,
        covars_prior=1e-2,
        covars_weight=1,
        params="stmc",
        init_params="stmc",
        means_init=None,
        covars_init=None,
        means_fixed=None,
        **shared,
    ):
        super().__init__(n_components, params=params, init_params=init_params, **shared)
        self.covariance_type = covariance_type
        self.min_covar = min_covar
        self.means_prior = means_prior
        self.means_weight = means_weight
        self.covars_prior = covars_prior
        self.covars_weight = covars_weight
        self.means_init = means_init
        self.covars_init = covars_init
        self.means_fixed = means_fixed

    def _reader(self) -> Reader:
        return Reader(type(self).__name__, partial(vectors_of, name=type(self).__name__))

    def _emission_at(self, values: dict[str, Any], width: int) -> GaussianEmission:
        K, name, kind = self.n_components, type(self).__name__, self.covariance_type
        groups = checked_groups(self.emission_groups, K, name)
        means = np.array(values["means"], dtype=float)
        if means.shape != (K, width) or not np.all(np.isfinite(means)):
            raise ValueError(f"{name}: means must be finite numbers of shape {(K, width)}; got shape {means.shape}")
        covars, rule = checked_covars(values["covars"], kind, K, width, name), self._rule(width)
        refuse_unequal(groups, means, "means")
        refuse_unequal(groups, rule.means_fixed, "means_fixed")
        refuse_unequal(groups, rule.means_prior, "means_prior")
        if kind != "tied":
            refuse_unequal(groups, covars, "covars")
            refuse_unequal(groups, rule.covars_prior, "covars_prior")
        return GaussianEmission(means, covars, kind, rule, groups)

    def _rule(self, d: int) -> GaussianRule:
        K, diagonal = self.n_components, self.covariance_type in ("spherical", "diag")
        fixed = checked_mask(self.means_fixed, (K, d), "means_fixed")
        if fixed is not None and not diagonal and np.any(fixed.any(axis=1) != fixed.all(axis=1)):
            raise ValueError(
                f"GaussianHMM(covariance_type={self.covariance_type!r}): means_fixed must keep all coordinates of a "
                "state or none; single coordinates can be kept with 'diag' and 'spherical'"
            )
        prior = np.asarray(self.covars_prior, dtype=float)
        shape = (K, d) if diagonal else (K, d, d)
        if not diagonal and prior.ndim < 2:
            prior = prior * np.eye(d)
        try:
            prior, centre = np.broadcast_to(prior, shape), np.broadcast_to(np.asarray(self.means_prior, float), (K, d))
        except ValueError:
            raise ValueError(
                f"GaussianHMM: covars_prior of shape {np.shape(self.covars_prior)} or means_prior of shape "
                f"{np.shape(self.means_prior)} does not fit {shape} and {(K, d)}"
            ) from None
        for name, given in (("means_prior", centre), ("covars_prior", prior)):
            if not np.isfinite(given).all():
                raise ValueError(f"GaussianHMM: {name} holds {given[~np.isfinite(given)][0]}; give finite numbers")
        if np.any((prior if diagonal else np.linalg.eigvalsh(prior)) < 0.0):
            raise ValueError("GaussianHMM: covars_prior must be >= 0 (for matrices: positive semi-definite)")
        strength = max(self.covars_weight - (1 if diagonal else d), 0)
        return GaussianRule(
            "m" in self.params, "c" in self.params, centre, float(self.means_weight), prior, float(strength), fixed
        )

    def _emission_values(self, sequences: Sequences, given: dict[str, Any], generator, width: int) -> dict[str, Any]:
        K, name = self.n_components, type(self).__name__
        step = -(-int(sequences.lengths.sum()) // SAMPLE)
        rows = np.concatenate(sequences.results(partial(_every, step=step), self.n_jobs))
        seen = ~np.isnan(rows)
        if not seen.any(axis=0).all():
            raise ValueError(f"{name}: column {int(np.argmin(seen.any(axis=0)))} of X has no observation at all")
        rows = rows[seen.any(axis=1)]
        if len(rows) < K and "means" not in given:
            raise ValueError(
                f"{name}(n_components={K}): n_samples={len(rows)} observed; at least {K} are needed to start from"
            )
        rows = np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows)
        means = given.get("means")
        if means is None:
            means = spread_means(rows, K, generator)
            if self.emission_groups is not None:
                means = means[np.unique(self.emission_groups, return_inverse=True)[1]]
            elif isinstance(sequences, LocalSequences) and sequences.states is not None:
                whole = np.isfinite(sequences.rows).all(axis=1) & (sequences.states >= 0)
                means = in_known_order(means, sequences.rows[whole], sequences.states[whole]) if whole.any() else means
        covars = given.get("covars")
        if covars is None:
            total = np.atleast_2d(np.cov(rows.T, bias=True)) + self.min_covar * np.eye(width)
            self._refuse_no_spread(rows, total)
            covars = {
                "spherical": np.full(K, np.diag(total).mean()),
                "diag": np.tile(np.diag(total), (K, 1)),
                "full": np.tile(total, (K, 1, 1)),
                "tied": total,
            }[self.covariance_type]
        return {"means": means, "covars": covars}

    def _refuse_no_spread(self, rows: np.ndarray, total: np.ndarray) -> None:
        """A run cannot start from covariances without inverse, which only min_covar=0 lets happen."""
        variances, kind = np.diag(total), self.covariance_type
        flat = variances <= (8.0 * np.finfo(float).eps * np.abs(rows).max(axis=0)) ** 2
        if kind == "spherical":
            flat &= flat.all()
        dependent = kind in ("full", "tied") and np.linalg.matrix_rank(total, hermitian=True) < len(total)
        if self.min_covar == 0.0 and (flat.any() or dependent):
            which = f"column {int(np.argmax(flat))} of X is constant" if flat.any() else "columns of X are dependent"
            raise ValueError(
                f"{type(self).__name__}(min_covar=0): {which}, and leaves no variance to start from; "
                "give min_covar > 0 and covars_prior > 0, or drop it"
            )

    def _width(self) -> int:
        return np.shape(self.means_)[1]


def _every(block: SequenceBlock, step: int) -> np.ndarray:
    return block.rows[::step]
