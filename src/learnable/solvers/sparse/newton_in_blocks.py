"""Proximal Newton for rows that come in blocks: loss, slopes and curvatures of all parameters are sums over rows.

J(B, b) = Σ wᵢ ℓ(yᵢ, Bᵀxᵢ + b) / W + Σ φ(B_jk). One state a step: the loss is replaced by its quadratic model, the
intercepts are eliminated, the penalised model is minimised through cross-products (`support_newton`), and the step is
halved until J falls enough. A step costs a pass or two; nothing of the size of the rows travels. Syllabus: L21, C7.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy import linalg, sparse

from learnable.problems.linear.glm import model_of
from learnable.problems.sparse.penalties import EVERY, ElasticNet, subdistance, total
from learnable.rows import Block, Rows
from learnable.rows.mapped import MappedRows
from learnable.rows.numbers import weight_sum
from learnable.solvers.linear.column_spread import column_spread
from learnable.solvers.linear.glm import GeneralizedLikelihood
from learnable.solvers.linear.likelihood import CategoricalLikelihood
from learnable.solvers.sparse.last_moves import LastMoves
from learnable.solvers.sparse.proximal_newton import FAR, FLAT, PATIENCE, ProximalState, best_shift
from learnable.solvers.sparse.support_factor import SupportFactor
from learnable.solvers.sparse.support_newton import SubProblem, gap, solve

Likelihood = CategoricalLikelihood | GeneralizedLikelihood

# Parameters of which the second derivatives, a square of them, are added up on every worker.
MOST_PARAMETERS = 3000
# How far the model is minimised, of what there is to gain.
MODEL_GAP = 1e-6


def categorical_iterates(
    rows: Rows, n_classes: int, penalty: ElasticNet, intercept: bool, start: np.ndarray | None = None
) -> Iterator[ProximalState]:
    """States for classes; the targets of the rows are class numbers. Parameters otherwise as in `proximal_newton`."""
    constant, unit = _constant_classes(rows, n_classes, intercept)

    def objective(near: Rows) -> CategoricalLikelihood:
        return CategoricalLikelihood(near, len(constant), intercept)

    return _near(objective, rows, penalty, intercept, start, constant, unit)


def largest_level(rows: Rows, n_classes: int, intercept: bool) -> float:
    """The L1 level from which on every coefficient is zero, for classes: the largest slope of the best constant."""
    constant, _ = _constant_classes(rows, n_classes, intercept)
    p, theta = rows.n_columns, np.zeros((rows.n_columns + intercept, len(constant)))
    theta[p:] = constant
    _, gradient = CategoricalLikelihood(rows, len(constant), intercept).value_and_gradient(theta)
    return float(np.abs(gradient[:p]).max(initial=0.0))


def _constant_classes(rows: Rows, n_classes: int, intercept: bool) -> tuple[np.ndarray, float]:
    """(the best scores without columns, the mean size of the slopes there)."""
    share = rows.reduce(partial(_class_weights, n_classes=n_classes))
    share = share / share.sum()
    chance = share if intercept else np.full(n_classes, 1.0 / n_classes)
    logarithms = np.log(np.maximum(chance, np.finfo(float).tiny))
    constant = logarithms[1:] - logarithms[0] if n_classes == 2 else logarithms - logarithms.mean()
    return constant, float(np.max(share * (1.0 - chance) + (1.0 - share) * chance))


def poisson_iterates(
    rows: Rows, mean: float, penalty: ElasticNet, intercept: bool, start: np.ndarray | None = None
) -> Iterator[ProximalState]:
    """States for counts ≥ 0 with the given mean > 0, whose expectations are e^f."""
    model = model_of("poisson", "log")

    def objective(near: Rows) -> GeneralizedLikelihood:
        return GeneralizedLikelihood(near, model, intercept, 0.0)

    weight, off = rows.reduce(partial(_deviations, constant=mean if intercept else 1.0))
    return _near(objective, rows, penalty, intercept, start, np.array([np.log(mean)]), off / weight)


def _near(
    objective: Callable[[Rows], Likelihood], rows: Rows, penalty: ElasticNet, intercept: bool,
    start: np.ndarray | None, constant: np.ndarray, unit: float,
) -> Iterator[ProximalState]:  # fmt: skip
    """States, with columns that are far from zero read about their means."""
    p = rows.n_columns
    if (p + intercept) * len(constant) > MOST_PARAMETERS:
        raise ValueError(
            f"{(p + intercept) * len(constant)} parameters: of rows in blocks the curvature of at most "
            f"{MOST_PARAMETERS} is added up; where the rows fit into memory, pass them as an array"
        )
    centre = np.zeros(p)
    if intercept and not rows.of_first(_is_sparse):
        mean, spread = column_spread(rows, True)
        if np.any(np.abs(mean) > FAR * spread):
            centre, rows = mean, MappedRows(rows, partial(_about, centre=mean))
    theta = np.zeros((p + intercept, len(constant)))
    if start is not None:
        theta[:] = start
    elif intercept:
        theta[p] = constant
    if intercept and start is not None:
        theta[p] += centre @ theta[:p]
    for state in _steps(objective(rows), penalty, theta, unit):
        if intercept and centre.any():
            coef = state.theta[:p]
            state = state._replace(theta=np.vstack([coef, state.theta[p] - centre @ coef]))
        yield state


def _steps(objective: Likelihood, penalty: ElasticNet, theta: np.ndarray, unit: float) -> Iterator[ProximalState]:
    p, K, level = objective.p, objective.n_scores, penalty.alpha
    loss, gradient = objective.value_and_gradient(theta)
    steps, best, stalled = 0, np.inf, 0
    while stalled < PATIENCE:
        held = total(penalty, theta[:p])
        distance = float(subdistance(penalty, theta[:p], gradient[:p], EVERY).max(initial=0.0))
        miss = float(np.abs(gradient[p:]).max(initial=0.0))
        violation = max(distance, miss)
        relative = max(distance / level if level > 0.0 else np.inf, miss / max(unit, np.finfo(float).tiny))
        yield ProximalState(loss + held, violation, theta, steps, relative)
        step = _model_minimum(objective.loss_hessian(theta), gradient, penalty, theta, p) - theta
        decrease = float(np.sum(gradient * step)) + total(penalty, theta[:p] + step[:p]) - held
        flat = FLAT * abs(loss + held)
        for length in 0.5 ** np.arange(30):
            moved = theta + length * step
            there, slopes = objective.value_and_gradient(moved)
            if there + total(penalty, moved[:p]) <= loss + held + max(1e-4 * length * decrease, -flat) + flat:
                break
        else:
            return
        before, theta, loss, gradient = loss + held, moved, there, slopes
        if K > 1:  # a number added to a column's coefficients of all classes, or to all intercepts, changes no score
            theta = theta - np.vstack([best_shift(penalty, theta[:p])[:, None], theta[p:].mean(axis=1, keepdims=True)])
        progress = loss + total(penalty, theta[:p]) < before - flat or violation < best
        stalled, best, steps = 0 if progress else stalled + 1, min(best, violation), steps + 1


def _model_minimum(
    hessian: np.ndarray, gradient: np.ndarray, penalty: ElasticNet, theta: np.ndarray, p: int
) -> np.ndarray:
    """Where the quadratic model of the loss + penalty is least; `hessian` is over θ score by score."""
    m, K = theta.shape
    places = np.arange(m * K).reshape(K, m)
    inside, free = places[:, :p].ravel(), places[:, p:].ravel()
    slope, coef = gradient.T.ravel(), theta.T.ravel()
    # The intercepts follow: their best change for every change of the coefficients is known.
    back = linalg.pinvh(hessian[np.ix_(free, free)]) @ np.column_stack([hessian[np.ix_(free, inside)], slope[free]])
    gram = hessian[np.ix_(inside, inside)] - hessian[np.ix_(inside, free)] @ back[:, :-1]
    own = slope[inside] - hessian[np.ix_(inside, free)] @ back[:, -1]
    target = gram @ coef[inside] - own
    # The squared length of a response with these cross-products.
    square = max(float(target @ linalg.lstsq(gram, target)[0]), np.finfo(float).tiny)
    part = SubProblem(
        inside,
        np.ascontiguousarray(gram),
        coef[inside].copy(),
        own.copy(),
        target,
        square,
        SupportFactor(),
        LastMoves(),
    )
    solve(part, penalty, max(MODEL_GAP * gap(part, penalty), 8.0 * np.finfo(float).eps * square))
    found = coef.copy()
    found[inside] = part.coef
    found[free] -= back[:, :-1] @ (part.coef - coef[inside]) + back[:, -1]
    return found.reshape(K, m).T


def _about(block: Block, centre: np.ndarray) -> Block:
    return block._replace(X=block.X - centre)


def _is_sparse(block: Block) -> bool:
    return sparse.issparse(block.X)


def _class_weights(block: Block, n_classes: int) -> np.ndarray:
    return np.bincount(np.asarray(block.y), block.weight, minlength=n_classes).astype(float)


def _deviations(block: Block, constant: float) -> tuple[float, float]:
    """(Σ w, Σ w |y − constant|)."""
    off = np.abs(np.asarray(block.y, dtype=float) - constant)
    return weight_sum(block), float(off.sum() if block.weight is None else block.weight @ off)
