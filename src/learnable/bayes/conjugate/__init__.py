"""Conjugate beliefs: prior and posterior are laws of the same kind."""

from learnable.bayes.conjugate.belief import Belief
from learnable.bayes.conjugate.beta_bernoulli import BetaBernoulli
from learnable.bayes.conjugate.dirichlet_categorical import DirichletCategorical
from learnable.bayes.conjugate.gamma_exponential import GammaExponential
from learnable.bayes.conjugate.gamma_poisson import GammaPoisson
from learnable.bayes.conjugate.normal_inverse_gamma import NormalInverseGamma
from learnable.bayes.conjugate.normal_normal import NormalNormal
from learnable.bayes.conjugate.pareto_uniform import ParetoUniform

__all__ = [
    "Belief", "BetaBernoulli", "DirichletCategorical", "GammaExponential", "GammaPoisson", "NormalInverseGamma",
    "NormalNormal", "ParetoUniform",
]  # fmt: skip
