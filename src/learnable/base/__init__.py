"""What every learner shares, of any kind: pose, drive, adopt, certify."""

from learnable.base.classes import class_indices, class_weights, refuse_continuous
from learnable.base.fitting import Data, Diverged, Fitting, Threads
from learnable.base.learner import Learner
from learnable.base.linear import LinearClassifier, LinearPredictor, LinearRegressor, SparseCoefficients
from learnable.base.scores import AccuracyScore, RSquaredScore
from learnable.base.validation import refuse_unreadable, validate_data

__all__ = [
    "AccuracyScore", "Data", "Diverged", "Fitting", "Learner", "LinearClassifier", "LinearPredictor",
    "LinearRegressor", "RSquaredScore", "SparseCoefficients", "Threads", "class_indices", "class_weights",
    "refuse_continuous", "refuse_unreadable", "validate_data",
]  # fmt: skip
