"""Codings of features, scalings of columns, and the coder of whole tables.

scikit-learn's `StandardScaler`, `OneHotEncoder` and `PolynomialFeatures` do the rest of this room's work.
"""

from learnable.features.factored_encoder import FactoredEncoder
from learnable.features.norm_scaler import NormScaler
from learnable.features.polynomial_dimension import polynomial_dimension
from learnable.features.table_coder import TableCoder, coder_for
from learnable.features.thermometer_encoder import ThermometerEncoder
from learnable.features.word_counts import WordCounts
from learnable.features.xor_lift import xor_lift

__all__ = [
    "FactoredEncoder",
    "NormScaler",
    "TableCoder",
    "ThermometerEncoder",
    "WordCounts",
    "coder_for",
    "polynomial_dimension",
    "xor_lift",
]
