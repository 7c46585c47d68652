"""Laws of the splits: balance, partition, no class lost."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from learnable.app.table.splits import folds, holdout, subsample

classes = st.lists(st.integers(2, 40), min_size=1, max_size=6)
seeds = st.integers(0, 2**32 - 1)


def labels(counts: list[int]) -> np.ndarray:
    return np.repeat([f"class {i}" for i in range(len(counts))], counts)


@given(classes, seeds, st.integers(2, 10))
def test_folds_are_balanced_overall_and_within_each_class(counts, seed, k):
    y = labels(counts)
    dealt = folds(y, k, np.random.default_rng(seed))
    assert np.ptp(np.bincount(dealt, minlength=k)) <= 1
    for level in np.unique(y):
        assert np.ptp(np.bincount(dealt[y == level], minlength=k)) <= 1


@given(classes, seeds, st.integers(2, 10))
def test_every_class_is_in_every_training_part(counts, seed, k):
    y = labels(counts)
    dealt = folds(y, k, np.random.default_rng(seed))
    for fold in range(k):
        assert set(y[dealt != fold]) == set(y)


@given(classes, seeds, st.floats(0.01, 0.99))
def test_holdout_leaves_two_rows_of_every_class_for_training(counts, seed, share):
    y = labels(counts)
    held = holdout(y, share, np.random.default_rng(seed))
    for level, count in zip(np.unique(y), counts):
        assert (~held & (y == level)).sum() >= 2
        if count >= 3:
            assert (held & (y == level)).sum() >= 1


@given(classes, seeds, st.integers(1, 60))
def test_subsample_keeps_every_class_and_its_order(counts, seed, most):
    y = labels(counts)
    rows = subsample(y, most, np.random.default_rng(seed))
    assert (np.diff(rows) > 0).all()
    assert set(y[rows]) == set(y)
    assert len(rows) <= most + 2 * len(counts)


def test_splits_depend_on_the_seed_alone():
    y = labels([20, 30])
    same = [folds(y, 5, np.random.default_rng(7)) for _ in range(2)]
    assert np.array_equal(*same)
    assert not np.array_equal(same[0], folds(y, 5, np.random.default_rng(8)))
