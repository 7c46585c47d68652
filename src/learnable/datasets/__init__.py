"""Tables: readers for CSV, Parquet, Arrow and data frames; tables that ship with the package; generators."""

from learnable.datasets.column import Column, Kind
from learnable.datasets.embedded import entry, load, names
from learnable.datasets.generators import linearly_separable, toeplitz_regression
from learnable.datasets.read import read_table
from learnable.datasets.table import Table
from learnable.datasets.toys import enjoy_sport, play_tennis, three_hypotheses, weather, xor

__all__ = [
    "Column",
    "Kind",
    "Table",
    "enjoy_sport",
    "entry",
    "linearly_separable",
    "load",
    "names",
    "play_tennis",
    "read_table",
    "three_hypotheses",
    "toeplitz_regression",
    "weather",
    "xor",
]
