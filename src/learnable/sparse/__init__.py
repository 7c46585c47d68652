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
    from learnable.sparse.lars import Lars
    from learnable.sparse.lars_path import lars_path, lars_path_gram
    from learnable.sparse.lasso import Lasso
    from learnable.sparse.lasso_cv import LassoCV
    from learnable.sparse.lasso_lars import LassoLars
    from learnable.sparse.mcp_regression import MCPRegression
    from learnable.sparse.multi_task_lasso import MultiTaskLasso
    from learnable.sparse.nuclear_norm_regression import NuclearNormRegression, RankPath, nuclear_norm_path
    from learnable.sparse.paths import enet_path, lasso_path
    from learnable.sparse.penalized_regressor import PenalizedRegressor
    from learnable.sparse.reduced_rank_regression import ReducedRankRegression
    from learnable.sparse.reports.kkt_residuals import LassoKKT, lasso_kkt
    from learnable.sparse.reports.path_display import PathDisplay
    from learnable.sparse.reports.penalty_display import PenaltyDisplay, every_penalty
    from learnable.sparse.scad_regression import SCADRegression
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
    "PathDisplay",
    "PenalizedRegressor",
    "PenaltyDisplay",
    "RankPath",
    "ReducedRankRegression",
    "SCADRegression",
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
    "information_path",
    "largest_alpha",
    "lars_path",
    "lars_path_gram",
    "lasso_kkt",
    "lasso_path",
    "nuclear_norm_path",
    "sparse_logistic_path",
]

import_when_used(__name__)
