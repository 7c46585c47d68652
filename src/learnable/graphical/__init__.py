"""Graphical models: graphs and their independences, structure learning, sparse precision matrices."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.graphical.background_knowledge import BackgroundKnowledge
    from learnable.graphical.bootstrap import EdgeFrequency, bootstrap_edges
    from learnable.graphical.causal_learn import from_causal_learn
    from learnable.graphical.clime import CLIME, ClimePath, clime_path
    from learnable.graphical.clime_bounds import ClimeErrors, clime_errors, in_clime_class
    from learnable.graphical.cpdag import CPDAG
    from learnable.graphical.dag import DAG, CyclicGraphError
    from learnable.graphical.export import from_bnlearn
    from learnable.graphical.faithfulness import faithfulness, linear_covariance
    from learnable.graphical.gaussian_conditionals import gaussian_conditional, independent_pairs
    from learnable.graphical.graphical_lasso import GraphicalLasso
    from learnable.graphical.graphical_lasso_cv import GraphicalLassoCV
    from learnable.graphical.nodewise_regression import NodewiseRegression
    from learnable.graphical.orientations import four_orientations
    from learnable.graphical.partial_correlation import partial_correlation
    from learnable.graphical.pc import PC, DSeparation, EdgeEvidence
    from learnable.graphical.pdag import PDAG

__all__ = [
    "CLIME", "CPDAG", "DAG", "PC", "PDAG", "BackgroundKnowledge", "ClimeErrors", "ClimePath", "CyclicGraphError",
    "DSeparation", "EdgeEvidence", "EdgeFrequency", "GraphicalLasso", "GraphicalLassoCV", "NodewiseRegression",
    "bootstrap_edges", "clime_errors", "clime_path", "faithfulness", "four_orientations", "from_bnlearn",
    "from_causal_learn", "gaussian_conditional", "in_clime_class", "independent_pairs", "linear_covariance",
    "partial_correlation",
]  # fmt: skip

import_when_used(__name__)
