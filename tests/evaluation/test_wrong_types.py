"""Words, dictionaries and lists in place of numbers are refused by the name of the function and of the argument."""

import numpy as np
import pytest
from tests.cases import each

from learnable import datasets, evaluation

TABLE = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.5]]
LABELS = [0, 1, 1, 0, 1]
FOLDS = [0.8, 0.9, 0.85, 0.7]
NO_NUMBERS = ("x", None, {"a": 1}, [], object())
NO_ARRAYS = ("x", {"a": 1}, ["a", "b"], [[1], [1, 2]])


def calls():
    """function -> (sound arguments, arguments that are numbers, arguments that are arrays of numbers)."""
    scores = {"y_true": LABELS, "y_pred": LABELS}
    return {
        "holm": ({"p_values": [0.1, 0.2]}, (), ("p_values",)),
        "benjamini_hochberg": ({"p_values": [0.1, 0.2]}, (), ("p_values",)),
        "nemenyi": ({"average_ranks": [1.0, 2.0], "n": 5}, ("n", "alpha"), ("average_ranks",)),
        "friedman": ({"scores": TABLE}, (), ("scores",)),
        "friedman_chi2": ({"average_ranks": [1.0, 2.0], "n": 5}, ("n",), ("average_ranks",)),
        "iman_davenport": ({"chi2": 1.0, "n": 5, "k": 3}, ("chi2", "n", "k"), ()),
        "corrected_t": (
            {"first": FOLDS, "second": FOLDS[::-1], "n_train": 9, "n_test": 3}, ("level",), ("n_train", "n_test"),
        ),
        "paired_t": ({"first": FOLDS, "second": FOLDS[::-1]}, ("level",), ()),
        "coverage": ({"method": "wilson", "n": 5, "p": 0.5}, ("level",), ("p",)),
        "mcnemar_counts": ({"only_first": 3, "only_second": 2, "n": 9}, ("only_first", "only_second", "level"), ()),
        "mse_decomposition": ({"estimates": [1.0, 2.0], "target": 1.0}, ("level",), ("estimates", "target")),
        "prediction_decomposition": (
            {"predictions": [[1.0, 2.0], [2.0, 1.0]], "truth": [1.0, 1.0]}, ("level",), ("predictions", "truth"),
        ),
        "regression_risk": (
            {"f": [0.0, 1.0], "y": [0.0, 1.0], "probabilities": [[0.4, 0.1], [0.2, 0.3]]},
            (),
            ("f", "y", "probabilities"),
        ),
        "probability_within": ({"z": 1.0}, (), ("z",)),
        "accuracy": (scores, ("level",), ("sample_weight",)),
        "f_score": (scores, ("beta",), ()),
        "specificity": (scores, ("zero_division", "level"), ()),
        "wilson_interval": ({"mistakes": 1, "n": 5}, ("level",), ()),
        "bernstein_interval": ({"values": [0.1, 0.5], "bounds": (0, 1)}, ("level",), ("values",)),
        "calibration_table": ({"y_true": LABELS, "probability": [*FOLDS, 0.1]}, ("bins",), ("probability",)),
        "toeplitz_regression": ({"n": 5, "p": 9}, ("n", "p", "rho", "noise"), ()),
        "linearly_separable": ({"n": 5, "d": 3}, ("n", "d", "margin"), ()),
    }  # fmt: skip


@each("name", list(calls()))
def test_what_is_no_number_is_named(name):
    sound, numbers, arrays = calls()[name]
    function = getattr(evaluation, name, None) or getattr(datasets, name)
    function(**sound)
    wrong = [(argument, value) for argument in numbers for value in NO_NUMBERS]
    wrong += [(argument, value) for argument in arrays for value in NO_ARRAYS]
    for argument, value in wrong:
        with pytest.raises((TypeError, ValueError)) as caught:
            function(**{**sound, argument: value})
        said = str(caught.value)
        assert argument in said or "p_values" in said, (argument, value, said)
        assert not any(leak in said for leak in ("truth value", "not supported", "unsized", "ufunc")), said


def test_a_method_that_is_a_list_is_no_method():
    with pytest.raises(ValueError, match=r"coverage\(method=\[\]\): choose one of"):
        evaluation.coverage([], 5, 0.5)


def test_numbers_of_numpy_are_numbers():
    assert evaluation.nemenyi([1.0, 2.0], np.int64(5), alpha=np.float32(0.05)).critical_difference > 0
    assert len(datasets.toeplitz_regression(np.int32(5), np.int64(9), noise=np.float64(0.1)).y) == 5
