"""Compiled kernels of the unsupervised learners."""
