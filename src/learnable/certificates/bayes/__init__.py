"""What is proved: Bayesian learning."""
