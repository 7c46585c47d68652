"""Compiled loops of kernel methods."""
