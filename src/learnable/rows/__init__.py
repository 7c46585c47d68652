"""Sums over rows: one door for arrays in memory, sparse matrices, files larger than memory and dask clusters."""

from .arrays import canonical
from .centred import centred_adjoint, centred_product, column_sums, squares_about
from .checkpoint import checkpointed
from .coerce import as_rows, is_streamed
from .condensed import condensed
from .cross_products import cross_products
from .examine import examine
from .extremes import largest_magnitudes
from .lazily import is_dask_table, lazily
from .means import Means, means
from .moments import Moments, moments
from .parquet import ParquetRows
from .source import Block, Rows, add
from .span import in_folds
from .taken import taken, taken_in_order
from .threads import one_blas_thread
from .triangle import centred_rows, triangular_factor
from .weighted_sums import weighted_sums

__all__ = [
    "Block",
    "Means",
    "Moments",
    "ParquetRows",
    "Rows",
    "add",
    "as_rows",
    "canonical",
    "centred_adjoint",
    "centred_product",
    "centred_rows",
    "checkpointed",
    "column_sums",
    "condensed",
    "cross_products",
    "examine",
    "in_folds",
    "is_dask_table",
    "is_streamed",
    "largest_magnitudes",
    "lazily",
    "means",
    "moments",
    "one_blas_thread",
    "squares_about",
    "taken",
    "taken_in_order",
    "triangular_factor",
    "weighted_sums",
]
