"""Fits that did what they were asked for are not refuted, and no altered one is proved, whoever fitted it."""

import copy
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.kernel_approximation import Nystroem as TheirNystroem
from sklearn.kernel_ridge import KernelRidge

from learnable import certify
from learnable.kernels import SVC, LinearSVC, NuSVC, Nystroem
from learnable.trace import Status

random = np.random.default_rng(101)
X = random.standard_normal((90, 4))
SCORE = X[:, 0] + X[:, 1] ** 2 - 1.0 + 0.4 * random.standard_normal(90)
Y, Y3 = SCORE > 0.0, np.digitize(SCORE, [-0.5, 0.6])
THIN = sparse.csr_array(np.where(np.abs(X) > 0.7, X, 0.0))


def verdict(model, *data, **given):
    return str(certify(model, *data, **given).verdict)


def altered(model, name, value):
    other = copy.copy(model)
    vars(other).pop("certificate_", None)
    setattr(other, name, value)
    return other


def test_an_offset_that_no_row_names_is_anywhere_in_its_interval():
    """LIBSVM starts with ν n rows at their bound, up to rounding, and ends there if that is optimal."""
    for seed in (102, 103, 104, 105):
        positive = np.abs(np.random.default_rng(seed).standard_normal((90, 4))) + 1.0
        one = svm.OneClassSVM(nu=0.2, kernel="linear", tol=1e-6).fit(positive)
        assert verdict(one, positive) == "proved", seed
        one = altered(altered(one, "intercept_", 1.01 * one.intercept_), "_intercept_", 1.01 * one._intercept_)
        assert verdict(altered(one, "offset_", 1.01 * one.offset_), positive) == "refuted", seed
        for nu in (0.2, 0.6):
            tube = svm.NuSVR(C=1e-4, nu=nu, tol=1e-6).fit(positive, SCORE)
            assert verdict(tube, positive, SCORE) == "proved", (seed, nu)
            moved = tube.intercept_ + 0.5
            tube = altered(altered(tube, "intercept_", moved), "_intercept_", moved)
            assert verdict(tube, positive, SCORE) == "refuted", (seed, nu)


def test_an_offset_beyond_its_interval_is_refuted():
    """All rows at their bound: yf ≤ 1 for each is all that is known of b, and where within, only the same fit tells."""
    y = np.where(np.median(SCORE) < SCORE, 1, -1)
    fitted = svm.SVC(C=1e-4, kernel="linear", tol=1e-6).fit(X, y)
    assert np.allclose(np.abs(fitted.dual_coef_), 1e-4)
    assert verdict(fitted, X, y) == "proved"
    room = 1.0 - np.max(fitted.decision_function(X)[y > 0])
    for share, expected in ((0.9, "nothing asserted"), (1.005, "refuted")):
        moved = fitted.intercept_ + share * room
        other = altered(altered(fitted, "intercept_", moved), "_intercept_", -moved)
        assert verdict(other, X, y) == expected, share


def test_a_gap_of_many_rows_at_the_margin_is_what_the_violation_asked_for_leaves():
    """Equal rows on a grid are all off by `tol` together: C times their number is the gap."""
    seen = set()
    for seed in range(6):
        draw = np.random.default_rng(900 + seed)
        grid = draw.integers(0, 3, (90, 3)).astype(float)
        target = np.round(grid[:, 0] + 0.2 * draw.standard_normal(90))
        for model, y in (
            (svm.SVC(C=100.0), target > 1.0), (svm.SVR(C=100.0), target), (svm.NuSVR(C=100.0), target),
            (svm.OneClassSVM(nu=0.6), None),
        ):  # fmt: skip
            data = (grid,) if y is None else (grid, y)
            seen.add(verdict(model.fit(*data), *data))
    assert seen == {"proved", "nothing asserted"}


def test_the_counts_that_libsvm_predicts_from_are_judged():
    for model in (svm.SVR(), svm.NuSVR(), svm.OneClassSVM()):
        for rows in (X, THIN):
            fitted = model.fit(rows, SCORE)
            data = (rows,) if isinstance(model, svm.OneClassSVM) else (rows, SCORE)
            assert verdict(fitted, *data) == "proved", fitted
            for counts in (fitted._n_support[:1], fitted._n_support + 1, np.zeros(2, dtype=np.int32)):
                assert verdict(altered(fitted, "_n_support", counts), *data) == "refuted", (fitted, counts)


def test_a_dual_point_is_found_for_classes_that_no_weights_tell_apart():
    """The class in the middle has w = 0 and b = -1: all rows of the others are on the kink."""
    for seed in (101, 102, 103):
        draw = np.random.default_rng(seed)
        rows = draw.standard_normal((90, 4))
        y = np.digitize(rows[:, 0] + rows[:, 1] ** 2 - 1.0 + 0.4 * draw.standard_normal(90), [-0.5, 0.6])
        for C in (0.1, 1.0):
            fitted = svm.LinearSVC(C=C, loss="hinge", tol=1e-7, max_iter=1_000_000, random_state=0).fit(rows, y)
            assert verdict(fitted, rows, y) == "proved", (seed, C)
            assert verdict(altered(fitted, "coef_", 1.01 * fitted.coef_), rows, y) != "proved", (seed, C)


def test_weights_and_offsets_off_by_a_hundredth_are_not_proved():
    for seed in (101, 102, 103):
        draw = np.random.default_rng(seed)
        dense = draw.standard_normal((90, 4))
        rows = sparse.csr_array(np.where(np.abs(dense) > 0.7, dense, 0.0))
        y = dense[:, 0] + dense[:, 1] ** 2 - 1.0 + 0.4 * draw.standard_normal(90)
        tight = {"C": 0.5, "tol": 1e-7, "max_iter": 1_000_000, "random_state": 0}
        for model, target in (
            (svm.LinearSVC(class_weight="balanced", **tight), np.digitize(y, [-0.5, 0.6])),
            (svm.LinearSVR(loss="squared_epsilon_insensitive", **tight), y),
        ):
            fitted = model.fit(rows, target)
            assert verdict(fitted, rows, target) == "proved", (seed, model)
            for name in ("coef_", "intercept_"):
                for factor in (0.99, 1.01):
                    other = altered(fitted, name, factor * getattr(fitted, name))
                    assert verdict(other, rows, target) != "proved", (seed, model, name, factor)


def test_an_answer_of_the_wrong_shape_is_refuted():
    for fitted in (svm.LinearSVC().fit(X, Y3), *(LinearSVC(C=0.01, random_state=0, **given).fit(X, Y3) for given in (
        {}, {"penalty": "l1", "dual": False}, {"multi_class": "crammer_singer"},
    ))):  # fmt: skip
        for name in ("coef_", "dual_coef_"):
            if hasattr(fitted, name):
                other = altered(fitted, name, getattr(fitted, name)[:, :-1])
                assert verdict(other, X, Y3) == "refuted", (fitted, name)


@pytest.mark.parametrize("kind", [SVC, NuSVC])
def test_scores_left_out_are_those_of_the_fit(kind):
    """A sigmoid fits any scores that are stretched with it: only the same fit tells which scores there were."""
    fitted = kind(probability=True).fit(X, Y)
    assert verdict(fitted, X, Y) == "proved"
    other = altered(fitted, "left_out_scores_", 2.0 * fitted.left_out_scores_)
    assert verdict(altered(other, "probA_", 0.5 * fitted.probA_), X, Y) == "refuted"


def test_classes_that_meet_end_the_search_for_a_margin():
    """The least distance is 0, which rounding keeps lowering; columns of such scales leave one of them."""
    draw = np.random.default_rng(77)
    rows = draw.standard_normal((80, 3))
    score = rows[:, 0] + 0.5 * rows[:, 1] ** 2 + 0.3 * draw.standard_normal(80)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = NuSVC(nu=0.05, max_iter=200_000).fit(rows * [1e8, 1.0, 1e-8], score > np.median(score))
    assert model.status_ is Status.OPTIMAL
    assert model.fit_status_ == 0
    assert str(model.certificate_.verdict) == "proved"


def test_kernel_ridge_on_rows_in_single_precision_is_proved():
    """Its kernel values are of that precision, its coefficients of the targets' own."""
    for seed in range(4):
        random = np.random.default_rng(seed)
        table, target = random.standard_normal((60, 5)).astype(np.float32), random.standard_normal(60)
        for kernel in ("linear", "rbf"):
            for y in (target, target.astype(np.float32)):
                model = KernelRidge(kernel=kernel).fit(table, y)
                assert certify(model, table, y).holds
                model.dual_coef_[3] *= 1.1
                assert not certify(model, table, y).holds


def test_what_kernel_values_in_single_precision_do_not_show_is_left_open():
    for seed in (3, 5, 9):
        draw = np.random.default_rng(seed)
        rows = draw.standard_normal((40, 3))
        score = rows[:, 0] + 0.4 * draw.standard_normal(40)
        for model, y in ((svm.SVC(C=1e7, tol=1e-6), score > 0.0), (svm.SVR(C=1e5, tol=1e-6), score)):
            assert verdict(model.fit(rows, y), rows, y) != "refuted", (seed, model)


def test_counts_of_sparse_rows_may_be_what_was_in_memory():
    for y in (SCORE, np.ones(90)):
        fitted = svm.SVR().fit(THIN, y)
        n = len(fitted.support_)
        for counts in ([n, 0], [n + 1, 0], [200, 0]):
            other = altered(fitted, "_n_support", np.array(counts, dtype=np.int32))
            assert verdict(other, THIN, y) == "proved", counts
        for counts in ([n - 1, 0], [n, n + 1]):
            other = altered(fitted, "_n_support", np.array(counts, dtype=np.int32))
            assert verdict(other, THIN, y) == "refuted", counts


def test_features_of_a_kernel_that_is_no_inner_product_are_neither_proved_nor_refuted():
    for kind in (TheirNystroem, Nystroem):
        fitted = kind(kernel="sigmoid", n_components=10, random_state=0).fit(X)
        assert verdict(fitted, X) == "nothing asserted"
        for other in (-fitted.normalization_, 1.01 * fitted.normalization_):
            assert verdict(altered(fitted, "normalization_", other), X) == "refuted"


def test_roots_in_single_precision_of_few_dimensions_are_left_open():
    rows = X.astype(np.float32)
    fitted = TheirNystroem(kernel="cosine", n_components=10, random_state=0).fit(rows)
    assert verdict(fitted, rows) != "refuted"
    assert verdict(altered(fitted, "components_", fitted.components_[::-1].copy()), rows) == "refuted"
    wide = TheirNystroem(n_components=10, random_state=0).fit(rows)
    assert verdict(wide, rows) == "proved"
    assert verdict(altered(wide, "normalization_", 1.01 * wide.normalization_), rows) == "refuted"


def test_options_that_only_predictions_refuse_refute_no_fit():
    """Ties are not broken between pairs of classes, which scikit-learn says in `predict`."""
    asked = {"break_ties": True, "decision_function_shape": "ovo"}
    for kind in (SVC, NuSVC, svm.SVC):
        fitted = kind(**asked).fit(X, Y3)
        assert verdict(fitted, X, Y3) == "proved", kind


def test_scores_are_told_apart_beside_a_large_offset():
    for away, apart in ((1e3, 1.0), (0.0, 1e-3)):
        for fitted, y in (
            (svm.LinearSVR(loss="squared_epsilon_insensitive", dual=False, tol=1e-10), SCORE + away),
            (svm.LinearSVR(tol=1e-10, max_iter=10**6), SCORE + 1e6 * away),
            (svm.LinearSVC(dual=False, tol=1e-10), SCORE > -1.0),
        ):
            fitted.fit(apart * X, y)
            assert verdict(fitted, apart * X, y) != "refuted"
            assert verdict(altered(fitted, "coef_", 1.02 * fitted.coef_), apart * X, y) != "proved", (away, fitted)
