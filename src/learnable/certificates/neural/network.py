"""Networks: the numbers reported are those of the answer, the gradient is one, and what rows set aside say.

A network that was stopped is no optimum, and none is claimed: its objective and the length of its gradient are
computed again by another route, so that any change of the answer shows; `certify` trains it again, so that no other
answer passes with numbers of its own. Stationarity is claimed where it was reached, and told where not.
Syllabus: NN1 to NN7, O8, T13.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from learnable.certificates.core import Claim, Ledger, certifies, digest_generator, thorough
from learnable.certificates.core.again import REORDERED, goes_on, in_another_order
from learnable.certificates.core.origin import is_ours
from learnable.certificates.core.refitted import unless_refitted
from learnable.certificates.core.shapes import check_shapes
from learnable.certificates.core.verdict import Verdict
from learnable.certificates.core.worst import worst_of
from learnable.certificates.neural.reading import BATCH_NORM_EPSILON, Normalisation, Reading, Standing, standing
from learnable.problems.neural.capacity import margin_bound, norms
from learnable.problems.neural.network import penalty_rows

# The gradient against differences, relative to its length along the direction.
DIFFERENCES = 1e-3
# Differences over two steps that are further apart than this are of no use.
BENT = 1e-2
# A gradient this short, in units of the parameters and of the loss of a constant, is that of a stationary point.
STATIONARY = 1e-4
# Agreement with what scikit-learn's class reports, whose logarithms are cut off.
FOREIGN = 1e-6
DELTA = 0.05
N_DIRECTIONS = 2

NORMED = ("running_means_", "running_variances_", "scales_", "shifts_")
UNITS = ("target_means_", "target_deviations_")
# Of means and deviations of the targets, relative to the deviation.
MOMENTS = 1e-9

LEDGER = Ledger(
    verified=(
        "coefs_", "intercepts_", "scales_", "shifts_", "running_means_", "running_variances_", "validation_rows_",
        *UNITS,
    ),
    derived=("objective_", "gradient_norms_", "n_layers_", "n_outputs_", "out_activation_", "best_validation_score_"),
    unverified=("loss_", "loss_curve_", "best_loss_", "n_iter_", "t_", "validation_scores_"),
    sometimes=(*NORMED, *UNITS, "validation_rows_", "best_validation_score_"),
)  # fmt: skip


@certifies("MLPClassifier", "MLPRegressor", ledger=LEDGER, again=lambda model, found: True)
def network_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Claims about a fitted network on the rows it learned from."""
    y = np.asarray(y)
    targets = _targets(model, y)
    weight = np.ones(X.shape[0]) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    learned = weight > 0.0
    aside = getattr(model, "validation_rows_", None)
    if aside is not None:
        learned[aside] = False
    kept = np.flatnonzero(learned)
    everything = len(kept) == X.shape[0]
    rows = X if everything else X[kept]
    share = weight[kept] / weight[kept].sum()
    shapes = _shape_claim(model, X.shape[1], targets.shape[1])
    if not shapes.holds:
        return [shapes]
    net = _reading(model, targets.shape[1], len(kept), float(weight[kept].sum()))
    claims = [shapes]
    if getattr(model, "standardize_targets", False):
        claims.append(_unit_claim(model, targets[kept], share))
        targets = (targets - model.target_means_) / model.target_deviations_
    at = standing(net, rows, targets[kept], share)
    # Probabilities and predictions are kept in the digits of the rows.
    size = 1.0 if is_classifier(model) else float(np.mean(targets[kept] ** 2))
    claims += reported_claims(model, at, 64.0 * float(np.finfo(_float_of(X)).eps) * size)
    if is_ours(model) and not hasattr(model, "objective_"):
        told = "trained by `partial_fit`, on rows that nobody knows of: how the answer came about is not judged (1)"
        claims.append(Claim.at_most("NN3", told, 1, 0.0)._replace(open=True))
    if thorough():
        claims += difference_claims(net, at, rows, targets[kept], share)
        claims += _moment_claims(net, rows)
    found = stationarity_claim(net, at, targets[kept], share)
    if not is_ours(model) and (found.bound is None or at.objective >= _constant_loss(net, targets[kept], share)):
        # What an answer reports of itself, and the way there, are not known; a network of zeros is stationary too.
        found = unless_refitted("NN3", found.statement, found.value)
    claims.append(found)
    if thorough() and is_ours(model) and goes_on(model) and found.verdict is not Verdict.PROVED:
        told = "a warm start went on from numbers that the model states, and may have begun anywhere (1)"
        claims.append(Claim.at_most("NN3", told, 1, 0.0)._replace(open=True))
    if aside is not None:
        claims += _held_out_claims(model, net, X[aside], targets[aside], weight[aside], sample_weight is None)
        if in_another_order(model, X):  # then nobody knows which rows were held out
            claims = [_excused(claim) for claim in claims]
    if thorough() and sample_weight is None and len(net.coefs) == 2:
        claims += _capacity_claims(model, net, rows, targets[kept])
    return claims


def _excused(claim: Claim) -> Claim:
    """A claim about rows that cannot be told from others: open where it fails."""
    if claim.verdict is not Verdict.REFUTED:
        return claim
    return claim._replace(statement=claim.statement + REORDERED, open=True)


def _reading(model: Any, n_outputs: int, n_rows: int, total: float) -> Reading:
    share = 1.0 / penalty_rows(model.solver, model.batch_size, n_rows, total)
    fitted = [getattr(model, name, []) for name in NORMED]
    normal = [
        Normalisation(np.asarray(mean, float), np.sqrt(np.asarray(variance, float) + BATCH_NORM_EPSILON),
                      np.asarray(scale, float), np.asarray(shift, float))
        for mean, variance, scale, shift in zip(*fitted, strict=True)
    ]  # fmt: skip
    coefs, intercepts = (
        [np.asarray(array, dtype=float) for array in part] for part in (model.coefs_, model.intercepts_)
    )
    output = _output(model, n_outputs)
    return Reading(
        model.activation, output, coefs, intercepts, normal, model.alpha * share, getattr(model, "l1", 0.0) * share
    )


def _output(model: Any, n_outputs: int) -> str:
    if not is_classifier(model):
        return "exp" if getattr(model, "loss", "squared_error") == "poisson" else "identity"
    return "logistic" if n_outputs == 1 or _many_labels(model, n_outputs) else "softmax"


def _many_labels(model: Any, n_outputs: int) -> bool:
    return model.out_activation_ == "logistic" and n_outputs > 1


def _targets(model: Any, y: np.ndarray) -> np.ndarray:
    if not is_classifier(model):
        return y.reshape(len(y), -1).astype(float)
    if y.ndim == 2 and y.shape[1] > 1:
        return y.astype(float)
    classes = model.classes_
    index = np.searchsorted(classes, y.ravel())
    return (index == 1).astype(float)[:, None] if len(classes) == 2 else np.eye(len(classes))[index]


def _unit_claim(model: Any, targets: np.ndarray, share: np.ndarray) -> Claim:
    """The units of the targets: their mean and their deviation over the rows learned from, 1 where they do not vary."""
    mean = share @ targets
    mean = mean + share @ (targets - mean)
    deviation = np.sqrt(share @ (targets - mean) ** 2)
    # Each target by itself: one that hardly varies says nothing of the accuracy of another.
    rounding = 64.0 * np.finfo(float).eps * np.abs(mean) + np.finfo(float).tiny
    off = np.abs(model.target_means_ - mean) / (MOMENTS * deviation + rounding)
    wide = np.abs(model.target_deviations_ - deviation) / (MOMENTS * deviation + rounding)
    flat = np.where(model.target_deviations_ == 1.0, 0.0, np.inf)
    clear, none = deviation > 2.0 * rounding, deviation < 0.5 * rounding
    worst = worst_of(*off, *np.where(clear, wide, np.where(none, flat, np.minimum(wide, flat))))
    statement = "targets are learned in units of their mean and deviation (largest difference over rounding)"
    return Claim.at_most("NN3", statement, worst, 1.0)


def _shape_claim(model: Any, n_inputs: int, n_outputs: int) -> Claim:
    """Layers that fit together, and what the model says of their number."""
    sizes = [n_inputs, *np.atleast_1d(np.asarray(model.hidden_layer_sizes, dtype=int)).tolist(), n_outputs]
    units = [(size,) for size in sizes[1:]]
    normed = units[:-1] if getattr(model, "batch_norm", False) else []
    expected = {"coefs_": list(pairwise(sizes)), "intercepts_": units} | dict.fromkeys(NORMED, normed)
    wrong = sum([np.shape(array) for array in getattr(model, name, [])] != shapes for name, shapes in expected.items())
    told = [(n_outputs,)] * 2 if getattr(model, "standardize_targets", False) else []
    wrong += [np.shape(getattr(model, name)) for name in UNITS if hasattr(model, name)] != told
    says = (model.n_layers_, model.n_outputs_, model.out_activation_)
    wrong += says != (len(sizes), n_outputs, _output(model, n_outputs))
    if hasattr(model, "gradient_norms_"):
        wrong += np.shape(model.gradient_norms_) != (2 * len(units) + 2 * len(normed),)
    return Claim.at_most("NN3", "the layers have the shapes that the problem asks for (how many not)", wrong, 0.0)


def _float_of(X: Any) -> Any:
    return np.float32 if X.dtype == np.float32 else np.float64


def reported_claims(model: Any, at: Standing, blur: float = 0.0) -> list[Claim]:
    """What the model says of its answer; `blur` is what a loss found in the digits of the rows may be off by."""
    norms_now = np.array([np.linalg.norm(array) for array in at.gradient])
    if not hasattr(model, "objective_"):  # scikit-learn's: what L-BFGS reports is J at the answer
        claims = [Claim.disclosure("NN3", "objective J of the answer", at.objective)]
        if getattr(model, "solver", "") == "lbfgs" and (model.n_outputs_ == 1 or is_classifier(model)):
            size = max(abs(at.objective), abs(model.loss_), FOREIGN)
            off = abs(at.objective - model.loss_) / size
            statement = "the loss reported is that of this answer (relative)"
            claims.append(Claim.reached("NN3", statement, off, FOREIGN, asked=blur / size))
        return claims
    check_shapes(model, objective_=(), gradient_norms_=norms_now.shape)
    claims = [
        Claim.at_most(
            "NN3",
            "the objective reported is that of this answer (difference)",
            abs(at.objective - float(model.objective_)),
            at.rounding,
        )
    ]
    reported = np.asarray(model.gradient_norms_, dtype=float)
    off = np.abs(norms_now - reported) / np.maximum(at.roundings, np.finfo(float).tiny)
    statement = "the gradient's lengths reported are those of this answer (difference over rounding)"
    if at.kink <= 1.0:  # a unit within rounding of the kink of relu: on or off is nobody's fault
        return [*claims, Claim.disclosure("NN3", statement, float(off.max()))]
    return [*claims, Claim.at_most("NN3", statement, float(off.max()), 1.0)]


def difference_claims(net: Reading, at: Standing, X: Any, y: np.ndarray, weight: np.ndarray) -> list[Claim]:
    """Central differences of J along directions from a digest of answer and data, against the gradient.

    Each direction is half along the gradient, which shows its length, and half at random, which shows the rest.
    """
    random = digest_generator(*net.arrays, X, y)
    length = float(np.sqrt(sum(np.vdot(g, g) for g in at.gradient)))
    size = float(np.sqrt(sum(np.vdot(a, a) for a in net.arrays))) or 1.0
    worst, clear = 0.0, True
    for _ in range(N_DIRECTIONS):
        drawn = [random.standard_normal(array.shape) for array in net.arrays]
        norm = float(np.sqrt(sum(np.vdot(d, d) for d in drawn)))
        direction = [d / norm + (g / length if length else 0.0) for d, g in zip(drawn, at.gradient)]
        expected = sum(float(np.vdot(g, d)) for g, d in zip(at.gradient, direction))
        for step in (1e-5 * size, 1e-6 * size, 1e-7 * size):
            (up, one), (down, other) = (net.moved(direction, s).objective(X, y, weight) for s in (step, -step))
            # Half the step has a quarter of the error that J's bending makes: the two differ by three quarters of it.
            nearer = [net.moved(direction, s).objective(X, y, weight)[0] for s in (0.5 * step, -0.5 * step)]
            coarse, found = (up - down) / (2.0 * step), (nearer[0] - nearer[1]) / step
            smooth = one == other and abs(coarse - found) <= BENT * max(abs(expected), abs(found), length)
            if smooth:  # no unit of relu is switched on the way, and J is nearly straight
                break
        clear &= smooth
        unsure = abs(coarse - found) + 8.0 * at.rounding / step
        worst = worst_of(
            worst, max(abs(found - expected) - unsure, 0.0) / max(abs(expected), abs(found), length, 1e-300)
        )
    statement = f"∇J agrees with central differences along {N_DIRECTIONS} directions nobody chose (relative)"
    # On the kink of |w| or of a unit there is no derivative to compare with.
    if net.l1 and any(np.any(np.abs(W) <= 1e-5 * size) for W in net.coefs):
        clear = False
    if not clear:
        return [Claim.disclosure("O8", f"{statement}, across a kink", worst)]
    return [Claim.at_most("O8", statement, worst, DIFFERENCES, kind="approximate")]


def stationarity_claim(net: Reading, at: Standing, y: np.ndarray, weight: np.ndarray) -> Claim:
    """‖∂J‖ ‖θ‖ over the loss of the best constant, the largest over the arrays: without units."""
    constant = max(_constant_loss(net, y, weight), at.objective, np.finfo(float).tiny)
    relative = max(
        float(np.linalg.norm(g) * np.linalg.norm(array)) for g, array in zip(at.gradient, net.arrays)
    ) / constant  # fmt: skip
    if relative <= STATIONARY:
        return Claim.at_most("O1", "the point is stationary: relative length of the gradient", relative, STATIONARY)
    return Claim.disclosure("O1", "stopped before a stationary point: relative length of the gradient", relative)


def _constant_loss(net: Reading, y: np.ndarray, weight: np.ndarray) -> float:
    """The least mean loss of a network that says the same for every row."""
    mean = weight @ y
    with np.errstate(divide="ignore"):
        best = {
            "softmax": lambda: np.log(mean), "logistic": lambda: np.log(mean) - np.log1p(-mean),
            "sigmoid_squared": lambda: np.log(mean) - np.log1p(-mean), "exp": lambda: np.log(mean),
        }.get(net.output, lambda: mean)()  # fmt: skip
    losses = net.losses(y, np.broadcast_to(np.clip(best, -700.0, 700.0), y.shape))
    return float(weight @ losses)


def _moment_claims(net: Reading, X: Any) -> list[Claim]:
    """How far the running statistics are from the moments of the rows learned from."""
    if not net.normal:
        return []
    h, apart, ratio = X if not hasattr(X, "toarray") else X.toarray(), 0.0, 0.0
    for k, at in enumerate(net.normal):
        u = h @ net.coefs[k] + net.intercepts[k]
        deviation = np.sqrt(u.var(axis=0) + BATCH_NORM_EPSILON)
        apart = worst_of(apart, float(np.max(np.abs(u.mean(axis=0) - at.mean) / deviation)))
        ratio = worst_of(ratio, float(np.max(np.abs(np.log(deviation / at.deviation)))))
        h = Reading(
            net.activation, "identity", [np.eye(u.shape[1])] * 2, [np.zeros(u.shape[1])] * 2, [], 0.0, 0.0
        ).scores(net.inner(k, h))
    return [
        Claim.disclosure("NN7", "running means, distance from those of these rows in deviations", apart),
        Claim.disclosure("NN7", "running deviations, largest logarithm of their ratio to those of these rows", ratio),
    ]


def _held_out_claims(model: Any, net: Reading, X: Any, y: np.ndarray, weight: np.ndarray, equal: bool) -> list[Claim]:
    """The score on the rows set aside, and what it says of new rows though the epoch was chosen by it."""
    u = net.scores(X)
    single = np.asarray(model.coefs_[0]).dtype == np.float32
    size = float(np.abs(u).max()) + sum(float(np.abs(b).max(initial=0.0)) for b in net.intercepts)
    blur = (1e-4 if single else 1e-10) * max(size, 1.0)
    if is_classifier(model):
        if net.output == "softmax":
            right = u.argmax(axis=1) == y.argmax(axis=1)
            ordered = np.sort(u, axis=1)
            doubtful = ordered[:, -1] - ordered[:, -2] <= blur
        else:
            right, doubtful = np.all((u > 0.0) == (y > 0.5), axis=1), np.any(np.abs(u) <= blur, axis=1)
        score, slack = float(np.average(right, weights=weight)), float(np.average(doubtful, weights=weight))
    else:
        found, total = (
            net.outputs(u),
            np.average((y - np.average(y, axis=0, weights=weight)) ** 2, axis=0, weights=weight),
        )
        left = np.average((y - found) ** 2, axis=0, weights=weight)
        per = np.where(total > 0.0, 1.0 - left / np.where(total > 0.0, total, 1.0), np.where(left > 0.0, 0.0, 1.0))
        score = float(np.mean(per))
        blur *= max(1.0, float(np.abs(found).max()) / max(size, 1e-300))
        slack = float(
            np.max(np.where(total > 0.0, (2.0 * np.sqrt(left) * blur + blur**2) / np.maximum(total, 1e-300), 1.0))
        )
    off = abs(score - float(model.best_validation_score_))
    claims = [Claim.at_most("NN3", "the best score is that of this answer on the rows set aside", off, slack + 1e-9)]
    if is_classifier(model) and equal:
        looks = max(len(model.validation_scores_), int(model.n_iter_))
        width = float(np.sqrt(np.log(looks / DELTA) / (2.0 * len(y))))
        claims.append(
            Claim.disclosure(
                "T1",
                f"accuracy on new rows is at least (Hoeffding, the best of {looks} epochs)",
                max(score - width, 0.0),
                kind="with probability",
                delta=DELTA,
                assumptions=("rows are independent and identically distributed",),
            )
        )
    return claims


def _capacity_claims(model: Any, net: Reading, X: Any, y: np.ndarray) -> list[Claim]:
    """The margin bound of the class of one-hidden-layer networks with norms as small as this one's."""
    if not is_classifier(model) or _many_labels(model, y.shape[1]):
        return []
    W, b = net.coefs[0], net.intercepts[0]
    if net.normal:
        at = net.normal[0]
        W, b = W * (at.scale / at.deviation), (b - at.mean) * (at.scale / at.deviation) + at.shift
    u = net.scores(X)
    if net.output == "softmax":
        own = np.sum(u * y, axis=1)
        margins = own - np.max(np.where(y > 0.5, -np.inf, u), axis=1)
    else:
        margins = (u * (2.0 * y - 1.0))[:, 0]
    squares = float((X.multiply(X) if hasattr(X, "multiply") else X * np.asarray(X, dtype=float)).sum()) + X.shape[0]
    found = norms(net.activation, W, b, net.coefs[1], net.intercepts[1])
    bound = margin_bound(net.activation, found, squares, margins, len(model.classes_), DELTA)
    word = "says nothing, being 1 or more" if bound >= 1.0 else "margin 1"
    return [
        Claim.disclosure(
            "T13",
            f"error on new rows is at most (Rademacher bound by the norms of the weights; {word})",
            bound,
            kind="with probability",
            delta=DELTA,
            assumptions=("rows are independent and identically distributed",),
        )
    ]
