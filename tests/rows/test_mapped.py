"""Labels to places among the classes, whatever their type."""

import numpy as np
import pytest
from tests.cases import each

from learnable.rows import as_rows
from learnable.rows.mapped import places_among, with_class_numbers

KINDS = {
    "two": (np.array([3, 9]), np.array([9, 3, 9, 4])),
    "two words": (np.array(["no", "yes"]), np.array(["yes", "no", "maybe"])),
    "one": (np.array([5]), np.array([5, 5, 6])),
    "close together": (np.array([-2, 0, 1, 5]), np.array([5, -2, 0, 1, 2, -3, 6, 5])),
    "short": (np.array([-128, 0, 127], dtype=np.int8), np.resize(np.array([127, -128, 0, 5], dtype=np.int8), 300)),
    "unsigned": (np.array([1, 2, 3], dtype=np.uint8), np.array([3, 0, 255, 1, 2], dtype=np.uint8)),
    "at the ends": (np.array([7, 8, 9]), np.array([9, np.iinfo(np.int64).min, np.iinfo(np.int64).max, 7, 8])),
    "mixed": (np.array([1, 2, 3]), np.array([3.0, 2.5, 1.0])),
    "signs": (np.array([-1, 0, 1]), np.array([2**64 - 1, 1, 0, 1], dtype=np.uint64)),
    "far apart": (np.array([0, 10, 10**9]), np.array([10**9, 0, 10, 11])),
    "numbers": (np.array([0.5, 1.5, 2.5]), np.array([2.5, 0.5, 0.7])),
    "words": (np.array(["a", "b", "c"]), np.array(["c", "a", "bb"])),
    "objects": (np.array(["a", "b", "c"], dtype=object), np.array(["c", "a", "bb"], dtype=object)),
}


@each("kind", KINDS)
def test_places_are_those_of_a_search_one_by_one(kind):
    classes, labels = KINDS[kind]
    index, unknown = places_among(classes, labels)
    known = [any(int(label) == int(c) if kind == "signs" else label == c for c in classes) for label in labels]
    np.testing.assert_array_equal(~unknown, known)
    np.testing.assert_array_equal(classes[index[~unknown]], labels[~unknown])


@each("kind", KINDS)
def test_a_label_that_is_no_class_is_refused(kind):
    classes, labels = KINDS[kind]
    rows = as_rows(np.ones((len(labels), 1)), y=labels)
    with pytest.raises(ValueError, match="is not one of the classes"):
        with_class_numbers(rows, classes).reduce(lambda block: block.y)
