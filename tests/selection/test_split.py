"""Train, validation and test."""

import importlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier
from tests.cases import each

from learnable.selection import ThreeWaySplit, choose_on_validation, three_way_split


@settings(deadline=None)
@given(st.integers(10, 200), st.integers(0, 10**6))
def test_parts_are_disjoint_cover_and_have_the_asked_sizes(n, seed):
    split = three_way_split(n, sizes=(0.5, 0.3, 0.2), random_state=seed)
    split.check(n)
    for part, share in zip(split, (0.5, 0.3, 0.2)):
        assert abs(len(part) - share * n) < 1


@settings(deadline=None)
@given(st.lists(st.sampled_from("abc"), min_size=15, max_size=80), st.integers(0, 100))
def test_stratified_parts_carry_each_label_in_proportion(labels, seed):
    labels = np.array(labels)
    split = three_way_split(len(labels), stratify=labels, random_state=seed)
    split.check(len(labels))
    for part, share in zip(split, (0.6, 0.2, 0.2)):
        assert abs(len(part) - share * len(labels)) < 1 + 1e-9
        for label in np.unique(labels):
            assert abs((labels[part] == label).sum() - share * (labels == label).sum()) <= 2


def test_counts_and_seed():
    one, two = (three_way_split(10, sizes=(7, 2, 1), random_state=4) for _ in range(2))
    assert [len(part) for part in one] == [7, 2, 1]
    assert all((a == b).all() for a, b in zip(one, two))
    other = three_way_split(10, sizes=(7, 2, 1), random_state=5)
    assert any((a != b).any() for a, b in zip(one, other))


def test_choice_refit_and_honest_test_error():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=150) > 0).astype(int)
    split = three_way_split(150, stratify=y)
    candidates = {"constant": DummyClassifier(), "3 neighbours": KNeighborsClassifier(3)}
    choice = choose_on_validation(candidates, X, y, split)
    assert choice.names[choice.best] == "3 neighbours"
    both = np.concatenate([split.train, split.validation])
    again = KNeighborsClassifier(3).fit(X[both], y[both])
    assert choice.test.estimate == np.mean(again.predict(X[split.test]) != y[split.test])
    validated = KNeighborsClassifier(3).fit(X[split.train], y[split.train])
    assert choice.validation[1].estimate == np.mean(validated.predict(X[split.validation]) != y[split.validation])
    kept = choose_on_validation(candidates, X, y, split, refit_on="train")
    assert kept.model.n_samples_fit_ == len(split.train)
    assert choice.model.n_samples_fit_ == len(both)


def test_no_mistake_on_the_test_part_still_has_an_interval():
    X = np.linspace(-1, 1, 60)[:, None] ** 3 + np.sign(np.linspace(-1, 1, 60))[:, None]
    choice = choose_on_validation([KNeighborsClassifier(1)], X, (X[:, 0] > 0).astype(int), three_way_split(60))
    assert choice.test.estimate == 0
    assert choice.test.high > 0.1


def test_data_frames_and_untouched_input():
    pandas = importlib.import_module("pandas")
    rng = np.random.default_rng(1)
    X = pandas.DataFrame(rng.normal(size=(30, 2)), columns=["a", "b"], index=np.arange(30) + 100)
    y = X["a"].to_numpy() * 2
    before = X.copy()
    choice = choose_on_validation([Ridge(1e-6), Ridge(100.0)], X, y, three_way_split(30))
    assert choice.best == 0
    pandas.testing.assert_frame_equal(X, before)


@each(
    ("call", "message"),
    [
        (lambda: three_way_split(2), "n=2"),
        (lambda: three_way_split(10, sizes=(0.5, 0.5, 0.5)), "sum to 1"),
        (lambda: three_way_split(10, sizes=(0.8, 0.2, 0.0)), "three positive"),
        (lambda: three_way_split(3, sizes=(0.98, 0.01, 0.01)), "validation part is empty"),
        (lambda: three_way_split(5, stratify=[1, 2]), "2 labels for n=5"),
        (lambda: ThreeWaySplit(np.array([0, 1]), np.array([1]), np.array([2])).check(3), "index 1 comes 2 times"),
        (lambda: ThreeWaySplit(np.array([0]), np.array([1]), np.array([2])).check(4), "index 3 comes 0 times"),
        (lambda: ThreeWaySplit(np.array([0]), np.array([1]), np.array([7])).check(3), "index 7 is outside"),
        (lambda: ThreeWaySplit(np.array([0]), np.array([1]), np.array([-1])).check(3), "index -1 is outside"),
        (
            lambda: choose_on_validation([Ridge()], np.ones((9, 1)), np.ones(9), three_way_split(9), refit_on="all"),
            "refit_on='all'",
        ),
        (
            lambda: choose_on_validation(
                [DummyClassifier()],
                np.ones((4, 1)),
                [0, 0, 1, 1],
                ThreeWaySplit(np.array([0, 1]), np.array([2]), np.array([3])),
            ),
            "no member of class",
        ),
        (lambda: choose_on_validation([DummyClassifier(), Ridge()], [[0.0]] * 3, [0, 1, 1], None), "mixed"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
