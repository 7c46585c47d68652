"""Bayesian learning: posteriors over hypotheses, naive Bayes, maximum likelihood and conjugate priors."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.bayes.bayes_optimal import BayesOptimal, bayes_optimal
    from learnable.bayes.bernoulli_nb import BernoulliNB
    from learnable.bayes.brute_force_map import brute_force_map
    from learnable.bayes.categorical_nb import CategoricalNB
    from learnable.bayes.complement_nb import ComplementNB
    from learnable.bayes.conjugate import (
        BetaBernoulli,
        DirichletCategorical,
        GammaExponential,
        GammaPoisson,
        NormalInverseGamma,
        NormalNormal,
        ParetoUniform,
    )
    from learnable.bayes.decision import Decision, bayes_decision, zero_one_loss
    from learnable.bayes.explanation import Explanation
    from learnable.bayes.gaussian_nb import GaussianNB
    from learnable.bayes.laws import (
        Bernoulli,
        Categorical,
        Estimate,
        Exponential,
        Gaussian,
        MultivariateGaussian,
        Poisson,
        Uniform,
    )
    from learnable.bayes.m_estimate import m_estimate
    from learnable.bayes.maximum_likelihood import LikelihoodMaximum, maximum_likelihood
    from learnable.bayes.multinomial_nb import MultinomialNB
    from learnable.bayes.naive_bayes import NaiveBayes
    from learnable.bayes.parametric_density import ParametricDensity
    from learnable.bayes.plug_in import PlugInExcess, discriminative_law, generative_law, plug_in_excess
    from learnable.bayes.posterior import Posterior, posterior, posterior_from_logs
    from learnable.bayes.telling_words import TellingWords, telling_words
    from learnable.bayes.two_classes import two_class_posterior

__all__ = [
    "BayesOptimal",
    "Bernoulli",
    "BernoulliNB",
    "BetaBernoulli",
    "Categorical",
    "CategoricalNB",
    "ComplementNB",
    "Decision",
    "DirichletCategorical",
    "Estimate",
    "Explanation",
    "Exponential",
    "GammaExponential",
    "GammaPoisson",
    "Gaussian",
    "GaussianNB",
    "LikelihoodMaximum",
    "MultinomialNB",
    "MultivariateGaussian",
    "NaiveBayes",
    "NormalInverseGamma",
    "NormalNormal",
    "ParametricDensity",
    "ParetoUniform",
    "PlugInExcess",
    "Poisson",
    "Posterior",
    "TellingWords",
    "Uniform",
    "bayes_decision",
    "bayes_optimal",
    "brute_force_map",
    "discriminative_law",
    "generative_law",
    "m_estimate",
    "maximum_likelihood",
    "plug_in_excess",
    "posterior",
    "posterior_from_logs",
    "telling_words",
    "two_class_posterior",
    "zero_one_loss",
]

import_when_used(__name__)
