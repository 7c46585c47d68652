"""The same formula gives the same numbers for arrays in NumPy and for scalars inside a compiled kernel."""

import numpy as np
from tests.cases import each

from learnable._jit.core.compile import exact_kernel
from learnable._jit.sparse import coordinate_descent  # noqa: F401  (its import registers every formula)
from learnable.problems.linear import losses
from learnable.problems.linear.losses import Hinge, Logistic, PerceptronLoss, Squared
from learnable.problems.sparse import penalties
from learnable.problems.sparse.penalties import EVERY, L1, L2, ElasticNet, NonNegative

POINTS = np.array([-3.0, -1.0, -0.7, -1e-9, 0.0, 1e-9, 0.3, 1.0, 2.5, 40.0])
ALL_LOSSES = [Squared(), Logistic(), Hinge(), PerceptronLoss()]
ALL_PENALTIES = [
    L1(0.7), L2(0.7), ElasticNet(0.7, 0.3), NonNegative(L1(0.7)), NonNegative(L2(0.7)),
    NonNegative(ElasticNet(0.7, 0.3)),
]  # fmt: skip

value, gradient, loss_conjugate = losses.value, losses.gradient, losses.conjugate
phi, prox, subdistance = penalties.value, penalties.prox, penalties.subdistance
level, bend = penalties.l1_level, penalties.curvature


@exact_kernel
def every_loss_formula(loss, y, points):
    out = np.empty((len(points), 3))
    for i in range(len(points)):
        out[i, 0] = value(loss, y, points[i])
        out[i, 1] = gradient(loss, y, points[i])
        out[i, 2] = loss_conjugate(loss, y, points[i])
    return out


@exact_kernel
def every_penalty_formula(penalty, points, slope, step):
    out = np.empty((len(points), 5))
    for i in range(len(points)):
        out[i, 0] = phi(penalty, points[i], i)
        out[i, 1] = prox(penalty, points[i], step, i)
        out[i, 2] = subdistance(penalty, points[i], slope, i)
        out[i, 3] = level(penalty, i)
        out[i, 4] = bend(penalty, i)
    return out


@each("loss", ALL_LOSSES, ids=repr)
def test_loss(loss):
    for y in (-1.0, 1.0):
        whole = np.column_stack([f(loss, y, POINTS) for f in (value, gradient, loss_conjugate)])
        np.testing.assert_allclose(every_loss_formula(loss, y, POINTS), whole, rtol=1e-14)


@each("penalty", ALL_PENALTIES, ids=repr)
def test_penalty(penalty):
    slope, step = -0.9, 0.5
    whole = np.column_stack(
        [
            phi(penalty, POINTS, EVERY),
            prox(penalty, POINTS, step, EVERY),
            subdistance(penalty, POINTS, slope, EVERY),
            np.full(len(POINTS), level(penalty, EVERY)),
            np.full(len(POINTS), bend(penalty, EVERY)),
        ]
    )
    np.testing.assert_allclose(every_penalty_formula(penalty, POINTS, slope, step), whole, rtol=1e-14)
