"""Judging learners: scores with their uncertainty, tests, comparison, decomposition, curves."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.evaluation.auc import auc_interval
    from learnable.evaluation.bias_variance import (
        BiasVariance,
        MseDecomposition,
        bootstrap_bias_variance,
        mse_decomposition,
        prediction_decomposition,
        simulated_bias_variance,
    )
    from learnable.evaluation.bootstrap import METRICS, bootstrap_interval
    from learnable.evaluation.classification_scores import (
        ClassificationScores,
        accuracy,
        balanced_accuracy,
        classification_scores,
        f_score,
        precision,
        recall,
        specificity,
    )
    from learnable.evaluation.compare import compare
    from learnable.evaluation.compare_datasets import compare_datasets
    from learnable.evaluation.comparison import Comparison, Pair
    from learnable.evaluation.confusion import ConfusionMatrix, confusion_matrix
    from learnable.evaluation.corrected_t import PairedTests, corrected_mean, corrected_t, paired_tests
    from learnable.evaluation.coverage import LeastCoverage, coverage, least_coverage
    from learnable.evaluation.curves import (
        CalibrationBin,
        LearningCurve,
        ResidualTable,
        calibration_table,
        learning_curve,
        residual_table,
    )
    from learnable.evaluation.dataset_comparison import DatasetComparison, RankedPair
    from learnable.evaluation.difference import (
        DIFFERENCE_INTERVALS,
        difference_interval,
        newcombe_difference,
        normal_difference,
        paired_error_difference,
        paired_mean_difference,
    )
    from learnable.evaluation.displays import (
        BiasVarianceDisplay,
        CalibrationDisplay,
        ComparisonMatrixDisplay,
        CriticalDifferenceDisplay,
        LeaderboardDisplay,
        LearningCurveDisplay,
        ResidualDisplay,
    )
    from learnable.evaluation.dunn import AgainstControl, against_control
    from learnable.evaluation.five_by_two import FiveByTwo, five_by_two, five_by_two_test
    from learnable.evaluation.friedman import Friedman, friedman, friedman_chi2, iman_davenport
    from learnable.evaluation.groups import indistinguishable_groups
    from learnable.evaluation.interval import Interval
    from learnable.evaluation.mcnemar import McNemar, mcnemar, mcnemar_counts
    from learnable.evaluation.means import (
        MEAN_INTERVALS,
        bernstein_interval,
        hoeffding_mean_interval,
        normal_interval,
        t_interval,
    )
    from learnable.evaluation.multiple import benjamini_hochberg, bonferroni, hochberg, holm
    from learnable.evaluation.nemenyi import Nemenyi, nemenyi
    from learnable.evaluation.normal_approximation import (
        NormalApproximation,
        SampleErrorLaw,
        normal_approximation,
        probability_within,
        sample_error_law,
        z_score,
    )
    from learnable.evaluation.paired_t import PairedTest, paired_t
    from learnable.evaluation.proportion import (
        PROPORTION_INTERVALS,
        agresti_coull_interval,
        clopper_pearson_interval,
        error_interval,
        hoeffding_interval,
        jeffreys_interval,
        proportion_interval,
        wald_interval,
        wilson_interval,
    )
    from learnable.evaluation.regression_risk import RegressionRisk, regression_risk
    from learnable.evaluation.resampling import ConfusionMetric, MeanMetric
    from learnable.evaluation.scores import (
        LOSSES,
        SCORES,
        Loss,
        RiskSplit,
        cost_matrix_loss,
        mean_loss,
        risk_split,
        row_losses,
        score_with_interval,
    )
    from learnable.evaluation.sign_test import SignTest, sign_test
    from learnable.evaluation.wilcoxon import Wilcoxon, wilcoxon
    from learnable.evaluation.with_reference import WithBest, WithReference, with_best, with_reference
    from learnable.evaluation.zero_one_decomposition import ZeroOneDecomposition, zero_one_decomposition

__all__ = [
    "DIFFERENCE_INTERVALS",
    "LOSSES",
    "MEAN_INTERVALS",
    "METRICS",
    "PROPORTION_INTERVALS",
    "SCORES",
    "AgainstControl",
    "BiasVariance",
    "BiasVarianceDisplay",
    "CalibrationBin",
    "CalibrationDisplay",
    "ClassificationScores",
    "Comparison",
    "ComparisonMatrixDisplay",
    "ConfusionMatrix",
    "ConfusionMetric",
    "CriticalDifferenceDisplay",
    "DatasetComparison",
    "FiveByTwo",
    "Friedman",
    "Interval",
    "LeaderboardDisplay",
    "LearningCurve",
    "LearningCurveDisplay",
    "LeastCoverage",
    "Loss",
    "McNemar",
    "MeanMetric",
    "MseDecomposition",
    "Nemenyi",
    "NormalApproximation",
    "Pair",
    "PairedTest",
    "PairedTests",
    "RankedPair",
    "RegressionRisk",
    "ResidualDisplay",
    "ResidualTable",
    "RiskSplit",
    "SampleErrorLaw",
    "SignTest",
    "Wilcoxon",
    "WithBest",
    "WithReference",
    "ZeroOneDecomposition",
    "accuracy",
    "against_control",
    "agresti_coull_interval",
    "auc_interval",
    "balanced_accuracy",
    "benjamini_hochberg",
    "bernstein_interval",
    "bonferroni",
    "bootstrap_bias_variance",
    "bootstrap_interval",
    "calibration_table",
    "classification_scores",
    "clopper_pearson_interval",
    "compare",
    "compare_datasets",
    "confusion_matrix",
    "corrected_mean",
    "corrected_t",
    "cost_matrix_loss",
    "coverage",
    "difference_interval",
    "error_interval",
    "f_score",
    "five_by_two",
    "five_by_two_test",
    "friedman",
    "friedman_chi2",
    "hochberg",
    "hoeffding_interval",
    "hoeffding_mean_interval",
    "holm",
    "iman_davenport",
    "indistinguishable_groups",
    "jeffreys_interval",
    "learning_curve",
    "least_coverage",
    "mcnemar",
    "mcnemar_counts",
    "mean_loss",
    "mse_decomposition",
    "nemenyi",
    "newcombe_difference",
    "normal_approximation",
    "normal_difference",
    "normal_interval",
    "paired_error_difference",
    "paired_mean_difference",
    "paired_t",
    "paired_tests",
    "precision",
    "prediction_decomposition",
    "probability_within",
    "proportion_interval",
    "recall",
    "regression_risk",
    "residual_table",
    "risk_split",
    "row_losses",
    "sample_error_law",
    "score_with_interval",
    "sign_test",
    "simulated_bias_variance",
    "specificity",
    "t_interval",
    "wald_interval",
    "wilcoxon",
    "wilson_interval",
    "with_best",
    "with_reference",
    "z_score",
    "zero_one_decomposition",
]

import_when_used(__name__)
