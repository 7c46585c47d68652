"""Linear models: perceptron, least squares, ridge, logistic regression."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.certificates.linear.separability import Separability, separability
    from learnable.linear.averaged_perceptron import AveragedPerceptron
    from learnable.linear.bayesian_linear_regression import BayesianLinearRegression
    from learnable.linear.cost_decision import cost_threshold, least_cost_classes
    from learnable.linear.dual_perceptron import DualPerceptron, dual_coefficients, dual_perceptron
    from learnable.linear.gamma_regressor import GammaRegressor
    from learnable.linear.generalized_linear_regressor import GeneralizedLinearRegressor
    from learnable.linear.glm_towards import GLMTowards, glm_towards
    from learnable.linear.gradient_descent import GradientDescent, gradient_descent
    from learnable.linear.indicator_regression import IndicatorRegression
    from learnable.linear.linear_discriminant_analysis import LinearDiscriminantAnalysis
    from learnable.linear.linear_regression import LinearRegression
    from learnable.linear.logistic_regression import LogisticRegression
    from learnable.linear.logistic_steps import gradient_steps, newton_steps
    from learnable.linear.perceptron import Perceptron
    from learnable.linear.poisson_regressor import PoissonRegressor
    from learnable.linear.quadratic_discriminant_analysis import QuadraticDiscriminantAnalysis
    from learnable.linear.random_linear_classifier import RandomLinearClassifier
    from learnable.linear.random_misclassified_perceptron import RandomMisclassifiedPerceptron
    from learnable.linear.reports.fisher_inference import GLMSummary, glm_summary
    from learnable.linear.reports.inference import LinearSummary, NotIdentifiedError, summary
    from learnable.linear.reports.log_odds_comparison import LogOddsComparison, compare_log_odds
    from learnable.linear.reports.logistic_inference import logistic_summary
    from learnable.linear.reports.margins import Margin, margin, origin_distance, signed_distances
    from learnable.linear.reports.masking_report import MaskingReport
    from learnable.linear.reports.mistake_bound import MistakeBound, mistake_bound
    from learnable.linear.reports.reference_form import ReferenceForm, reference_form
    from learnable.linear.reports.ridge_constraint import ConstrainedRidge, constrained_ridge
    from learnable.linear.reports.ridge_theory import RidgeRisk, ridge_risk
    from learnable.linear.reports.shrinkage import Shrinkage, shrinkage
    from learnable.linear.reports.successive_orthogonalisation import (
        SuccessiveOrthogonalisation,
        successive_orthogonalisation,
    )
    from learnable.linear.ridge import Ridge
    from learnable.linear.ridge_cv import RidgeCV
    from learnable.linear.ridge_path import ridge_path
    from learnable.linear.ridge_towards import RidgeTowards, ridge_towards
    from learnable.linear.seemingly_unrelated import SeeminglyUnrelated, seemingly_unrelated
    from learnable.linear.sgd_classifier import SGDClassifier
    from learnable.linear.sgd_regressor import SGDRegressor

__all__ = [
    "AveragedPerceptron",
    "BayesianLinearRegression",
    "ConstrainedRidge",
    "DualPerceptron",
    "GLMSummary",
    "GLMTowards",
    "GammaRegressor",
    "GeneralizedLinearRegressor",
    "GradientDescent",
    "IndicatorRegression",
    "LinearDiscriminantAnalysis",
    "LinearRegression",
    "LinearSummary",
    "LogOddsComparison",
    "LogisticRegression",
    "Margin",
    "MaskingReport",
    "MistakeBound",
    "NotIdentifiedError",
    "Perceptron",
    "PoissonRegressor",
    "QuadraticDiscriminantAnalysis",
    "RandomLinearClassifier",
    "RandomMisclassifiedPerceptron",
    "ReferenceForm",
    "Ridge",
    "RidgeCV",
    "RidgeRisk",
    "RidgeTowards",
    "SGDClassifier",
    "SGDRegressor",
    "SeeminglyUnrelated",
    "Separability",
    "Shrinkage",
    "SuccessiveOrthogonalisation",
    "compare_log_odds",
    "constrained_ridge",
    "cost_threshold",
    "dual_coefficients",
    "dual_perceptron",
    "glm_summary",
    "glm_towards",
    "gradient_descent",
    "gradient_steps",
    "least_cost_classes",
    "logistic_summary",
    "margin",
    "mistake_bound",
    "newton_steps",
    "origin_distance",
    "reference_form",
    "ridge_path",
    "ridge_risk",
    "ridge_towards",
    "seemingly_unrelated",
    "separability",
    "shrinkage",
    "signed_distances",
    "successive_orthogonalisation",
    "summary",
]

import_when_used(__name__)
