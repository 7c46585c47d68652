"""A catalogue of laws and their likeliest parameters."""

from learnable.bayes.laws.bernoulli import Bernoulli
from learnable.bayes.laws.categorical import Categorical
from learnable.bayes.laws.exponential import Exponential
from learnable.bayes.laws.gaussian import Gaussian
from learnable.bayes.laws.law import Estimate, Law
from learnable.bayes.laws.multivariate_gaussian import MultivariateGaussian
from learnable.bayes.laws.poisson import Poisson
from learnable.bayes.laws.uniform import Uniform

__all__ = [
    "Bernoulli", "Categorical", "Estimate", "Exponential", "Gaussian", "Law", "MultivariateGaussian", "Poisson",
    "Uniform",
]  # fmt: skip
