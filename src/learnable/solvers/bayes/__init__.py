"""How: Bayesian learning."""
