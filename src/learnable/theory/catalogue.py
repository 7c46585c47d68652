"""Every bound of this room by name."""

from learnable.theory.boosting_bounds import boosting_edge, ensemble_vc
from learnable.theory.bound import Bound
from learnable.theory.concentration import (
    chernoff_lower,
    chernoff_upper,
    chernoff_upper_small,
    hoeffding,
    hoeffding_two_sided,
    massart,
    mcdiarmid,
    subgaussian_maximum,
)
from learnable.theory.concept_bounds import conjunction_consistent, conjunction_elimination, rectangle_learner
from learnable.theory.finite_class import finite_agnostic, finite_consistent, finite_excess, single_hypothesis
from learnable.theory.margin_bounds import (
    linear_margin_bound,
    margin_bound,
    margin_bound_empirical,
    margin_bound_uniform,
    margin_shattering,
)
from learnable.theory.rademacher_bounds import (
    rademacher_loss,
    rademacher_loss_empirical,
    rademacher_sign,
    rademacher_sign_empirical,
    rademacher_sign_two_sided,
)
from learnable.theory.sauer import sauer_polynomial, sauer_power
from learnable.theory.vc_bounds import (
    behw,
    double_sampling,
    growth_bound,
    vapnik_bound,
    vc_bound,
    vc_order_of_magnitude,
)

CATALOGUE: dict[str, Bound] = {
    bound.name: bound
    for bound in (
        hoeffding,
        hoeffding_two_sided,
        chernoff_upper,
        chernoff_upper_small,
        chernoff_lower,
        mcdiarmid,
        subgaussian_maximum,
        massart,
        finite_consistent,
        finite_agnostic,
        finite_excess,
        single_hypothesis,
        rectangle_learner,
        conjunction_consistent,
        conjunction_elimination,
        sauer_power,
        sauer_polynomial,
        vc_bound,
        vapnik_bound,
        vc_order_of_magnitude,
        growth_bound,
        behw,
        double_sampling,
        rademacher_loss,
        rademacher_loss_empirical,
        rademacher_sign,
        rademacher_sign_two_sided,
        rademacher_sign_empirical,
        margin_shattering,
        margin_bound,
        margin_bound_empirical,
        linear_margin_bound,
        margin_bound_uniform,
        boosting_edge,
        ensemble_vc,
    )
}
