"""Kernels: sparse models."""
