"""Kernels of neural networks."""
