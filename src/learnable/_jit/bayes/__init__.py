"""Kernels: Bayesian learning."""
