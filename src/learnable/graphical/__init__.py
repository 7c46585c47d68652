"""Graphical models: graphs and their independences, structure learning, sparse precision matrices."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.graphical.background_knowledge import BackgroundKnowledge
    from learnable.graphical.bootstrap import EdgeFrequency, bootstrap_edges
    from learnable.graphical.cpdag import CPDAG
    from learnable.graphical.dag import DAG, CyclicGraphError
    from learnable.graphical.export import from_bnlearn
    from learnable.graphical.faithfulness import faithfulness, linear_covariance
    from learnable.graphical.gaussian_conditionals import gaussian_conditional, independent_pairs
    from learnable.graphical.graphical_lasso import GraphicalLasso
    from learnable.graphical.graphical_lasso_cv import GraphicalLassoCV
    from learnable.graphical.orientations import four_orientations
    from learnable.graphical.partial_correlation import partial_correlation
    from learnable.graphical.pc import PC, DSeparation, EdgeEvidence
    from learnable.graphical.pdag import PDAG

__all__ = [
    "CPDAG", "DAG", "PC", "PDAG", "BackgroundKnowledge", "CyclicGraphError", "DSeparation", "EdgeEvidence",
    "EdgeFrequency", "GraphicalLasso", "GraphicalLassoCV", "bootstrap_edges", "faithfulness", "four_orientations", "from_bnlearn",
    "gaussian_conditional", "independent_pairs", "linear_covariance", "partial_correlation",
]  # fmt: skip

import_when_used(__name__)
