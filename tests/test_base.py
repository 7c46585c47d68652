"""What every estimator shares: labels become the numbers of their classes."""

import inspect
import pickle
import sys
import warnings
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import config_context, get_config, metrics
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import validation

from learnable.base import class_indices, validate_data
from learnable.base.fit_context import fit_context
from learnable.base.learner import Learner
from learnable.base.scores import accuracy, r_squared
from learnable.linear import Ridge
from learnable.rows.numbers import surely_finite

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


@pytest.mark.parametrize("dtype", ["int8", "int64"])
def test_the_least_and_the_largest_integers(dtype):
    ends = np.iinfo(dtype)
    for y in ([ends.min + 2, ends.min, ends.min + 1], [ends.max, ends.max - 2, ends.max - 1], [ends.min, ends.max, 0]):
        check(np.array(y, dtype=dtype))


@pytest.mark.parametrize("y", [[0.5, 1.5, 0.5], [0.0, 1e-9, 1.0]])
def test_numbers_that_are_no_classes(y):
    with pytest.raises(ValueError, match="continuous"):
        class_indices(np.array(y), "Model")


def read(check, X, y, **checks):
    """What a reader of tables makes of one: arrays and what is written on the estimator, or the kind of its error."""
    estimator = BaseEstimator()
    estimator.feature_names_in_ = np.array(["of a fit before"])
    try:
        found = check(estimator, X, **({} if y is None else {"y": y}), **checks)
    except (ValueError, TypeError) as error:
        return type(error)
    return found if isinstance(found, tuple) else (found,), vars(estimator)


def test_plain_arrays_pass_as_scikit_learn_lets_them():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((6, 3))
    tables = [X, X.astype(np.float32), np.asfortranarray(X), X[::2], np.arange(6).reshape(3, 2), X > 0.0, X[:, :0]]
    tables += [
        X[:0],
        X[0],
        np.clip(X, -1, 1) * 1e308,
        np.where(X > 1.0, np.nan, X),
        np.where(X > 1.0, np.inf, X),
        X.astype(object),
    ]
    for table in tables:
        n = len(table)
        numbers = rng.standard_normal(n)
        targets = [None, numbers, np.repeat(numbers, 2)[::2], np.arange(n), np.array(["b", "a"] * n)[:n], numbers[1:]]
        targets += [numbers[:, None], np.stack([numbers, numbers], axis=1), np.full(n, np.nan), np.full(n, 1e308)]
        for y in targets:
            for checks in (
                {}, {"dtype": np.float64, "order": "C"}, {"dtype": [np.float64, np.float32], "order": "F"},
                {"dtype": None, "ensure_all_finite": False}, {"ensure_all_finite": "allow-nan"},
                {"ensure_min_samples": 4}, {"dtype": np.float32}, {"multi_output": True, "y_numeric": True},
            ):  # fmt: skip
                if y is None and "multi_output" in checks:
                    continue
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    ours, theirs = (
                        read(each, table, y, **checks) for each in (validate_data, validation.validate_data)
                    )
                case = (table.shape, table.dtype, None if y is None else (y.shape, y.dtype), checks)
                if isinstance(theirs, type):
                    assert ours is theirs, case
                    continue
                assert ours[1] == theirs[1], case
                for one, two in zip(ours[0], theirs[0], strict=True):
                    assert one.dtype == two.dtype, case
                    assert one.flags.c_contiguous == two.flags.c_contiguous, case
                    np.testing.assert_array_equal(one, two, err_msg=str(case))


def test_indices_of_64_bits_are_short_where_they_may_be_and_those_given_stay_as_they_are():
    def held(table):
        return [part.copy() for part in (table.data, table.indices, table.indptr)]

    for kind in (sparse.csr_array, sparse.csc_array, sparse.csr_matrix):
        ordered = kind(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 4.0]]))
        # Entries of the second row or column the wrong way round, one of them in two parts.
        untidy = kind((np.array([1.0, 2.0, 3.0, 1.5]), np.array([0, 1, 0, 0]), np.array([0, 1, 4])), shape=(2, 2))
        for given_table in (ordered, untidy):
            given_table.indices = given_table.indices.astype(np.int64)
            given_table.indptr = given_table.indptr.astype(np.int64)
            before, dense = held(given_table), given_table.toarray()
            found = validate_data(Ridge(), given_table, accept_sparse=["csr", "csc"])
            assert found.indices.dtype == found.indptr.dtype == np.int32
            assert found.format == given_table.format
            found.sum_duplicates()  # in place
            np.testing.assert_array_equal(found.toarray(), dense)
            for part, was in zip(held(given_table), before):
                np.testing.assert_array_equal(part, was, strict=True)
        assert np.shares_memory(validate_data(Ridge(), ordered, accept_sparse=["csr", "csc"]).data, ordered.data)
    # A column further off than 32 bits can say.
    far = sparse.csr_array((np.ones(1), np.array([2**31]), np.array([0, 1])), shape=(1, 2**31 + 1))
    assert validate_data(Ridge(), far, accept_sparse="csr") is far


def test_a_parameter_out_of_bounds_is_refused_in_the_same_words():
    Ridge()._validate_params()  # what was allowed is remembered, with its type: True equals 1
    for wrong in ({"alpha": -1.0}, {"fit_intercept": "yes"}, {"fit_intercept": 1}, {"solver": "none"}):
        model = Ridge(**wrong)
        messages = []
        for check in (model._validate_params, lambda model=model: BaseEstimator._validate_params(model)):
            with pytest.raises(ValueError, match=next(iter(wrong))) as refused:
                check()
            messages.append(str(refused.value))
        assert messages[0] == messages[1]


class Told(BaseEstimator):
    """Counts how often its parameters are checked, and says what the settings are within `fit`."""

    checks = 0

    def _validate_params(self):
        self.checks += 1

    def _told(self, X, y=None):
        self.within_ = get_config()["skip_parameter_validation"]
        if y == "fail":
            raise RuntimeError("as asked")
        return self

    fit = fit_context(prefer_skip_nested_validation=True)(_told)
    theirs = _fit_context(prefer_skip_nested_validation=True)(_told)
    careful = fit_context(prefer_skip_nested_validation=False)(_told)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X):
        return self._told(X)


def test_fits_are_surrounded_as_by_scikit_learn():
    model = Told()
    for name in ("fit", "theirs", "careful"):
        model.checks = 0
        assert getattr(model, name)(None).within_ is (name != "careful")
        with pytest.raises(RuntimeError, match="as asked"):
            getattr(model, name)(None, "fail")
        assert model.checks == 2
        assert get_config()["skip_parameter_validation"] is False
        with config_context(skip_parameter_validation=True):
            assert getattr(model, name)(None).within_
            assert get_config()["skip_parameter_validation"]
        assert model.checks == 2
    assert Told().partial_fit(None).checks == 1
    assert model.partial_fit(None).checks == 2, "what is fitted goes on unchecked"


def test_finite_numbers_are_told_from_others():
    rng = np.random.default_rng(0)
    for dtype in (np.float64, np.float32, np.float16):
        table = rng.standard_normal((6, 4)).astype(dtype)
        for view in (table, table.T, table[::2], table[:, 1], np.asfortranarray(table)):
            assert surely_finite(view)
            for bad in (np.nan, np.inf, -np.inf):
                spoilt = view.copy(order="K")
                spoilt[1] = bad
                assert not surely_finite(spoilt)
    assert surely_finite(np.array([1e300, -1e300])), "squares overflow, sums do not"
    assert not surely_finite(np.array([np.inf, -np.inf]))
    assert surely_finite(np.empty((0, 3)))


def test_scores_are_scikit_learns():
    rng = np.random.default_rng(1)
    y, said, w = rng.standard_normal(9), rng.standard_normal(9), rng.uniform(0.1, 2.0, 9)
    label, guess = rng.integers(0, 3, 9), rng.integers(0, 3, 9)
    for weight in (None, w):
        assert r_squared(y, said, weight) == pytest.approx(metrics.r2_score(y, said, sample_weight=weight), rel=1e-12)
        for a, b in (
            (label, guess),
            (label.astype(str), guess.astype(str)),
            (label.astype(float), guess.astype(float)),
        ):
            wanted = metrics.accuracy_score(a, b, sample_weight=weight)
            assert accuracy(a, b, weight) == pytest.approx(wanted, rel=1e-12)
    assert r_squared(np.ones(3), np.ones(3)) == 1.0
    assert r_squared(np.stack([y, said], 1), np.stack([said, y], 1)) == metrics.r2_score(
        np.stack([y, said], 1), np.stack([said, y], 1)
    )


def test_an_interrupt_at_any_line_of_a_fit_leaves_the_whole_of_one_fit():
    """Between two steps of letting go of the last fit and of beginning another, too."""
    random = np.random.default_rng(0)
    X, y = random.standard_normal((30, 3)), random.standard_normal(30)
    lines, first = inspect.getsourcelines(Learner._learn)

    def interrupted(model, k):
        """Whether there is a k-th line, at which the fit ends; the word `try` is none at which anything is heard."""
        passed = iter(range(1, k + 1))

        def at_line(frame, event, _):
            if event == "line" and lines[frame.f_lineno - first].strip() != "try:" and next(passed, k) == k:
                sys.settrace(before)
                raise KeyboardInterrupt
            return at_line

        before = sys.gettrace()
        sys.settrace(lambda frame, event, _: at_line if frame.f_code is Learner._learn.__code__ else None)
        try:
            model.fit(X, -y)
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
        return False

    fits = [{name: pickle.dumps(value) for name, value in vars(Ridge().fit(X, each)).items()} for each in (y, -y)]
    for k in count(1):
        model = Ridge().fit(X, y)
        if not interrupted(model, k):
            break
        assert {name: pickle.dumps(value) for name, value in vars(model).items()} in fits, k
    assert k > 10
