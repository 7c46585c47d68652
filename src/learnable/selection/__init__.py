"""Choosing among models: splits, folds, information criteria, bootstrap errors, structural risk minimisation."""

from learnable.selection.bootstrap_error import (
    BootstrapErrors,
    bootstrap_error,
    combine_bootstrap_errors,
    no_information_error,
    probability_in_sample,
)
from learnable.selection.cv_vs_srm import CvVersusSrm, cv_vs_srm
from learnable.selection.degrees_of_freedom import (
    DegreesOfFreedom,
    fitted_values,
    hat_matrix,
    monte_carlo_df,
    trace_df,
)
from learnable.selection.erm import (
    ErmInequality,
    ErmResult,
    ExcessError,
    erm,
    erm_inequality,
    excess_error,
    risk_vector,
)
from learnable.selection.folds import (
    CrossValidated,
    check_partition,
    cross_validated,
    leave_one_out,
    linear_leave_one_out,
)
from learnable.selection.grid_search_cv import GridSearchCV
from learnable.selection.holdout_choice import HoldoutBand, holdout_band, holdout_choice
from learnable.selection.information import (
    InformationCriteria,
    LikelihoodFit,
    MallowsCp,
    class_log_likelihood,
    gaussian_log_likelihood,
    information_criteria,
    log_likelihood_of,
    mallows_cp,
    residual_variance,
)
from learnable.selection.laplace import LaplaceEvidence, ModelOdds, laplace_evidence, posterior_odds
from learnable.selection.laws import ResponseLaw, log_densities, response_law
from learnable.selection.optimism import CovariancePenalty, deviance_optimism, linear_optimism, optimism
from learnable.selection.overfitting import Overfitting, overfitting
from learnable.selection.path import (
    ConstrainedSolution,
    RegularisationPath,
    regularisation_path,
    solve_constrained,
)
from learnable.selection.randomized_search_cv import RandomizedSearchCV
from learnable.selection.select import Selection, select
from learnable.selection.selection_display import SelectionDisplay
from learnable.selection.split import ThreeWaySplit, ValidationChoice, choose_on_validation, three_way_split
from learnable.selection.structural_risk import (
    OracleInequality,
    StructuralRisk,
    oracle_inequality,
    structural_risk,
    structural_risk_minimisation,
)
from learnable.selection.super_learner import Blending, blend_weights

__all__ = [
    "Blending",
    "BootstrapErrors",
    "ConstrainedSolution",
    "CovariancePenalty",
    "CrossValidated",
    "CvVersusSrm",
    "DegreesOfFreedom",
    "ErmInequality",
    "ErmResult",
    "ExcessError",
    "GridSearchCV",
    "HoldoutBand",
    "InformationCriteria",
    "LaplaceEvidence",
    "LikelihoodFit",
    "MallowsCp",
    "ModelOdds",
    "OracleInequality",
    "Overfitting",
    "RandomizedSearchCV",
    "RegularisationPath",
    "ResponseLaw",
    "Selection",
    "SelectionDisplay",
    "StructuralRisk",
    "ThreeWaySplit",
    "ValidationChoice",
    "blend_weights",
    "bootstrap_error",
    "check_partition",
    "choose_on_validation",
    "class_log_likelihood",
    "combine_bootstrap_errors",
    "cross_validated",
    "cv_vs_srm",
    "deviance_optimism",
    "erm",
    "erm_inequality",
    "excess_error",
    "fitted_values",
    "gaussian_log_likelihood",
    "hat_matrix",
    "holdout_band",
    "holdout_choice",
    "information_criteria",
    "laplace_evidence",
    "leave_one_out",
    "linear_leave_one_out",
    "linear_optimism",
    "log_densities",
    "log_likelihood_of",
    "mallows_cp",
    "monte_carlo_df",
    "no_information_error",
    "optimism",
    "oracle_inequality",
    "overfitting",
    "posterior_odds",
    "probability_in_sample",
    "regularisation_path",
    "residual_variance",
    "response_law",
    "risk_vector",
    "select",
    "solve_constrained",
    "structural_risk",
    "structural_risk_minimisation",
    "three_way_split",
    "trace_df",
]
