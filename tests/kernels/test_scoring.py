"""Scores of many rows: by blocks whatever the kernel, so that Ctrl-C is heard and memory is that of the result."""

import numpy as np
import pytest
from scipy import sparse

from learnable.kernels import RBF, Laplacian, Linear
from learnable.solvers.kernels import scoring

random = np.random.default_rng(0)
X, ANCHORS, C = random.standard_normal((900, 3)) + 5.0, random.standard_normal((40, 3)), random.standard_normal((40, 2))


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.2), Laplacian(0.2)], ids=str)
def test_rows_are_scored_in_blocks(kernel, monkeypatch):
    begun, right = [], scoring.in_order

    def seen(function, starts, workers):
        def one(start):
            begun.append(start)
            return function(start)

        return right(one, starts, workers)

    monkeypatch.setattr(scoring, "in_order", seen)
    monkeypatch.setattr(scoring, "WORK", 600)
    monkeypatch.setattr(scoring, "BLOCK", 4000)
    for table in (X, sparse.csr_array(X)):
        begun.clear()
        anchors = sparse.csr_array(ANCHORS) if sparse.issparse(table) else ANCHORS
        np.testing.assert_allclose(scoring.scores(kernel, table, anchors, C), kernel(X, ANCHORS) @ C, rtol=1e-9)
        assert sorted(begun) == list(range(0, 900, 100))
