"""Any loss × any penalty: stationarity on a grid, agreement with the special learners, refusals. Syllabus: L21."""

import numpy as np
import pytest
from scipy import sparse
from tests.cases import each

from learnable import certify
from learnable.linear import PoissonRegressor, Ridge
from learnable.problems.core.loss_duality import balanced_slopes
from learnable.problems.core.named import LOSSES, loss_of
from learnable.problems.linear import losses
from learnable.problems.linear.glm import GammaInverse, slope_range
from learnable.problems.linear.losses import Hinge, Logistic
from learnable.problems.linear.regression_losses import Huber, SquaredEpsilonInsensitive
from learnable.problems.sparse import penalties
from learnable.problems.sparse.folded_penalties import MCP, SCAD
from learnable.problems.sparse.penalties import L1, ElasticNet, NonNegative, Weighted
from learnable.sparse import ElasticNet as ElasticNetRegression
from learnable.sparse import Lasso, PenalizedRegressor, SparseLogisticRegression, SparsePoissonRegressor

RNG = np.random.default_rng(17)
N, P = 120, 8
X = RNG.standard_normal((N, P)) * np.linspace(0.5, 4.0, P) + np.linspace(0.0, 5.0, P)
SCORE = (X - X.mean(axis=0)) @ np.array([1.0, 0.0, -0.5, 0.0, 0.3, 0.0, 0.0, 0.1])
Y = SCORE + RNG.standard_t(2, N)
LABEL = np.where(SCORE + RNG.logistic(size=N) > 0, 1.0, -1.0)
W = RNG.uniform(0.1, 2.0, N)
TARGETS = {
    "squared": Y, "huber": Y, "logistic": LABEL, "squared_hinge": LABEL, "modified_huber": LABEL,
    "binomial": (LABEL + 1) / 2, "poisson": RNG.poisson(np.exp(0.3 * SCORE)).astype(float),
    "gamma": np.exp(0.3 * SCORE) * RNG.gamma(2.0, 0.5, N),
}  # fmt: skip
CONVEX = ["l1", "l2", ElasticNet(1.0, 0.3), NonNegative(L1(1.0)), Weighted(L1(1.0), np.linspace(0.5, 2.0, P))]


@each("penalty", CONVEX, ids=lambda p: p if isinstance(p, str) else type(p).__name__)
@each("loss", LOSSES)
def test_convex_pairs_reach_their_minimum(loss, penalty):
    y = TARGETS[loss]
    model = PenalizedRegressor(loss, penalty, alpha=0.05).fit(X, y, W)
    assert model.certificate_.holds, model.certificate_
    gap = model.certificate_.claim("O6").value
    assert 0.0 <= gap < 1e-5
    model.coef_ = model.coef_ * 1.01
    worse = certify(model, X, y, W)
    assert not worse.holds
    assert worse.claim("O6").value > gap


@each("penalty", [SCAD(1.0, 3.7), MCP(1.0, 3.0)], ids=["SCAD", "MCP"])
@each("loss", ["squared", "logistic"])
def test_folded_penalties_claim_stationarity_alone(loss, penalty):
    model = PenalizedRegressor(loss, penalty, alpha=0.2).fit(X, TARGETS[loss])
    assert model.certificate_.holds, model.certificate_
    assert all("stationary" in claim.statement for claim in model.certificate_ if claim.bound is not None)
    assert not [claim for claim in model.certificate_ if claim.id == "O6"]


def test_special_learners_find_the_same():
    tight = {"alpha": 0.05, "tol": 1e-9, "max_iter": 20000}
    pairs = [
        (PenalizedRegressor("squared", "l1", **tight), Lasso(alpha=0.05, tol=1e-14), Y),
        (PenalizedRegressor("squared", "elastic_net", **tight), ElasticNetRegression(alpha=0.05, tol=1e-14), Y),
        (PenalizedRegressor("squared", "l2", **tight), Ridge(alpha=0.05 * N), Y),
        (PenalizedRegressor("squared", "non_negative_l1", **tight), Lasso(alpha=0.05, positive=True, tol=1e-14), Y),
        (PenalizedRegressor("poisson", "l1", **tight), SparsePoissonRegressor(0.05, tol=1e-9), TARGETS["poisson"]),
        (PenalizedRegressor("poisson", "l2", **tight), PoissonRegressor(alpha=0.05, tol=1e-10), TARGETS["poisson"]),
        (PenalizedRegressor("logistic", "l1", **tight), SparseLogisticRegression(0.05, tol=1e-9), LABEL),
        (PenalizedRegressor("binomial", "l1", **tight), SparseLogisticRegression(0.05, tol=1e-9), TARGETS["binomial"]),
    ]
    for ours, special, y in pairs:
        np.testing.assert_allclose(
            ours.fit(X, y).coef_, np.ravel(special.fit(X, y).coef_), atol=2e-5, err_msg=repr(ours)
        )


def test_huber_grows_into_least_squares_and_sparse_rows_agree():
    far = PenalizedRegressor(Huber(1e6), "l1", alpha=0.1).fit(X, Y)
    np.testing.assert_allclose(far.coef_, Lasso(alpha=0.1, tol=1e-12).fit(X, Y).coef_, atol=1e-4)
    thin = sparse.csr_array(X * (RNG.uniform(size=X.shape) < 0.5))
    dense = PenalizedRegressor("huber", alpha=0.05).fit(thin.toarray(), Y)
    np.testing.assert_allclose(PenalizedRegressor("huber", alpha=0.05).fit(thin, Y).coef_, dense.coef_, atol=1e-6)


@each("loss", [*LOSSES.values(), SquaredEpsilonInsensitive(0.1)], ids=lambda loss: type(loss).__name__)
@each("shift", [-0.7, 0.4])
def test_balanced_slopes_average_to_zero_within_their_range(loss, shift):
    name = next((name for name, known in LOSSES.items() if type(known) is type(loss)), "squared")
    y, weight = TARGETS[name], W / W.sum()
    b = 0.3 * RNG.standard_normal(N) + shift
    u = balanced_slopes(loss, y, losses.gradient(loss, y, b), weight)
    assert abs(weight @ u) < 1e-12
    lower, upper = slope_range(loss, y)
    assert np.all((u >= lower - 1e-12) & (u <= upper + 1e-12))
    assert np.isfinite(losses.conjugate(loss, y, np.clip(u, lower, upper))).all()


def test_refusals_name_the_value_and_the_remedy():
    for options, y, words in [
        ({"loss": "absolute"}, Y, "'absolute' is not known"),
        ({"loss": Hinge()}, LABEL, "continuous slope"),
        ({"loss": GammaInverse()}, Y, "continuous slope"),
        ({"penalty": "l0"}, Y, "'l0' is not known"),
        ({"penalty": (1, 2)}, Y, "separable penalty"),
        ({"loss": "logistic"}, Y, "labels -1 and"),
        ({"loss": "gamma"}, -np.abs(Y), "y > 0"),
        ({"alpha": 0.0}, Y, "alpha"),
    ]:
        with pytest.raises(ValueError, match=words):
            PenalizedRegressor(**options).fit(X, y)
    assert loss_of(Logistic()) == Logistic()
    assert penalties.scaled(L1(2.0), 0.5) == L1(1.0)
