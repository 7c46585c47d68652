"""Kernels: linear models."""
