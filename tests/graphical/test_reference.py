"""Values from R: clime's programmes, pcalg's skeletons, p-values, numbers of tests and classes."""

import json
from pathlib import Path

import numpy as np

from learnable.graphical import CLIME, PC, clime_path

HERE = Path(__file__).parents[1] / "reference"
CLIME_R, PCALG = (json.loads((HERE / f"{name}_r.json").read_text()) for name in ("clime", "pcalg"))


def rows_of(case):
    """The table itself, or rows that have exactly its correlations."""
    if "rows" in case:
        return np.array(case["rows"], dtype=int)
    C = np.array(case["correlations"])
    Z = np.random.default_rng(0).standard_normal((case["n"], len(C)))
    Z -= Z.mean(axis=0)
    Z = np.linalg.qr(Z)[0]
    return Z @ np.linalg.cholesky(C).T


def test_programmes_of_clime_are_those_of_r():
    C, levels = np.array(CLIME_R["correlations"]), np.array(CLIME_R["levels"])
    path = clime_path(C, levels)
    np.testing.assert_array_equal(path.alphas, levels)
    np.testing.assert_allclose(np.abs(path.columns).sum(axis=1), CLIME_R["norms"], rtol=1e-7)
    np.testing.assert_allclose(path.precisions, CLIME_R["precisions"], atol=1e-7)
    assert CLIME(levels[1], covariance="precomputed").fit(C).certificate_.holds


def test_pc_is_that_of_pcalg():
    classes = 0
    for case in PCALG["cases"]:
        test = "g2" if "rows" in case else "fisher_z"
        model = PC(case["alpha"], test=test, stable=case["method"] == "stable").fit(rows_of(case))
        ends, largest = np.array(case["ends"]) != 0, np.array(case["largest_p"])
        name = (case["name"], case["method"])
        np.testing.assert_array_equal(model.graph_.adjacency, ends | ends.T, err_msg=str(name))
        i, j = model.evidence_.pairs.T
        tested = model.evidence_.size >= 0
        np.testing.assert_allclose(model.evidence_.p_value[tested], largest[i, j][tested], rtol=1e-6, err_msg=str(name))
        if not model.conflicts_:
            classes += 1
            # pcalg writes x → y as an entry in row y and column x.
            np.testing.assert_array_equal(model.graph_.arrows, ends.T & ~ends, err_msg=str(name))
            np.testing.assert_array_equal(model.graph_.lines, ends & ends.T, err_msg=str(name))
        assert model.certificate_.holds, name
    assert classes >= 2
