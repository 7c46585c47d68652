"""Certificate of support vector classification, ours and LIBSVM's through scikit-learn. Syllabus: S5, S6, S7, S8.

Kβ is computed again in double precision from the data; primal and dual value, the condition of every row and the
offset follow from it.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from learnable.certificates.core import Claim, Ledger, allowed, certifies, check_shapes
from learnable.certificates.core.admitted import OF_THE_FORM
from learnable.certificates.core.refitted import only_theirs, unless_refitted
from learnable.certificates.core.worst import worst_of
from learnable.certificates.kernels.conditions import (
    AT_BOUND,
    CONDITION,
    FEASIBLE,
    GAP,
    Conditions,
    box,
    conditions,
    offset_ends,
)
from learnable.certificates.kernels.reading import (
    Machine,
    as_given,
    costs,
    counted_weights,
    is_foreign,
    machine,
    on_values,
    support_claims,
    support_of,
)
from learnable.problems.kernels.hulls import MEET, hull_distances
from learnable.problems.kernels.pairs import pair_sides
from learnable.problems.kernels.platt import slopes
from learnable.problems.linear.losses import Hinge

# Slope of a sigmoid's likelihood that counts as none, relative.
SIGMOID = 1e-8
LEDGER = Ledger(
    verified=("dual_coef_", "intercept_", "support_", "probA_", "probB_", "left_out_scores_"),
    derived=("support_vectors_", "n_support_", "class_weight_", "gamma_", "shape_fit_", "objects_"),
    unverified=("n_iter_", "fit_status_"),
    sometimes=("probA_", "probB_", "left_out_scores_", "objects_"),
)


def left_to_the_fit(model: Any, found: Any = None) -> bool:
    """Whether the model keeps scores of rows left out, which only the same fit tells, or may have stopped anywhere
    near the optimum, as scikit-learn's do.
    """
    return only_theirs(model, found) or is_calibrated(model)


def is_calibrated(model: Any) -> bool:
    return any(name in vars(model) for name in ("left_out_scores_", "probA_", "probB_"))


@certifies("SVC", ledger=LEDGER, double=True, again=left_to_the_fit)
def svc_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Feasible, optimal, every row in its class, the offset of each pair; the support is of these data."""
    model, X, kept = on_values(model, X)
    model = as_given(model, X, sample_weight)
    index = np.searchsorted(model.classes_, y)
    weight = row_weights(model, y, sample_weight)
    found = one_against_one(model, X, index, model.C * weight if np.isfinite(model.C) else None)
    sides = pair_sides(index, len(model.classes_))
    worst = pair_conditions(found, sides, costs(model.C, weight, found.beta))
    return [
        *machine_claims(worst, found), *kept, *support_claims(model, X, found.kernel),
        *class_claims(model, index, X, y), *sigmoid_claims(model, sides, counted_weights(len(index), sample_weight)),
    ]  # fmt: skip


@certifies("NuSVC", ledger=LEDGER, double=True, again=left_to_the_fit)
def nu_svc_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """As `SVC`, each pair with the C that its coefficients imply: Σ|β| / (ν Σ w).

    Where the hulls of two classes meet, w = 0 and b = 0 are optimal for coefficients that are left as they are.
    """
    model, X, kept = on_values(model, X)
    model = as_given(model, X, sample_weight)
    index = np.searchsorted(model.classes_, y)
    found = one_against_one(model, X, index)
    sides = pair_sides(index, len(model.classes_))
    members = np.where(sides != 0.0, counted_weights(len(index), sample_weight)[:, None], 0.0)
    # 1/ρ: what the coefficients of each pair were divided by.
    scale = np.abs(found.beta).sum(axis=0) / (model.nu * members.sum(axis=0))
    apart = hull_distances(found.kernel, X, found.beta, found.product, found.diagonal)
    met = (apart <= MEET) & (np.abs(scale - 1.0) <= FEASIBLE)
    C = members * scale
    lower, upper, _ = box(Hinge(), sides, C)
    every_pair = pair_conditions(found, sides, C)
    worst = (pair_conditions(found, sides, C, ~met) if met.any() else every_pair)._replace(
        infeasible=every_pair.infeasible, offset=_nu_offset(found, sides, lower, upper, met)
    )
    # LIBSVM counts violations before it divides by ρ; ours in units of ρ.
    asked = found.tol * (max(1.0, float(scale.max(initial=0.0))) if is_foreign(model) else 1.0)
    empty = int(np.count_nonzero(~(scale > 0.0)))
    turned = is_foreign(model) and worst.infeasible > FEASIBLE and _turned_round(found, sides, C)
    return [
        Claim.at_most("S6", "pairs of classes without a support vector, which imply no C", empty, 0.0),
        *machine_claims(worst, found._replace(tol=asked), of_the_form=not turned), *kept,
        *support_claims(model, X, found.kernel),
        *class_claims(model, index, X, y), *sigmoid_claims(model, sides, counted_weights(len(index), sample_weight)),
        *_meeting(apart[met]),
    ]  # fmt: skip


def pair_conditions(found: Machine, sides: np.ndarray, C: np.ndarray, which: Any = True) -> Conditions:
    """The conditions of the machines named, each at the rows of its pair, beyond which no row may have a coefficient.

    Of many classes the rows of a pair are few.
    """
    outside = sides == 0.0
    at = np.flatnonzero(~outside & which)
    side, cost, beta, product = (each.take(at) for each in (sides, C, found.beta, found.product))
    column = at % sides.shape[1]
    worst = conditions(
        Hinge(), side, cost, beta, product, found.offset, found.resolution, column, found.slack
    )  # fmt: skip
    astray = (found.beta != 0.0)[outside].any()
    return worst._replace(infeasible=np.inf) if astray else worst


def _turned_round(found: Machine, sides: np.ndarray, C: np.ndarray) -> bool:
    """Whether the coefficients, but for the sign of each pair, are in their box and in balance.

    Where the hulls meet, LIBSVM divides by a ρ that is zero but for what it stops at, and may be below.
    """
    sign = np.where((found.beta * sides).sum(axis=0) < 0.0, -1.0, 1.0)
    return pair_conditions(found._replace(beta=sign * found.beta), sides, C).infeasible <= FEASIBLE


def _nu_offset(found: Machine, sides: np.ndarray, lower: np.ndarray, upper: np.ndarray, met: np.ndarray) -> float:
    """How far b is from what the free rows of either side say, or from the interval that the others leave, over
    rounding; from 0 where the classes meet. Of the worst pair."""
    b, lean = found.offset, sides - found.product
    size = AT_BOUND * (upper - lower)
    free = (found.beta < upper - size) & (found.beta > lower + size)
    off = np.zeros(len(b))
    for side in (sides > 0.0, sides < 0.0):
        said = side & free
        count = said.sum(axis=0)
        away = np.abs(b - np.where(said, lean, 0.0).sum(axis=0) / np.maximum(count, 1))
        for k in np.flatnonzero(count == 0):
            one = side[:, k]
            # Where rows violate their conditions the ends have changed places, which is a claim of its own.
            ends = sorted(offset_ends(lean[one, k], found.beta[one, k], lower[one, k], upper[one, k]))
            away[k] = worst_of(ends[0] - b[k], b[k] - ends[1])
        np.maximum(off, away, out=off)
    return float((np.where(met, np.abs(b), off) / found.resolution).max(initial=0.0))


def _meeting(apart: np.ndarray) -> Iterator[Claim]:
    if len(apart):
        what = "distance of classes that meet at this nu (no margin: raise nu), over their extent"
        yield Claim.at_most("S7", what, float(apart.max()), MEET)


def machine_claims(worst: Conditions, found: Machine, gap_row: str = "S7", of_the_form: bool = True) -> Iterator[Claim]:
    """The claims every machine of this kind makes; `of_the_form` says that no fit of LIBSVM's is infeasible."""
    yield Claim.at_most(
        "S6", "dual coefficients outside their box or not in balance", worst.infeasible, FEASIBLE,
        assumptions=(OF_THE_FORM,) if found.foreign and of_the_form else (),
    )  # fmt: skip
    yield Claim.reached(
        gap_row, "relative duality gap P(w, b) - D(alpha)", worst.relative_gap, allowed(GAP),
        asked_gap(found, worst.condition), assumptions=found.assumptions(),
    )  # fmt: skip
    yield Claim.reached(
        "S6", "largest violation of a row's optimality condition", worst.condition, CONDITION, found.asked
    )
    yield offset_claim(
        "offset against the one that the free rows name, over rounding", worst.offset, found, worst.condition
    )


def offset_claim(statement: str, off: float, found: Machine, condition: float) -> Claim:
    """That b is what the free rows say on average.

    LIBSVM's is the mean over its own variables, of which there may be two a row: left open where it violates no row's
    condition by more than was asked for.
    """
    asked = np.finfo(float).max if found.foreign and condition <= found.asked else 1.0
    return Claim.reached("S5", statement, off, 1.0, asked)


def asked_gap(found: Machine, condition: float) -> float:
    """The relative gap that the fit was asked for.

    LIBSVM ends where no row is off by more than `tol`. Many rows at the margin are each off by C times that, which is
    then as large a gap as it comes to.
    """
    return np.finfo(float).max if found.foreign and condition <= found.asked else found.asked


def one_against_one(model: Any, X: Any, index: np.ndarray, C: np.ndarray | None = None) -> Machine:
    """β of every pair of classes, spread over the training rows; positive scores are the second class of two, and the
    first class of a pair of many, as scikit-learn has it.

    Given C, rows of two classes beyond the margin, without a coefficient, need no more digits than show that. Where no
    row strictly inside its box names b, they may.
    """
    K, n = len(model.classes_), X.shape[0]
    support, given = support_of(model, n)
    pairs = list(combinations(range(K), 2))
    beta = np.zeros((n, len(pairs)))
    check_shapes(model, intercept_=(len(pairs),))
    offset = np.asarray(model.intercept_, dtype=float)
    if K == 2:
        beta[support, 0] = given[0]
    else:
        ends = np.cumsum(model.n_support_).astype(np.intp).tolist()
        parts = [slice(begin, end) for begin, end in zip([0, *ends], ends)]  # their order is a claim of its own
        for column, (i, j) in enumerate(pairs):
            for mine, other in ((i, j), (j, i)):
                beta[support[parts[mine]], column] = given[other - (other > mine), parts[mine]]
    size = np.abs(beta[:, 0])
    if K > 2 or C is None or not np.any((size > AT_BOUND * C) & (size < (1.0 - AT_BOUND) * C)):
        return machine(model, X, beta, offset, index if K > 2 else None)
    side = np.where(index == 1, 1.0, -1.0)

    def beyond(rows: np.ndarray, found: np.ndarray, off: np.ndarray) -> np.ndarray:
        return side[rows] * (found + offset[0]) - off > 1.0

    return machine(model, X, beta, offset, settled=beyond)


def sigmoid_claims(model: Any, sides: np.ndarray, weight: np.ndarray) -> Iterator[Claim]:
    """That each sigmoid is the likeliest for the scores left out: the slopes of its likelihood vanish.

    scikit-learn keeps no such scores: whether its sigmoids are right, only the same fit tells.
    """
    there = bool(np.size(getattr(model, "_probA", ()))) if is_foreign(model) else is_calibrated(model)
    if there != (model.probability not in (False, "deprecated")):
        yield Claim.at_most("C5", "sigmoids are there where probabilities were asked for (1 if not)", 1.0, 0.0)
        return
    if not there:
        return
    if is_foreign(model):
        yield unless_refitted("C5", "sigmoids of probabilities whose left-out scores are not kept")
        return
    scores = np.asarray(model.left_out_scores_, dtype=float)
    A, B = (np.asarray(given, dtype=float).ravel() for given in (model.probA_, model.probB_))
    worst = np.inf
    if scores.shape == sides.shape and len(A) == len(B) == sides.shape[1]:
        worst = 0.0
        for k in range(len(A)):
            mine = sides[:, k] != 0.0
            f, w = scores[mine, k], weight[mine]
            size = np.array([max(float(w @ np.abs(f)), np.finfo(float).tiny), float(w.sum())])
            worst = worst_of(worst, float(np.max(np.abs(slopes(f, sides[mine, k], w, A[k], B[k])) / size)))
    yield Claim.at_most("C5", "slopes of the sigmoids' likelihood at the scores left out, relative", worst, SIGMOID)


def row_weights(model: Any, y: Any, sample_weight: Any) -> np.ndarray:
    """What multiplies C for each row."""
    weight = counted_weights(len(y), sample_weight)
    if model.class_weight is None:
        return weight
    each = compute_class_weight(model.class_weight, classes=model.classes_, y=np.asarray(y))
    return weight * each[np.searchsorted(model.classes_, y)]


def class_claims(model: Any, index: np.ndarray, X: Any, y: Any) -> Iterator[Claim]:
    """Support vectors are counted by class, and stand in its order; weights of classes are those asked for."""
    K = len(model.classes_)
    support = np.asarray(model.support_)
    inside = support[(support >= 0) & (support < len(index))]
    owner = index[inside]
    wrong = int((owner[1:] < owner[:-1]).any())
    counts = np.asarray(model.n_support_)
    wrong += int(counts.dtype.kind not in "iu" or not np.array_equal(np.bincount(owner, minlength=K), counts))
    wrong += int(tuple(model.shape_fit_) != tuple(X.shape))
    yield Claim.at_most("S6", "support vectors or rows not counted, or not ordered by class", wrong, 0.0)
    if model.class_weight is None:
        each = np.ones(K)
    else:
        each = compute_class_weight(model.class_weight, classes=model.classes_, y=np.asarray(y))
    given = np.asarray(model.class_weight_, dtype=float)
    off = (
        np.inf if given.shape != each.shape else float(np.max(np.abs(given - each) / np.maximum(np.abs(each), 1e-300)))
    )
    yield Claim.at_most("S6", "weights of the classes, off those asked for", off, 1e-9)
