"""Kernels: decision processes."""
