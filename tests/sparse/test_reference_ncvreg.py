"""SCAD, MCP and the lasso against R's ncvreg, down its whole path."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cases import each

from learnable.problems.sparse.penalties import EVERY, prox, total
from learnable.sparse import Lasso, MCPRegression, SCADRegression, folded_path

R = json.loads((Path(__file__).parents[1] / "reference" / "ncvreg_r.json").read_text())
OURS = {"MCP": MCPRegression, "SCAD": SCADRegression}
PATHS = [(name, path) for name in ("mtcars", "wide") for path in R[name]["paths"]]
FOLDED = [(name, path) for name, path in PATHS if path["penalty"] != "lasso"]
LASSO = [(name, path) for name, path in PATHS if path["penalty"] == "lasso"]


def titles(case):
    return f"{case[0]} {case[1]['penalty']} {case[1]['gamma']}"


class Table:
    """A recorded path in ncvreg's own units: columns of mean zero and mean square one."""

    def __init__(self, case):
        name, path = case
        X, self.y = np.array(R[name]["X"]), np.array(R[name]["y"])
        self.mean, self.scale = X.mean(axis=0), X.std(axis=0)
        self.Z = (X - self.mean) / self.scale
        self.levels = np.array(path["lambda"])
        self.intercepts, self.losses = np.array(path["intercept"]), np.array(path["loss"])
        self.coefs = np.array(path["coef"]) * self.scale
        self.kind, self.a = OURS.get(path["penalty"]), path["gamma"]

    def model(self, alpha=1.0):
        return self.kind(alpha=float(alpha), a=self.a, tol=1e-13, max_iter=10_000)

    def objective(self, alpha, coef):
        return 0.5 * np.mean((self.y - self.y.mean() - self.Z @ coef) ** 2) + total(self.model(alpha)._penalty(), coef)

    def same(self, k, coef):
        """Ten digits of the coefficients, of the intercept in the units of the table and of the sum of squares."""
        theirs = self.coefs[k]
        np.testing.assert_allclose(coef, theirs, atol=1e-10 * max(np.abs(theirs).max(), 1e-3))
        intercept = self.y.mean() - self.mean @ (coef / self.scale)
        assert intercept == pytest.approx(self.intercepts[k], rel=1e-9)
        left = np.sum((self.y - self.y.mean() - self.Z @ coef) ** 2)
        assert left == pytest.approx(self.losses[k], rel=1e-10)


@each("case", FOLDED, ids=titles)
def test_the_path_of_ncvreg(case):
    """Each answer started at the one before: the same ones, until a small penalty lets the ways part."""
    table = Table(case)
    path = folded_path(table.model(), table.Z, table.y, table.levels)
    np.testing.assert_array_equal(path.alphas, table.levels)
    there = np.array([table.objective(*answer) for answer in zip(table.levels, table.coefs)])
    agree = np.flatnonzero(np.abs(path.objectives - there) <= 1e-11)
    for k in agree:
        table.same(k, path.coefs[:, k])
    # On the correlated columns of mtcars all agree; with more columns than rows two ways may part.
    assert len(agree) == 20 if case[0] == "mtcars" else len(agree) >= 16


@each("case", FOLDED, ids=titles)
def test_single_fits_are_never_above_ncvreg(case):
    table, equal = Table(case), 0
    for k in range(0, len(table.levels), 3):
        fitted = table.model(table.levels[k]).fit(table.Z, table.y)
        here, there = (table.objective(table.levels[k], coef) for coef in (fitted.coef_, table.coefs[k]))
        assert here <= there + 1e-12
        assert fitted.certificate_.holds
        if here > there - 1e-11:
            table.same(k, fitted.coef_)
            equal += 1
    assert equal


@each("case", FOLDED, ids=titles)
def test_the_answers_of_ncvreg_do_not_move_under_our_penalty(case):
    """Its points are fixed points of our threshold, at every level: the two penalties are one."""
    table = Table(case)
    for alpha, coef in zip(table.levels, table.coefs):
        residual = table.y - table.y.mean() - table.Z @ coef
        moved = prox(table.model(alpha)._penalty(), coef + table.Z.T @ residual / len(table.y), 1.0, EVERY)
        np.testing.assert_allclose(moved, coef, atol=1e-10)


@each("case", LASSO, ids=titles)
def test_the_lasso_of_ncvreg(case):
    table = Table(case)
    for k, alpha in enumerate(table.levels[1:], 1):
        table.same(k, Lasso(alpha=alpha, tol=1e-15, max_iter=10_000).fit(table.Z, table.y).coef_)
