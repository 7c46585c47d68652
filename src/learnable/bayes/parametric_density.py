"""Density estimation by maximum likelihood, as an estimator."""

from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from learnable.base import Fitting, Learner, refuse_unreadable, validate_data
from learnable.base.fit_context import fit_context
from learnable.bayes.laws import Bernoulli, Exponential, Gaussian, Law, MultivariateGaussian, Poisson, Uniform
from learnable.seeds import generator_from
from learnable.trace import Status, to_the_end

_LAWS: dict[str, type[Law]] = {
    "gaussian": Gaussian,
    "multivariate_gaussian": MultivariateGaussian,
    "bernoulli": Bernoulli,
    "poisson": Poisson,
    "exponential": Exponential,
    "uniform": Uniform,
}


class _Estimated(NamedTuple):
    objective: float
    estimates: list


class ParametricDensity(DensityMixin, Learner):
    """The likeliest density of a kind: p̃(x) = p(x; θ̃), θ̃ = argmax Π p(xᵢ; θ).

    One law for the whole row with "multivariate_gaussian"; otherwise one law a column, the columns independent.

    Syllabus: U11.

    Parameters
    ----------
    law : {"gaussian", "multivariate_gaussian", "bernoulli", "poisson", "exponential", "uniform"}, default="gaussian"

    Attributes
    ----------
    estimates_ : list of Estimate
        One a column, or a single one for the whole row: law, log-likelihood, standard errors.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        U11 : each law has the moments of its sample, so no other parameters are likelier.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.bayes import ParametricDensity
    >>> waits = np.array([[1.0], [2.0], [6.0]])
    >>> model = ParametricDensity("exponential").fit(waits)
    >>> model.estimates_[0].law.rate.__round__(4), model.score_samples([[3.0]]).round(4).tolist()
    (0.3333, [-2.0986])
    """

    _parameter_constraints: ClassVar = {"law": [StrOptions(set(_LAWS))]}

    def __init__(self, law="gaussian"):
        self.law = law

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the law.

        Parameters
        ----------
        X : array (n, p)
        y : ignored
        sample_weight : array (n,), default=None
        """
        return self._learn(X, sample_weight=sample_weight)

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        data = self._validated(X, sample_weight=sample_weight, blocks=False, dtype=np.float64)
        kind = _LAWS[self.law]
        samples = [data.X] if kind.n_dimensions == 2 else list(data.X.T)

        def likeliest():
            estimates = [kind.fit(sample, data.sample_weight) for sample in samples]
            yield _Estimated(-sum(found.log_likelihood for found in estimates), estimates)

        return Fitting(
            likeliest(),
            to_the_end,
            lambda state: {"estimates_": state.estimates},
            data,
            max_steps=1,
            ended=Status.OPTIMAL,
        )

    def score_samples(self, X) -> np.ndarray:
        """log p(x) of each row; −∞ for a row that the law cannot produce.

        Parameters
        ----------
        X : array (n, p)
        """
        check_is_fitted(self)
        refuse_unreadable(X)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if _LAWS[self.law].n_dimensions == 2:
            return self.estimates_[0].law.log_density(X)
        return np.sum([found.law.log_density(column) for found, column in zip(self.estimates_, X.T)], axis=0)

    def score(self, X, y=None) -> float:
        """Total log-likelihood of the rows.

        Parameters
        ----------
        X : array (n, p)
        y : ignored
        """
        return float(np.sum(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> np.ndarray:
        """Rows drawn from the fitted density."""
        check_is_fitted(self)
        rng = generator_from(random_state, f"{type(self).__name__}.sample")
        drawn = [found.law.sample(n_samples, rng) for found in self.estimates_]
        return drawn[0] if _LAWS[self.law].n_dimensions == 2 else np.column_stack(drawn)
