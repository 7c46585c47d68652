"""What every estimator shares: labels become the numbers of their classes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable.base import class_indices

DTYPES = ["int64", "int8", "uint16", "float64", "float32", "bool", "str", "object"]


def labelled(numbers, dtype) -> np.ndarray:
    """The numbers as labels of a type; words sort otherwise than numbers, '10' before '9'."""
    if dtype == "object":
        return np.array([f"class {number}" for number in numbers], dtype=object)
    return np.array(numbers).astype(dtype)


def check(y):
    given_y = y.copy()
    classes, index = class_indices(y, "Model")
    expected_classes, expected_index = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(classes, expected_classes)
    np.testing.assert_array_equal(index, expected_index)
    np.testing.assert_array_equal(classes[index], y)
    assert classes.dtype == expected_classes.dtype
    assert index.dtype == np.intp
    np.testing.assert_array_equal(y, given_y)


@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=50, deadline=None)
@given(numbers=st.lists(st.sampled_from([0, 1, 9, 10, 100]), min_size=2, max_size=12))
def test_classes_and_numbers_are_those_of_sorting(dtype, numbers):
    y = labelled(numbers, dtype)
    if len(np.unique(y)) >= 2:
        check(y)
    else:
        with pytest.raises(ValueError, match="Model: y holds only one class"):
            class_indices(y, "Model")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("numbers", [(0, 1), (1, 0), (0, 0, 1, 0), (1, 1, 0, 1)])
def test_two_classes_whichever_comes_first(dtype, numbers):
    check(labelled(numbers, dtype))


@pytest.mark.parametrize(
    "y", [[-1.0, 1.0, -1.0], [1, -1, 1], [2.0, -3.0, 2.0, 5.0], [0.0, -0.0, 1.0], [2**53, 2**53 + 1]]
)
def test_signs_zeros_and_large_numbers(y):
    check(np.array(y))


@pytest.mark.parametrize("y", [[0.5, 1.5, 0.5], [0.0, 1e-9, 1.0]])
def test_numbers_that_are_no_classes(y):
    with pytest.raises(ValueError, match="continuous"):
        class_indices(np.array(y), "Model")
