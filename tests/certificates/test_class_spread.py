"""Averages and covariances of the classes do not depend on the means that an answer states."""

import numpy as np
from numpy.testing import assert_allclose
from tests.cases import each

from learnable.certificates.linear.class_spread import class_spread
from learnable.rows import as_rows

RNG = np.random.default_rng(8)
labels = RNG.integers(0, 3, 400)
X = RNG.standard_normal((400, 4)) + 2.0 * RNG.standard_normal((3, 4))[labels]
WEIGHT = RNG.uniform(0.5, 2.0, 400)


@each("each", [True, False])
@each("scale", [1.0, 1e-180, 1e180])
@each("off", [0.0, 0.7, 1e9, np.nan], ids=str)
def test_spread_about_any_stated_means(each, scale, off):
    members = [(X[labels == k], WEIGHT[labels == k]) for k in range(3)]
    means = np.array([np.average(rows, axis=0, weights=w) for rows, w in members])
    scatter = np.array([((rows - m) * w[:, None]).T @ (rows - m) for (rows, w), m in zip(members, means)])
    found = class_spread(as_rows(X * scale, labels, WEIGHT), (means + off) * scale, each)
    assert_allclose(found.weight, [w.sum() for _, w in members])
    assert_allclose(found.mean * (found.unit / scale), means, rtol=1e-12)
    expected = scatter if each else scatter.sum(axis=0, keepdims=True)
    assert_allclose(found.scatter * np.outer(found.unit / scale, found.unit / scale), expected, rtol=1e-10, atol=1e-9)
