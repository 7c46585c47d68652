"""Sparse linear models."""

from learnable.sparse.lasso import Lasso

__all__ = ["Lasso"]
