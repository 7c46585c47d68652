"""Graphs from rows that come in blocks: their covariance is all they need, and all that is claimed."""

import dask.array as da
import numpy as np
import pytest

from learnable import certify
from learnable.graphical import CLIME, PC, GraphicalLasso, NodewiseRegression
from learnable.rows import as_rows

RNG = np.random.default_rng(8)
X = RNG.normal(size=(700, 5)) @ (np.eye(5) + 0.6 * np.eye(5, k=1)) + [0.0, 3.0, 100.0, -1.0, 0.0]
Z = da.from_array(X, chunks=((300, 1, 399), 5))


def test_precisions_and_graphs_of_chunks_are_those_of_memory_and_certified_on_either():
    for model, answers in (
        (GraphicalLasso(0.1), ("precision_", "covariance_", "location_")),
        (GraphicalLasso(0.1, assume_centered=True), ("precision_", "location_")),
        (CLIME(0.2), ("precision_", "location_")),
        (NodewiseRegression(0.1), ("coef_", "residual_variances_", "location_")),
    ):
        one, two = model.fit(X), type(model)(**model.get_params()).fit(Z)
        for answer in answers:
            expected = getattr(one, answer)
            np.testing.assert_allclose(getattr(two, answer), expected, atol=1e-7 * np.abs(expected).max())
            assert two.certificate_.holds
            assert certify(two, X).holds
            altered = type(model)(**model.get_params()).fit(Z)
            setattr(altered, answer, _moved(expected))
            assert not certify(altered, Z).holds, (model, answer)
    one, two = PC().fit(X), PC().fit(Z)
    assert one.graph_ == two.graph_
    assert certify(two, Z).holds
    two.evidence_.statistic[0] += 1e-3
    assert not certify(two, Z).holds


def test_tests_that_look_at_the_rows_refuse_blocks_and_name_the_one_that_does_not():
    for test in ("chi2", lambda X, i, j, S: 0.5):
        with pytest.raises(TypeError, match="`PC` with the test 'fisher_z'"):
            PC(test=test).fit(Z)
    with pytest.raises(ValueError, match="the rows have weights"):
        PC().fit(as_rows(X, sample_weight=np.full(len(X), 2.0)))
    with pytest.raises(TypeError, match="needs all rows in memory"):
        GraphicalLasso(covariance="precomputed").fit(Z)


def _moved(values):
    moved = values.copy()
    moved[(0,) * values.ndim] += 1e-3 * (np.abs(values).max() + 1.0)
    return moved
