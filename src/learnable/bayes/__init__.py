"""Bayesian learning: posteriors over hypotheses, naive Bayes, maximum likelihood and conjugate priors."""

__all__: list[str] = []
