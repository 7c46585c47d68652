"""Least angle regression and the exact lasso path against R's lars: every knot."""

import json
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes
from tests.cases import each

from learnable.sparse import Lars, Lasso, LassoLars, lars_path

R = json.loads((Path(__file__).parents[1] / "reference" / "lars_r.json").read_text())
CASES = [(name, path) for name in ("diabetes", "mtcars", "longley", "wide") for path in R[name]["paths"]]
RAW = [(name, path) for name, path in CASES if not path["normalize"]]


def titles(case):
    return f"{case[0]} {case[1]['type']}{' of unit columns' if case[1]['normalize'] else ''}"


def table(name):
    if name == "diabetes":
        return load_diabetes(return_X_y=True, scaled=False)
    return np.array(R[name]["X"]), np.array(R[name]["y"])


def actions(path):
    """Who enters (j) and who leaves (−j) at each step, counted from one."""
    return [int(move) for step in path["actions"] for move in step]


def agree(alphas, coefs, path, n, length=1.0):
    """Levels to 14 digits of the first, signs, and every knot's coefficients to 11 digits of its largest."""
    levels, theirs = np.array(path["lambda"]) / n, np.array(path["coef"]) * length
    np.testing.assert_allclose(alphas, levels, rtol=0.0, atol=1e-14 * levels[0])
    np.testing.assert_array_equal(np.sign(coefs.T), np.sign(theirs))
    for ours, knot in zip(coefs.T, theirs):
        np.testing.assert_allclose(ours, knot, rtol=0.0, atol=1e-11 * np.abs(knot).max())


@each("case", CASES, ids=titles)
def test_every_knot(case):
    name, path = case
    X, y = table(name)
    Z, target = X - X.mean(axis=0), y - y.mean()
    length = np.sqrt(np.sum(Z**2, axis=0)) if path["normalize"] else np.ones(X.shape[1])
    alphas, active, coefs = lars_path(Z / length, target, method=path["type"])
    agree(alphas, coefs, path, len(y), length)

    staying: list[int] = []
    for move in actions(path):
        if move > 0:
            staying.append(move - 1)
        else:
            staying.remove(-move - 1)
    assert list(active) == staying


@each("case", RAW, ids=titles)
def test_every_knot_of_the_fitted_models(case):
    name, path = case
    X, y = table(name)
    model = (Lars() if path["type"] == "lar" else LassoLars(alpha=0.0)).fit(X, y)
    agree(model.alphas_, model.coef_path_, path, len(y))
    assert model.certificate_.holds, model.certificate_


def test_columns_leave_on_these_paths():
    left = {titles(case): sum(move < 0 for move in actions(case[1])) for case in CASES}
    assert left["diabetes lasso of unit columns"] == 1
    assert left["wide lasso of unit columns"] == 3
    assert left["longley lasso"] == 2
    assert not any(count for title, count in left.items() if " lar" in title)


@each("case", [case for case in RAW if case[1]["type"] == "lasso"], ids=titles)
def test_coordinate_descent_at_the_knots(case):
    """The lasso by its own solver at lars' levels: another way to the same points."""
    name, path = case
    X, y = table(name)
    for level, knot in list(zip(path["lambda"], path["coef"]))[1:6]:
        fitted = Lasso(alpha=level / len(y), tol=1e-15, max_iter=100_000).fit(X, y)
        np.testing.assert_allclose(fitted.predict(X), y.mean() + (X - X.mean(axis=0)) @ knot, rtol=1e-8)


def test_no_knot_is_made_of_rounding():
    """Once there are as many columns as the rows determine, the path goes straight to the end."""
    X, y = table("wide")
    rng = np.random.default_rng(2)
    for _ in range(40):
        A = X[:, rng.permutation(20)] * rng.uniform(0.5, 2.0, 20)
        alphas = lars_path(A - A.mean(axis=0), y - y.mean(), method="lasso")[0]
        assert alphas[-2] > 1e-9 * alphas[0]
