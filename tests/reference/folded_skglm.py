"""python folded_skglm.py > folded_skglm.json: MCP, SCAD, ℓ½, ℓ⅔ and group lasso of a small table, from skglm."""

import json
from importlib.metadata import version

import numpy as np

GROUPS = [[0, 3], [1, 2, 7], [4], [5, 6, 8, 9]]


def table():
    rng = np.random.default_rng(11)
    X = rng.standard_normal((60, 10)) @ (0.6 * np.eye(10) + 0.1)
    X *= np.linspace(0.7, 1.6, 10)
    y = X @ np.array([2.0, -1.0, 0.0, 0.5, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0]) + 0.3 * rng.standard_normal(60)
    return X.round(4), y.round(4)


def main():
    from skglm.datafits import Quadratic, QuadraticGroup
    from skglm.penalties import L0_5, L2_3, SCAD, MCPenalty, WeightedGroupL2
    from skglm.solvers import AndersonCD, GroupBCD
    from skglm.utils.data import grp_converter
    from skglm.utils.jit_compilation import compiled_clone

    X, y = table()
    A, b = np.asfortranarray(X - X.mean(axis=0)), y - y.mean()
    found = {"source": f"skglm {version('skglm')}", "X": X.tolist(), "y": y.tolist(), "groups": GROUPS, "answers": []}

    def keep(name, alpha, coef):
        found["answers"].append({"penalty": name, "alpha": alpha, "coef": coef.tolist()})

    for alpha in (0.3, 0.05):
        kinds = {"MCP": MCPenalty(alpha, 3.0), "SCAD": SCAD(alpha, 3.7), "half": L0_5(alpha), "two thirds": L2_3(alpha)}
        for name, penalty in kinds.items():
            solver = AndersonCD(
                max_iter=2000, max_epochs=100_000, tol=1e-13, fit_intercept=False, ws_strategy="fixpoint"
            )
            keep(name, alpha, solver.solve(A, b, compiled_clone(Quadratic()), compiled_clone(penalty))[0])
        indices, ptr = grp_converter(GROUPS, 10)
        weight = np.sqrt([len(group) for group in GROUPS])
        penalty = compiled_clone(WeightedGroupL2(alpha, weight, ptr, indices))
        solver = GroupBCD(max_iter=2000, max_epochs=100_000, tol=1e-13, fit_intercept=False)
        keep("group", alpha, solver.solve(A, b, compiled_clone(QuadraticGroup(ptr, indices)), penalty)[0])
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
