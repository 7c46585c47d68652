"""Rank, null space, condition numbers; the Moore-Penrose inverse."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.cases import each

from learnable.theory import pseudo_inverse, well_posedness

RANDOM = np.random.default_rng(11)


def test_condition_of_the_normal_equations_and_what_tikhonov_does():
    X = RANDOM.standard_normal((30, 4)) * [1.0, 10.0, 0.1, 3.0]
    centred = X - X.mean(axis=0)
    for alpha in (0.0, 0.5, 100.0):
        expected = np.linalg.cond(centred.T @ centred + alpha * np.eye(4))
        assert_allclose(well_posedness(X, alpha=alpha).condition_normal, expected, rtol=1e-8)


@each("scale", [1.0, 1e120, 1e-120])
def test_rank_does_not_depend_on_units(scale):
    X = RANDOM.standard_normal((30, 3))
    X = np.column_stack([X, X[:, 0] - X[:, 2]]) * [1.0, scale, 1.0, 1.0]
    report = well_posedness(X)
    assert report.rank == 3
    assert report.not_identified == ("x0", "x2", "x3")
    assert not report.unique
    assert "dimension 1" in str(report)


def test_fewer_rows_than_columns():
    X = RANDOM.standard_normal((3, 6))
    report = well_posedness(X)
    assert report.rank == 2
    assert report.null_space.shape == (6, 4)
    assert_allclose((X - X.mean(axis=0)) @ report.null_space, 0.0, atol=1e-12)
    assert np.isinf(report.condition_normal)
    assert well_posedness(X, alpha=1.0).unique


def test_sound_design_has_nothing_to_name():
    report = well_posedness(RANDOM.standard_normal((50, 5)))
    assert report.unique
    assert report.not_identified == ()
    assert report.null_space.shape == (5, 0)


@each("shape", [(5, 3), (3, 5), (4, 4)])
@each("rank", [1, 2, 3])
def test_pseudo_inverse(shape, rank):
    A = RANDOM.standard_normal((shape[0], rank)) @ RANDOM.standard_normal((rank, shape[1]))
    found = pseudo_inverse(A)
    assert found.rank == rank
    assert_allclose(found.matrix, np.linalg.pinv(A, rcond=1e-12), atol=1e-12)
    assert found.penrose.max() < 1e-13


def test_closed_form_at_full_column_rank():
    A = RANDOM.standard_normal((6, 3))
    assert_allclose(pseudo_inverse(A).matrix, np.linalg.solve(A.T @ A, A.T), rtol=1e-10)


def test_zero_matrix_and_bad_input():
    assert pseudo_inverse(np.zeros((2, 3))).rank == 0
    with pytest.raises(ValueError, match="NaN or infinity"):
        pseudo_inverse([[np.nan]])
    with pytest.raises(ValueError, match="cut_off=2"):
        pseudo_inverse([[1.0]], cut_off=2.0)
    with pytest.raises(ValueError, match="alpha must be"):
        well_posedness([[1.0], [2.0]], alpha=-1.0)
