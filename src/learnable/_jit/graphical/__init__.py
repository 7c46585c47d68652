"""Kernels of graphical models."""
