"""Certificates of SVR, NuSVR and OneClassSVM, ours and LIBSVM's through scikit-learn. Syllabus: S5, S6, S7, S9."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, allowed, certifies, check_shapes
from learnable.certificates.core.refitted import only_theirs
from learnable.certificates.core.worst import worst_of
from learnable.certificates.kernels.conditions import (
    AT_BOUND,
    CONDITION,
    FEASIBLE,
    GAP,
    conditions,
    named_offset,
    offset_ends,
    offset_interval,
)
from learnable.certificates.kernels.reading import (
    Machine,
    as_given,
    costs,
    counted_weights,
    is_foreign,
    machine,
    on_values,
    scores,
    support_claims,
    support_of,
)
from learnable.certificates.kernels.svc import asked_gap, machine_claims, offset_claim
from learnable.problems.linear.regression_losses import EpsilonInsensitive

# Share of a target that rounding of sums over it may come to.
ROUNDED = 1024.0 * float(np.finfo(float).eps)
LEDGER = Ledger(
    verified=("dual_coef_", "intercept_", "support_"),
    derived=("support_vectors_", "n_support_", "gamma_", "shape_fit_", "objects_"),
    unverified=("n_iter_", "fit_status_"),
    sometimes=("objects_",),
)


@certifies("SVR", ledger=LEDGER, double=True, again=only_theirs)
def svr_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Feasible, optimal, every row in its class, the offset; the support is of these data."""
    model, X, kept = on_values(model, X)
    model = as_given(model, X, sample_weight)
    found = single(model, X)
    y = np.asarray(y, dtype=float)
    C = costs(model.C, counted_weights(len(y), sample_weight), found.beta)[:, 0]
    told = conditions(
        EpsilonInsensitive(float(model.epsilon)), y, C, found.beta[:, 0], found.product[:, 0], found.offset,
        found.resolution * relative_to_range(y), np.zeros(len(y), dtype=np.intp), found.slack,
    )  # fmt: skip
    if found.foreign:
        found = found._replace(tol=found.tol * relative_to_range(y), unit=relative_to_range(y))
    return [*machine_claims(told, found, "S9"), *kept, *support_claims(model, X, found.kernel), *count_claims(model, X)]


@certifies("NuSVR", ledger=LEDGER._replace(derived=(*LEDGER.derived, "epsilon_")), double=True, again=only_theirs)
def nu_svr_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """½‖w‖² + ν ΣC ε + Σ Cᵢ(|yᵢ − f(xᵢ)| − ε)₊ against y·β − ½ βᵀKβ, with the best ε for the b given."""
    model, X, kept = on_values(model, X)
    model = as_given(model, X, sample_weight)
    found = single(model, X)
    resolution = float(found.resolution[0])
    y, beta, product, b = np.asarray(y, dtype=float), found.beta[:, 0], found.product[:, 0], float(found.offset[0])
    C, unit = model.C * counted_weights(len(y), sample_weight), relative_to_range(y)
    budget = model.nu * float(C.sum())
    half = 0.5 * float(beta @ product)

    def regret(rest: np.ndarray) -> float:
        """What the tube round f = y − rest costs beyond β·rest: with Σβ = 0 the gap, less half ‖w‖² of a constant."""
        away = np.abs(rest)
        epsilon = tube(away, C, budget)
        return budget * epsilon + float(C @ np.maximum(away - epsilon, 0.0)) - float(beta @ rest)

    rest, level = y - product - b, 0.5 * (tube(y, C, 0.5 * budget) - tube(-y, C, 0.5 * budget))
    gap, bound = regret(rest), float(y @ beta) - half
    # What is gained over the best constant: of tiny C all values are all but that. A minimum of 0, of equal targets,
    # is reached but for rounding.
    size = min(max(abs(bound + gap), abs(bound)), regret(y - level) + half)
    gap /= max(size, ROUNDED * budget * float(np.abs(y).max()), np.finfo(float).tiny)
    size = max(float(C.max()), np.finfo(float).tiny)
    total = float(np.abs(beta).sum())
    beyond = np.inf
    if 0.0 < model.nu <= 1.0:
        over = float((np.abs(beta) - C).max()) / size
        beyond = worst_of(over, (total - budget) / budget, abs(float(beta.sum())) / budget)
    # b and ε: half-way between, and half of, what the free rows above and below the tube say. With some of the budget
    # left over the tube has no width, and all rows whose coefficient is not at C say the same.
    lean, none = y - product, np.zeros(len(y))
    sides = [(beta, -C, C)] * 2
    if total >= (1.0 - AT_BOUND) * budget:
        sides = [(np.maximum(beta, 0.0), none, C), (np.minimum(beta, 0.0), -C, none)]
    above, below = (named_offset(lean, *side) for side in sides)
    least = largest = 0.5 * (above + below)
    slack = 0.0
    if found.slack is not None:
        ends = np.array([offset_interval(lean, *side) for side in sides])
        least, largest = 0.5 * ends.sum(axis=0)
        slack = found.slack if np.any(ends[:, 0] != ends[:, 1]) else 0.0
    off = max(least - b - slack, b - largest - slack, 0.0) / resolution
    asked = found._replace(tol=found.tol * unit, unit=unit) if found.foreign else found
    worst = tube_violation(b, *(offset_ends(lean, *side) for side in sides)) * unit
    claims = [
        Claim.at_most("S6", "dual coefficients outside their box or not in balance", beyond, FEASIBLE),
        offset_claim("offset against the middle of the tube's edges, over rounding", off, asked, worst),
        Claim.reached(
            "S6", "largest violation of a row's optimality condition", worst, CONDITION, asked.asked
        ),
        Claim.reached(
            "S9", "relative duality gap, over the width of the tube too", gap, allowed(GAP), asked_gap(asked, worst),
            assumptions=found.assumptions(),
        ),
    ]  # fmt: skip
    if not is_foreign(model):
        off = abs(float(model.epsilon_) - 0.5 * (above - below)) / resolution
        claims.append(Claim.at_most("S9", "half-width of the tube against its edges, over rounding", off, 1.0))
    return [*claims, *kept, *support_claims(model, X, found.kernel), *count_claims(model, X)]


@certifies("OneClassSVM", ledger=LEDGER._replace(derived=(*LEDGER.derived, "offset_")), double=True, again=only_theirs)
def one_class_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> list[Claim]:
    """½‖w‖² − ν W ρ + Σ wᵢ(ρ − f(xᵢ))₊ against −½ αᵀKα, and the condition of every row."""
    model, X, kept = on_values(model, X)
    model = as_given(model, X, sample_weight)
    found = single(model, X)
    alpha, product, rho = found.beta[:, 0], found.product[:, 0], -float(found.offset[0])
    most = counted_weights(X.shape[0], sample_weight)
    total = model.nu * float(most.sum())
    norm = float(alpha @ product)
    primal = 0.5 * norm - total * rho + float(most @ np.maximum(rho - product, 0.0))
    # A minimum of 0, where the origin is among the points, is reached but for rounding.
    floor = float(found.resolution[0])
    gap = (primal + 0.5 * norm) / max(abs(primal), 0.5 * abs(norm), total * floor)
    beyond = float(np.max(np.maximum(-alpha, alpha - most), initial=0.0)) / float(most.max())
    beyond = worst_of(beyond, abs(float(alpha.sum()) - total) / total)
    grow, fall = alpha < most * (1.0 - AT_BOUND), alpha > AT_BOUND * most
    # α can grow where f is too small for it: then f ≥ ρ; it can fall where f ≤ ρ.
    # Rows that are all alike to the answer differ in what the one of largest coefficient is to them.
    largest = np.array([alpha.argmax()])
    alike = alpha[largest] * np.ptp(scores(found.kernel, X, largest, np.ones((1, 1))))
    unit = max(float(np.ptp(product)), float(alike[0]), floor)
    worst = max(
        rho - float(np.min(product, where=grow, initial=np.inf)),
        float(np.max(product, where=fall, initial=-np.inf)) - rho,
        0.0,
    )
    free = grow & fall
    if free.any():
        off = abs(rho - float(product[free].mean()))
    elif found.slack is not None:
        off = max(worst - found.slack, 0.0)
    else:
        ends = [float(np.min(product, where=grow, initial=np.inf)), float(np.max(product, where=fall, initial=-np.inf))]
        off = abs(rho - float(np.mean([end for end in ends if np.isfinite(end)])))
    off /= float(found.resolution[0])
    asked = found._replace(tol=found.tol / unit, unit=1.0 / unit) if found.foreign else found
    check_shapes(model, offset_=(1,))
    shown = abs(float(model.offset_[0]) - rho) / max(abs(rho), floor)
    return [
        Claim.at_most("S6", "dual coefficients outside their box or with another sum", beyond, FEASIBLE),
        Claim.reached(
            "S7", "relative duality gap", gap, allowed(GAP), asked_gap(asked, worst / unit),
            assumptions=found.assumptions(),
        ),
        Claim.reached(
            "S6", "largest violation of a row's optimality condition", worst / unit, CONDITION, asked.asked
        ),
        offset_claim("offset against the one that the free rows name, over rounding", off, asked, worst / unit),
        Claim.at_most("S5", "offset_ against the negative of intercept_", shown, 1e-9),
        *kept, *support_claims(model, X, found.kernel),
        *count_claims(model, X),
    ]  # fmt: skip


def tube_violation(b: float, above: tuple[float, float], below: tuple[float, float]) -> float:
    """By how much b + ε is outside the ends of the rows above the tube, or b − ε of those below, with the best ε.

    >>> tube_violation(1.0, (1.9, 2.1), (0.1, 0.2)), tube_violation(1.0, (2.25, 2.0), (0.0, 0.5))
    (0.0, 0.125)
    """
    ends = (above[0] + below[0] - 2.0 * b, 2.0 * b - above[1] - below[1], above[0] - above[1], below[0] - below[1])
    return 0.5 * max(0.0, *(end for end in ends if not np.isnan(end)))


def single(model: Any, X: Any) -> Machine:
    """The one machine of a model."""
    support, given = support_of(model, X.shape[0])
    beta = np.zeros((X.shape[0], 1))
    beta[support, 0] = given[0]
    check_shapes(model, intercept_=(1,))
    return machine(model, X, beta, np.asarray(model.intercept_, dtype=float))


def relative_to_range(y: np.ndarray) -> float:
    """A `resolution` is in units of y, conditions take it in those of its range, or of rounding where there is none."""
    rounding = ROUNDED * float(np.abs(y).max())
    return 1.0 / max(float(y.max() - y.min()), rounding, np.finfo(float).tiny)


def tube(away: np.ndarray, C: np.ndarray, budget: float) -> float:
    """The ε ≥ 0 that minimises budget · ε + Σ Cᵢ(awayᵢ − ε)₊: as many rows outside as the budget pays for.

    >>> tube(np.array([0.0, 1.0, 2.0, 3.0]), np.ones(4), 1.5)
    2.0
    """
    order = (-away).argsort()
    k = int(C[order].cumsum().searchsorted(budget * (1.0 - 1e-12)))
    return float(away[order[k]]) if k < len(order) else 0.0


def count_claims(model: Any, X: Any) -> Iterator[Claim]:
    """`n_support_` and `shape_fit_` say what is there."""
    n = len(model.support_)
    if is_foreign(model):
        # LIBSVM predicts from two counts. Of sparse rows the second is none, and the first, which nothing reads, may be
        # larger: what happened to be in memory.
        counts = np.asarray(model._n_support)
        wrong = int(counts.dtype.kind not in "iu" or counts.shape != (2,))
        if not wrong and model._sparse:
            wrong = int(counts[1] != 0 or counts[0] < n)
        elif not wrong:
            wrong = int(counts.tolist() != [n, n])
    else:
        wrong = int(np.asarray(model.n_support_).tolist() != [n])
    wrong += int(tuple(model.shape_fit_) != tuple(X.shape))
    yield Claim.at_most("S6", "support vectors or rows counted otherwise", wrong, 0.0)
