"""What is minimised: Bayesian learning."""
