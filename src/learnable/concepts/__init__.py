"""Concept learning: hypothesis languages, version spaces, learners of formulas, rectangles and half-spaces."""

from learnable.concepts.attributes import Attributes
from learnable.concepts.candidate_elimination import CandidateElimination, Verdict
from learnable.concepts.clauses import all_clauses, count_clauses
from learnable.concepts.conjunction import ANY, NEVER, Conjunction, Constraint, count_conjunctions, every_conjunction
from learnable.concepts.consistency import Consistency, consistency
from learnable.concepts.consistency_decider import Decision, decide_consistency
from learnable.concepts.disjunction_learner import DisjunctionLearner
from learnable.concepts.find_s import FindS
from learnable.concepts.formula_bounds import k_cnf_consistent, term_dnf_consistent
from learnable.concepts.generality import point_between, truth_table
from learnable.concepts.graph_colouring import (
    Colouring,
    ColouringExamples,
    colour_graph,
    colouring_examples,
    colouring_of_formula,
    formula_of_colouring,
)
from learnable.concepts.half_space_learner import HalfSpaceLearner
from learnable.concepts.k_cnf_learner import KCNFLearner
from learnable.concepts.k_dnf_learner import KDNFLearner
from learnable.concepts.k_term_dnf_learner import KTermDNFLearner
from learnable.concepts.learning_problem import LearningProblem
from learnable.concepts.literal_set import Clause, Monomial
from learnable.concepts.literals import Literals
from learnable.concepts.monomial_learner import MonomialLearner
from learnable.concepts.normal_form import CNF, DNF
from learnable.concepts.rectangle_learner import RectangleLearner
from learnable.concepts.version_space import VersionSpace
from learnable.concepts.version_space_display import VersionSpaceDisplay

__all__ = [
    "ANY",
    "CNF",
    "DNF",
    "NEVER",
    "Attributes",
    "CandidateElimination",
    "Clause",
    "Colouring",
    "ColouringExamples",
    "Conjunction",
    "Consistency",
    "Constraint",
    "Decision",
    "DisjunctionLearner",
    "FindS",
    "HalfSpaceLearner",
    "KCNFLearner",
    "KDNFLearner",
    "KTermDNFLearner",
    "LearningProblem",
    "Literals",
    "Monomial",
    "MonomialLearner",
    "RectangleLearner",
    "Verdict",
    "VersionSpace",
    "VersionSpaceDisplay",
    "all_clauses",
    "colour_graph",
    "colouring_examples",
    "colouring_of_formula",
    "consistency",
    "count_clauses",
    "count_conjunctions",
    "decide_consistency",
    "every_conjunction",
    "formula_of_colouring",
    "k_cnf_consistent",
    "point_between",
    "term_dnf_consistent",
    "truth_table",
]
