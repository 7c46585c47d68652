"""Coordinate descent under the penalties of `problems.folded_penalties`: the kernels that serve every penalty.

A kernel can call a formula only once that is registered; the formulas of those penalties are from here on.
"""

from learnable._jit.core.compile import compile_formulas
from learnable._jit.sparse.coordinate_descent import add_rows, block, gram_sweeps, sweeps
from learnable.problems.sparse import folded_penalties  # noqa: F401  (its formulas are registered below)

compile_formulas()

__all__ = ["add_rows", "block", "gram_sweeps", "sweeps"]
