"""Scores of xgboost on a small table, exact and deterministic: python tests/reference/trees_xgboost.py."""

import json
from pathlib import Path

import numpy as np


def main():
    import xgboost

    here = Path(__file__).parent
    simulated = json.loads((here / "trees_r.json").read_text())["numbers"]["simulated"]
    X, y = np.array(simulated["X"]), np.array(simulated["y"])
    shared = {
        "tree_method": "exact", "max_depth": 3, "learning_rate": 0.1, "n_estimators": 8, "min_child_weight": 1e-3,
        "reg_lambda": 1.0, "n_jobs": 1,
    }  # fmt: skip
    squared = xgboost.XGBRegressor(base_score=float(y.mean()), **shared).fit(X, y)
    halves = (y > np.median(y)).astype(int)
    logistic = xgboost.XGBClassifier(base_score=0.5, **shared).fit(X, halves)
    found = {
        "source": f"xgboost {xgboost.__version__}",
        "squared": squared.predict(X).astype(float).tolist(),
        "logistic": logistic.predict(X, output_margin=True).astype(float).tolist(),
    }
    (here / "trees_xgboost.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main()
