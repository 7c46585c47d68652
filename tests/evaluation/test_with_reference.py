"""Learners against a reference and against the best: levels by simulation, agreement with the pairwise test."""

import numpy as np
import pytest

from learnable.evaluation import corrected_t, holm, with_best, with_reference

SIZES = {"n_train": 90, "n_test": 10}


def test_the_reference_family_is_corrected_t_with_holm():
    rng = np.random.default_rng(0)
    table, base = rng.normal(size=(10, 4)), rng.normal(size=10)
    found = with_reference(table, base, **SIZES)
    tests = [corrected_t(column, base, **SIZES) for column in table.T]
    assert [one.p_value for one in found] == [one.p_value for one in tests]
    assert [one.p_adjusted for one in found] == holm([one.p_value for one in tests]).tolist()


def test_the_best_one_stays_in_the_set():
    """With fold scores as the test supposes them (correlation 1/k), the truly best is refuted in at most 5%."""
    rng = np.random.default_rng(1)
    k, m, draws = 10, 5, 400
    refuted = kept = 0
    for _ in range(draws):
        shared = np.sqrt(1 / k) * rng.normal(size=m)
        table = shared + np.sqrt(1 - 1 / k) * rng.normal(size=(k, m)) + np.array([0, 0, 0, 0, 3.0])
        found = with_best(table, **SIZES)
        refuted += not found[0].may_be_best
        kept += found[4].may_be_best
        best = int(np.argmin(table.mean(axis=0)))
        assert found[best].may_be_best
        assert found[best].difference.estimate == 0
    assert refuted <= 0.05 * draws + 3 * np.sqrt(0.05 * 0.95 * draws)
    assert kept < 0.2 * draws


def test_one_learner_alone_is_the_best():
    (only,) = with_best([[0.1], [0.2]], **SIZES)
    assert only.may_be_best
    with pytest.raises(ValueError, match="shape"):
        with_best([0.1, 0.2], **SIZES)
