"""Algorithms of kernel methods."""
