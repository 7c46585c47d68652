"""The graphical lasso: optimality, components, penalties, values of R and scikit-learn. Syllabus: G3."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn import config_context as sklearn_config
from sklearn.covariance import EmpiricalCovariance
from sklearn.covariance import GraphicalLasso as SklearnGraphicalLasso
from sklearn.covariance import GraphicalLassoCV as SklearnGraphicalLassoCV
from sklearn.model_selection import GroupKFold, KFold
from tests.cases import each

from learnable import certify, config_context, watch
from learnable._jit.graphical.column_lassos import column_lassos
from learnable.certificates.core import Verdict
from learnable.graphical import GraphicalLasso, GraphicalLassoCV
from learnable.solvers.graphical import components as components_room
from learnable.solvers.graphical import dual_columns

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "glasso_r.json").read_text())


def rows(n=80, p=8, seed=0):
    """Columns that lean on the one before."""
    X = np.random.default_rng(seed).standard_normal((n, p))
    for j in range(1, p):
        X[:, j] += 0.6 * X[:, j - 1]
    return X


def test_the_optimality_conditions_hold_entry_by_entry():
    """W = Θ⁻¹ is within Λ of S, and at its bound, with the sign of θ, where θ is not zero."""
    generator = np.random.default_rng(1)
    for seed in range(6):
        X = rows(n=(30, 200)[seed % 2], p=9, seed=seed)
        S = np.cov(X.T, bias=True)
        each = generator.uniform(0.02, 0.3, (9, 9))
        for alpha, diagonal in ((0.15, False), (0.15, True), (0.5 * (each + each.T), True)):
            model = GraphicalLasso(alpha, tol=1e-12, penalize_diagonal=diagonal).fit(X)
            penalty = np.broadcast_to(alpha, (9, 9)) * (1.0 if diagonal else 1.0 - np.eye(9))
            W, theta = np.linalg.inv(model.precision_), model.precision_
            assert np.all(np.abs(W - S) <= penalty + 1e-5)
            assert np.abs((W - S - penalty * np.sign(theta))[theta != 0.0]).max() < 1e-5
            assert model.certificate_.holds, model.certificate_


def test_a_precision_altered_together_with_its_covariance_is_refuted_from_half_a_percent_on():
    """The gap grows with the square of the error: ten times the error, about a hundred times the gap."""
    X = rows()
    model = GraphicalLasso(0.2, tol=1e-12).fit(X)
    theta, away = model.precision_, np.random.default_rng(3).standard_normal((8, 8))
    away = np.where(theta != 0.0, away + away.T, 0.0) * np.abs(theta).max() / np.abs(away + away.T).max()
    entry = np.zeros((8, 8))
    entry[2, 2] = theta[2, 2]
    new_edge = np.zeros((8, 8))
    new_edge[0, 7] = new_edge[7, 0] = np.abs(theta).max()
    for direction in (away, entry, theta, new_edge):
        gaps = []
        for size in (5e-3, 5e-2):
            model.precision_ = theta + size * direction
            model.covariance_ = np.linalg.inv(model.precision_)
            found = certify(model, X)
            assert found.verdict is Verdict.REFUTED, found
            gaps.append(next(claim.value for claim in found if "gap" in claim.statement))
        assert direction is new_edge or gaps[1] > 50.0 * gaps[0]


def test_values_of_r():
    C = np.array(REFERENCE["correlations"])
    for case in REFERENCE["cases"].values():
        model = GraphicalLasso(
            np.array(case["rho"]), covariance="precomputed", tol=1e-12, penalize_diagonal=case["diagonal"]
        )
        model.fit(C)
        assert np.allclose(model.precision_, case["precision"], rtol=1e-4, atol=1e-5)
        assert np.allclose(model.covariance_, case["covariance"], rtol=1e-5, atol=1e-6)


def test_scikit_learn_gives_the_same_and_is_certified():
    X = rows()
    for alpha in (0.05, 0.2):
        ours, theirs = GraphicalLasso(alpha).fit(X), SklearnGraphicalLasso(alpha, tol=1e-7, enet_tol=1e-8).fit(X)
        assert np.allclose(ours.precision_, theirs.precision_, atol=1e-4)
        assert ours.score(X) == pytest.approx(theirs.score(X), abs=1e-4)
        assert np.allclose(ours.mahalanobis(X), theirs.mahalanobis(X), rtol=1e-3)
        assert ours.error_norm(np.eye(8)) == pytest.approx(theirs.error_norm(np.eye(8)), rel=1e-3)
        assert certify(theirs, X).holds, certify(theirs, X)
        # Its own gap has a sign and may pass through zero: at the default tolerance the true one is ten times as large.
        assert certify(SklearnGraphicalLasso(alpha).fit(X), X, tolerance=1e-3).holds
        theirs.precision_ = theirs.precision_ + 0.05 * np.eye(8)
        assert not certify(theirs, X).holds
    alphas = [0.4, 0.1, 0.05, 0.02]
    ours, theirs = (kind(alphas=alphas, cv=4).fit(X) for kind in (GraphicalLassoCV, SklearnGraphicalLassoCV))
    assert ours.alpha_ == theirs.alpha_
    best = ours.cv_results_["alphas"] == ours.alpha_
    assert ours.cv_results_["mean_test_score"][best] == pytest.approx(
        theirs.cv_results_["mean_test_score"][theirs.cv_results_["alphas"] == theirs.alpha_], abs=1e-3
    )
    wide = GraphicalLassoCV().fit(X)
    assert certify(wide, X).holds
    assert len(wide.cv_results_["alphas"]) > 4


def test_a_finer_grid_tries_new_penalties_around_the_best_and_ends_with_no_penalty_at_all():
    X = rows(120, 5)
    for alphas in (4, 5):
        model = GraphicalLassoCV(alphas=alphas, n_refinements=3, cv=4).fit(X)
        tried = model.cv_results_["alphas"]
        assert len(np.unique(tried)) == len(tried) == 3 * alphas + 1
        assert tried[-1] == 0.0 < model.alpha_
        scores = [model.cv_results_[f"split{k}_test_score"] for k in range(4)]
        assert np.allclose(model.cv_results_["mean_test_score"], np.mean(scores, axis=0))
        for k, (train, test) in enumerate(KFold(4).split(X)):
            plain = EmpiricalCovariance().fit(X[train])
            plain.location_ = X[test].mean(axis=0)  # each part about its own mean
            assert scores[k][-1] == pytest.approx(plain.score(X[test]))
    short = GraphicalLassoCV(alphas=[0.3, 0.2], cv=3).fit(X[:6])
    assert short.cv_results_["mean_test_score"][-1] == -np.inf
    assert short.alpha_ > 0.0


def test_groups_go_to_the_splitter_where_routing_is_on():
    X, groups = rows(90), np.repeat(np.arange(6), 15)
    with pytest.raises(ValueError, match="groups"):
        GraphicalLassoCV(alphas=[0.1, 0.3], cv=GroupKFold(3)).fit(X, groups=groups)
    with sklearn_config(enable_metadata_routing=True):
        splitter = GroupKFold(3).set_split_request(groups=True)
        routed = GraphicalLassoCV(alphas=[0.1, 0.3], cv=splitter).fit(X, groups=groups)
    given = GraphicalLassoCV(alphas=[0.1, 0.3], cv=list(GroupKFold(3).split(X, groups=groups))).fit(X)
    for name, scores in given.cv_results_.items():
        assert np.array_equal(routed.cv_results_[name], scores)


def test_components_solved_apart_are_the_whole_solution():
    X = np.hstack([rows(60, 4, 2), rows(60, 5, 3)])
    S = np.cov(X.T, bias=True)
    whole = GraphicalLasso(0.45, tol=1e-12).fit(X)
    assert whole.n_blocks_ > 1
    parts = components_room.components(S, np.where(np.eye(9), 0.0, 0.45))
    assert sorted(np.concatenate(parts).tolist()) == list(range(9))
    for part in parts:
        alone = GraphicalLasso(0.45, tol=1e-12).fit(X[:, part]) if len(part) > 1 else None
        expected = 1.0 / S[part[0], part[0]] if alone is None else alone.precision_
        assert np.allclose(whole.precision_[np.ix_(part, part)], expected, rtol=1e-6, atol=1e-8)


def test_a_penalty_that_is_one_of_the_correlations_has_components_to_either_side():
    for offset in (0.0, 1e6, 1e9):
        independent = np.random.default_rng(0).standard_normal((60, 4)) + offset
        largest = np.abs(np.triu(np.cov(independent.T, bias=True), 1)).max()
        model = GraphicalLasso(alpha=largest).fit(independent)
        for blocks, verdict in ((model.n_blocks_, "proved"), (2, "refuted")):
            model.n_blocks_ = blocks
            assert str(certify(model, independent).verdict) == verdict, offset


def test_rescaled_columns_have_the_same_certificate():
    X = rows()
    scale = 10.0 ** np.arange(-8, 8, 2)
    model = GraphicalLasso(0.1 * np.outer(scale, scale)).fit(X * scale)
    plain = GraphicalLasso(0.1).fit(X)
    assert np.allclose(model.precision_ * np.outer(scale, scale), plain.precision_, rtol=1e-6, atol=1e-8)
    assert model.certificate_.claim("G3").holds
    assert certify(model, X * scale).holds


def test_the_gap_falls_and_the_answer_is_independent_of_the_start():
    X = rows(40, 10)
    gaps = [step.state.gap for step in watch(GraphicalLasso(0.02, tol=1e-10), X)]
    assert gaps[-1] <= 1e-10
    S, penalty = np.cov(X.T, bias=True), np.where(np.eye(10), 0.0, 0.05)
    *_, cold = dual_columns.iterates(S, penalty, enough=1e-12)
    *_, warm = dual_columns.iterates(S, penalty, start=np.cov(rows(30, 10, 5).T), enough=1e-12)
    assert np.allclose(cold.precision, warm.precision, atol=1e-5)


def test_a_broken_solver_is_found_out(monkeypatch):
    X = rows()
    sweep, parts = dual_columns.column_lassos, dual_columns.components

    def other_penalty(S, penalty, *rest):
        return sweep(S, 0.7 * penalty, *rest)

    def other_target(S, penalty, *rest):
        return sweep(0.9 * S, penalty, *rest)

    def cut_in_two(S, penalty):
        return [np.arange(4), np.arange(4, len(S))]

    for name, broken in (("column_lassos", other_penalty), ("column_lassos", other_target), ("components", cut_in_two)):
        with monkeypatch.context() as patch, config_context(certificates=False):
            patch.setattr(dual_columns, name, broken)
            model = GraphicalLasso(0.1, max_iter=20).set_params(tol=10.0).fit(X)
        assert not certify(model, X).holds, f"{name} broken by {broken.__name__} went unnoticed"
    assert len(parts(np.eye(2), np.zeros((2, 2)))) == 2


def test_bad_input_is_refused():
    X = rows(20, 4)
    X[:, 2] = 3.0
    with pytest.raises(ValueError, match="column 2 is constant"):
        GraphicalLasso().fit(X)
    many = rows(2000, 4)
    many[:, 2] = 1.1  # the sum of as many is off by rounding
    with pytest.raises(ValueError, match="column 2 is constant"):
        GraphicalLasso().fit(many)
    with pytest.raises(ValueError, match="no maximum"):
        GraphicalLasso(0.0).fit(rows(5, 8))
    with pytest.raises(ValueError, match="not positive semidefinite"):
        GraphicalLasso(covariance="precomputed").fit(np.array([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(ValueError, match="must be symmetric"):
        GraphicalLasso(np.triu(np.ones((4, 4)))).fit(rows(20, 4))
    with pytest.raises(ValueError, match="shape"):
        GraphicalLasso(np.ones((3, 3))).fit(rows(20, 4))
    with pytest.raises(ValueError, match="rescale"):
        GraphicalLasso().fit(rows(20, 4) * 1e200)
    free = GraphicalLasso(0.0).fit(rows(50, 4))
    assert np.allclose(free.precision_, np.linalg.inv(np.cov(rows(50, 4).T, bias=True)), rtol=1e-5)
    alone = GraphicalLasso(100.0).fit(rows(20, 4))
    assert np.allclose(alone.precision_, np.diag(1.0 / rows(20, 4).var(axis=0)))


def test_coordinates_of_columns_that_nearly_depend_on_each_other_are_solved_for_together():
    """Passes over the coordinates would take some millions to come as close."""
    X = rows(200, 6, 3)
    X[:, 1:5] = X[:, :1] + 1e-3 * X[:, 1:5]
    S = np.corrcoef(X.T)
    penalty = np.full((6, 6), 1e-7)
    W, B = S + np.diag(np.diag(penalty)), np.zeros((6, 6))
    for _ in range(3):
        column_lassos(S, penalty, W, B, 12)
    beta = B[5]
    slope = S[5] - W @ beta
    inside = beta != 0.0
    assert np.count_nonzero(inside) > 1
    np.testing.assert_allclose(slope[inside], np.copysign(penalty[5], beta)[inside], rtol=1e-4)
    assert np.all(np.abs(np.delete(slope, 5)) <= 1e-7 * (1.0 + 1e-4))


@each("alpha", [0.0, 1e-12, 1e-3])
def test_the_covariance_is_no_other_where_columns_nearly_repeat_each_other(alpha):
    # Relative to the lengths of a precision and a covariance that are 1e9 together, twice the inverse is no error.
    X = np.random.default_rng(0).standard_normal((80, 4))
    X[:, 1] = X[:, 0] + 1e-4 * X[:, 1]
    model = GraphicalLasso(alpha).fit(X)
    assert certify(model, X).holds
    model.covariance_ = 2.0 * model.covariance_
    assert certify(model, X).verdict is Verdict.REFUTED
