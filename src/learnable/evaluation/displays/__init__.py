"""Pictures of scores, comparisons and decompositions; matplotlib is imported when one is drawn."""

from learnable.evaluation.displays.bias_variance_display import BiasVarianceDisplay
from learnable.evaluation.displays.calibration_display import CalibrationDisplay
from learnable.evaluation.displays.comparison_matrix_display import ComparisonMatrixDisplay
from learnable.evaluation.displays.critical_difference_display import CriticalDifferenceDisplay
from learnable.evaluation.displays.leaderboard_display import LeaderboardDisplay
from learnable.evaluation.displays.learning_curve_display import LearningCurveDisplay
from learnable.evaluation.displays.residual_display import ResidualDisplay

__all__ = [
    "BiasVarianceDisplay",
    "CalibrationDisplay",
    "ComparisonMatrixDisplay",
    "CriticalDifferenceDisplay",
    "LeaderboardDisplay",
    "LearningCurveDisplay",
    "ResidualDisplay",
]
