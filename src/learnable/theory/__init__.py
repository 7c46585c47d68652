"""Learning theory that runs: bounds with their terms and inverses, VC dimensions with proofs, PAC experiments."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.theory.algebra.general_position import GeneralPosition, general_position, gram_matrix
    from learnable.theory.algebra.inner_products import Geometry, geometry
    from learnable.theory.algebra.matrix_products import ProductLaws, hadamard_rows, kronecker_place, product_laws
    from learnable.theory.algebra.pseudo_inverse import PseudoInverse, pseudo_inverse
    from learnable.theory.algebra.semidefinite import (
        SemidefiniteTest,
        SpectralDecomposition,
        semidefinite_test,
        smallest_eigenvalues,
        spectral_decomposition,
    )
    from learnable.theory.algebra.well_posedness import WellPosedness, well_posedness
    from learnable.theory.bayes_classifier import DensityLaw, DiscreteLaw, ExcessRisk
    from learnable.theory.boosting_bounds import boosting_edge, boosting_margin_loss, ensemble_vc
    from learnable.theory.bound import Bound, declare_bound
    from learnable.theory.bound_result import BoundResult, Solution
    from learnable.theory.catalogue import CATALOGUE
    from learnable.theory.classes import (
        ConceptClass,
        Conjunctions,
        FiniteTable,
        HalfSpaces,
        Hypothesis,
        Intervals,
        MonotoneConjunctions,
        Rectangles,
        Refutation,
        StructuredClass,
        Stumps,
        independent_separator,
        simplex_separator,
    )
    from learnable.theory.concentration import (
        bounded_differences,
        chernoff_lower,
        chernoff_upper,
        chernoff_upper_small,
        estimate_bounded_differences,
        hoeffding,
        hoeffding_two_sided,
        massart,
        mcdiarmid,
        rms_width,
        subgaussian_maximum,
    )
    from learnable.theory.concept_bounds import conjunction_consistent, conjunction_elimination, rectangle_learner
    from learnable.theory.cover import cover_count, cover_count_homogeneous, phase_transition, separable_probability
    from learnable.theory.dichotomies import Dichotomies, dichotomies, shatters
    from learnable.theory.epsilon_net import (
        error_regions,
        many_hits_probability,
        missed_region,
        net_failure_probability,
        second_half_probability,
    )
    from learnable.theory.finite_class import finite_agnostic, finite_consistent, finite_excess, single_hypothesis
    from learnable.theory.frequency import Frequency
    from learnable.theory.generalisation import certify_held_out, certify_training
    from learnable.theory.lower_bound import BadDistribution, simulate_failure
    from learnable.theory.margin_bounds import (
        best_margin_bound,
        linear_margin_bound,
        margin_bound,
        margin_bound_empirical,
        margin_bound_uniform,
        margin_risk,
        margin_shattering,
    )
    from learnable.theory.no_free_lunch import NoFreeLunch, no_free_lunch
    from learnable.theory.pac_experiment import ExampleOracle, PACResult, pac_experiment
    from learnable.theory.parameter import Parameter
    from learnable.theory.proof import DomainRefuted, ShatteredSet, StructureRefuted, VCProof
    from learnable.theory.rademacher import (
        RademacherEstimate,
        SupremumOracle,
        contraction,
        finite_class_oracle,
        kernel_ball_bounds,
        kernel_ball_oracle,
        linear_ball_bounds,
        linear_ball_oracle,
        rademacher_complexity,
        stump_oracle,
        zero_one_losses,
    )
    from learnable.theory.rademacher_bounds import (
        rademacher_loss,
        rademacher_loss_empirical,
        rademacher_sign,
        rademacher_sign_empirical,
        rademacher_sign_two_sided,
    )
    from learnable.theory.radon import RadonPartition, radon_partition
    from learnable.theory.sauer import sauer_polynomial, sauer_power, sauer_sum
    from learnable.theory.sparsity.oracle import (
        noise_event,
        oracle_distance,
        oracle_penalty,
        oracle_prediction,
        penalty_constant,
        root_n_columns,
        slow_rate,
    )
    from learnable.theory.sparsity.oracle_experiment import OracleExperiment, oracle_experiment, slow_rate_experiment
    from learnable.theory.sparsity.orthogonal_design import OrthogonalDesign, hard_threshold, orthogonal_design
    from learnable.theory.sparsity.restricted_eigenvalue import restricted_eigenvalue
    from learnable.theory.sparsity.restricted_eigenvalue_proof import RestrictedEigenvalue
    from learnable.theory.sparsity.sign_consistency import SignConsistency, irrepresentable_condition, sign_consistency
    from learnable.theory.vc_bounds import (
        behw,
        double_sampling,
        growth_bound,
        vapnik_bound,
        vc_bound,
        vc_order_of_magnitude,
    )
    from learnable.theory.vc_dimension import vc_dimension

__all__ = [
    "CATALOGUE",
    "BadDistribution",
    "Bound",
    "BoundResult",
    "ConceptClass",
    "Conjunctions",
    "DensityLaw",
    "Dichotomies",
    "DiscreteLaw",
    "DomainRefuted",
    "ExampleOracle",
    "ExcessRisk",
    "FiniteTable",
    "Frequency",
    "GeneralPosition",
    "Geometry",
    "HalfSpaces",
    "Hypothesis",
    "Intervals",
    "MonotoneConjunctions",
    "NoFreeLunch",
    "OracleExperiment",
    "OrthogonalDesign",
    "PACResult",
    "Parameter",
    "ProductLaws",
    "PseudoInverse",
    "RademacherEstimate",
    "RadonPartition",
    "Rectangles",
    "Refutation",
    "RestrictedEigenvalue",
    "SemidefiniteTest",
    "ShatteredSet",
    "SignConsistency",
    "Solution",
    "SpectralDecomposition",
    "StructureRefuted",
    "StructuredClass",
    "Stumps",
    "SupremumOracle",
    "VCProof",
    "WellPosedness",
    "behw",
    "best_margin_bound",
    "boosting_edge",
    "boosting_margin_loss",
    "bounded_differences",
    "certify_held_out",
    "certify_training",
    "chernoff_lower",
    "chernoff_upper",
    "chernoff_upper_small",
    "conjunction_consistent",
    "conjunction_elimination",
    "contraction",
    "cover_count",
    "cover_count_homogeneous",
    "declare_bound",
    "dichotomies",
    "double_sampling",
    "ensemble_vc",
    "error_regions",
    "estimate_bounded_differences",
    "finite_agnostic",
    "finite_class_oracle",
    "finite_consistent",
    "finite_excess",
    "general_position",
    "geometry",
    "gram_matrix",
    "growth_bound",
    "hadamard_rows",
    "hard_threshold",
    "hoeffding",
    "hoeffding_two_sided",
    "independent_separator",
    "irrepresentable_condition",
    "kernel_ball_bounds",
    "kernel_ball_oracle",
    "kronecker_place",
    "linear_ball_bounds",
    "linear_ball_oracle",
    "linear_margin_bound",
    "many_hits_probability",
    "margin_bound",
    "margin_bound_empirical",
    "margin_bound_uniform",
    "margin_risk",
    "margin_shattering",
    "massart",
    "mcdiarmid",
    "missed_region",
    "net_failure_probability",
    "no_free_lunch",
    "noise_event",
    "oracle_distance",
    "oracle_experiment",
    "oracle_penalty",
    "oracle_prediction",
    "orthogonal_design",
    "pac_experiment",
    "penalty_constant",
    "phase_transition",
    "product_laws",
    "pseudo_inverse",
    "rademacher_complexity",
    "rademacher_loss",
    "rademacher_loss_empirical",
    "rademacher_sign",
    "rademacher_sign_empirical",
    "rademacher_sign_two_sided",
    "radon_partition",
    "rectangle_learner",
    "restricted_eigenvalue",
    "rms_width",
    "root_n_columns",
    "sauer_polynomial",
    "sauer_power",
    "sauer_sum",
    "second_half_probability",
    "semidefinite_test",
    "separable_probability",
    "shatters",
    "sign_consistency",
    "simplex_separator",
    "simulate_failure",
    "single_hypothesis",
    "slow_rate",
    "slow_rate_experiment",
    "smallest_eigenvalues",
    "spectral_decomposition",
    "stump_oracle",
    "subgaussian_maximum",
    "vapnik_bound",
    "vc_bound",
    "vc_dimension",
    "vc_order_of_magnitude",
    "well_posedness",
    "zero_one_losses",
]

import_when_used(__name__)
