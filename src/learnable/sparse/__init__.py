"""Sparse linear models."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.sparse.adaptive_lasso import AdaptiveLasso
    from learnable.sparse.admm_lasso import ADMMLasso
    from learnable.sparse.best_subset import BestSubset
    from learnable.sparse.best_subset_milp import BestSubsetMILP
    from learnable.sparse.bridge_regression import BridgeRegression
    from learnable.sparse.constrained_lasso import ConstrainedLasso, constrained_lasso
    from learnable.sparse.dantzig_selector import DantzigSelector
    from learnable.sparse.elastic_net import ElasticNet
    from learnable.sparse.elastic_net_cv import ElasticNetCV
    from learnable.sparse.folded_path import FoldedPath, folded_path
    from learnable.sparse.group_lasso import GroupLasso
    from learnable.sparse.group_path import GroupPath, group_path
    from learnable.sparse.information_path import InformationPath, information_path
    from learnable.sparse.kkt_residuals import LassoKKT, lasso_kkt
    from learnable.sparse.lars import Lars
    from learnable.sparse.lars_path import lars_path, lars_path_gram
    from learnable.sparse.lasso import Lasso
    from learnable.sparse.lasso_cv import LassoCV
    from learnable.sparse.lasso_lars import LassoLars
    from learnable.sparse.mcp_regression import MCPRegression
    from learnable.sparse.multi_task_lasso import MultiTaskLasso
    from learnable.sparse.nuclear_norm_regression import NuclearNormRegression, RankPath, nuclear_norm_path
    from learnable.sparse.oracle import (
        noise_event,
        oracle_distance,
        oracle_penalty,
        oracle_prediction,
        penalty_constant,
        root_n_columns,
        slow_rate,
    )
    from learnable.sparse.oracle_experiment import OracleExperiment, oracle_experiment, slow_rate_experiment
    from learnable.sparse.orthogonal_design import OrthogonalDesign, hard_threshold, orthogonal_design
    from learnable.sparse.path_display import PathDisplay
    from learnable.sparse.paths import enet_path, lasso_path
    from learnable.sparse.penalized_regressor import PenalizedRegressor
    from learnable.sparse.penalty_display import PenaltyDisplay, every_penalty
    from learnable.sparse.reduced_rank_regression import ReducedRankRegression
    from learnable.sparse.restricted_eigenvalue import restricted_eigenvalue
    from learnable.sparse.restricted_eigenvalue_proof import RestrictedEigenvalue
    from learnable.sparse.scad_regression import SCADRegression
    from learnable.sparse.sign_consistency import SignConsistency, irrepresentable_condition, sign_consistency
    from learnable.sparse.sparse_group_lasso import SparseGroupLasso
    from learnable.sparse.sparse_lda import SparseLDA
    from learnable.sparse.sparse_lda_dantzig import SparseLDADantzig
    from learnable.sparse.sparse_logistic_regression import (
        LogisticPath,
        SparseLogisticRegression,
        largest_alpha,
        sparse_logistic_path,
    )
    from learnable.sparse.sparse_poisson_regressor import SparsePoissonRegressor
    from learnable.sparse.splicing_subset import SplicingSubset
    from learnable.sparse.stepwise import Stepwise

__all__ = [
    "ADMMLasso",
    "AdaptiveLasso",
    "BestSubset",
    "BestSubsetMILP",
    "BridgeRegression",
    "ConstrainedLasso",
    "DantzigSelector",
    "ElasticNet",
    "ElasticNetCV",
    "FoldedPath",
    "GroupLasso",
    "GroupPath",
    "InformationPath",
    "Lars",
    "Lasso",
    "LassoCV",
    "LassoKKT",
    "LassoLars",
    "LogisticPath",
    "MCPRegression",
    "MultiTaskLasso",
    "NuclearNormRegression",
    "OracleExperiment",
    "OrthogonalDesign",
    "PathDisplay",
    "PenalizedRegressor",
    "PenaltyDisplay",
    "RankPath",
    "ReducedRankRegression",
    "RestrictedEigenvalue",
    "SCADRegression",
    "SignConsistency",
    "SparseGroupLasso",
    "SparseLDA",
    "SparseLDADantzig",
    "SparseLogisticRegression",
    "SparsePoissonRegressor",
    "SplicingSubset",
    "Stepwise",
    "constrained_lasso",
    "enet_path",
    "every_penalty",
    "folded_path",
    "group_path",
    "hard_threshold",
    "information_path",
    "irrepresentable_condition",
    "largest_alpha",
    "lars_path",
    "lars_path_gram",
    "lasso_kkt",
    "lasso_path",
    "noise_event",
    "nuclear_norm_path",
    "oracle_distance",
    "oracle_experiment",
    "oracle_penalty",
    "oracle_prediction",
    "orthogonal_design",
    "penalty_constant",
    "restricted_eigenvalue",
    "root_n_columns",
    "sign_consistency",
    "slow_rate",
    "slow_rate_experiment",
    "sparse_logistic_path",
]

import_when_used(__name__)
