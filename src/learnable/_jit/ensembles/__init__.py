"""Kernels of stumps and of boosting on histograms."""
