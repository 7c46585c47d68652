"""Kernels: what every family shares."""
