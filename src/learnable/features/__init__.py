"""Codings of features, scalings of columns, polynomial bases, and the coder of whole tables."""

from learnable.features.factored_encoder import FactoredEncoder
from learnable.features.norm_scaler import NormScaler
from learnable.features.polynomial_basis import PolynomialBasis
from learnable.features.polynomial_dimension import polynomial_dimension
from learnable.features.standardizer import Standardizer
from learnable.features.table_coder import TableCoder, coder_for
from learnable.features.thermometer_encoder import ThermometerEncoder
from learnable.features.word_counts import WordCounts
from learnable.features.xor_lift import xor_lift

__all__ = [
    "FactoredEncoder",
    "NormScaler",
    "PolynomialBasis",
    "Standardizer",
    "TableCoder",
    "ThermometerEncoder",
    "WordCounts",
    "coder_for",
    "polynomial_dimension",
    "xor_lift",
]
