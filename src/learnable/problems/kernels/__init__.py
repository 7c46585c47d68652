"""Kernels and what support vector machines minimise."""
