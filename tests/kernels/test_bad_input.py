"""Kernels and machines on bad or hostile input: refused by name with a remedy, or fitted and proved."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

import learnable.kernels as ours
from learnable import certify
from learnable.kernels import (
    RBF,
    SVC,
    SVR,
    HardMarginSVC,
    KernelClassifier,
    KernelPerceptron,
    KernelRidge,
    LinearSVC,
    NuSVC,
    NuSVR,
    OneClassSVM,
)
from learnable.trace import Status

random = np.random.default_rng(1)
X = random.standard_normal((120, 3))
SCORE = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * random.standard_normal(120)
Y = np.where(SCORE > 0.0, "up", "down")
Y3 = np.digitize(SCORE, [-0.7, 0.7])


def proved(model) -> bool:
    return str(model.certificate_.verdict) == "proved"


@pytest.mark.parametrize(
    ("model", "data", "said"),
    [
        (SVC(C=0.0), (X, Y), "C must be"),
        *((kind(C=1e300), (X, Y), "C must be .* at most 1e.100") for kind in (SVC, LinearSVC, KernelClassifier)),
        *(
            (kind(C="1"), (X, Y), "'C' parameter of .* must be a float .* Got '1' instead")
            for kind in (SVC, LinearSVC, KernelClassifier)
        ),
        *(
            (kind(tol=None), (X, Y), "'tol' parameter of .* must be a float .* Got None instead")
            for kind in (SVC, LinearSVC)
        ),
        *(
            (kind(nu="half"), (X, SCORE), "'nu' parameter of .* must be a float in the range .* Got 'half' instead")
            for kind in (NuSVR, OneClassSVM)
        ),
        (SVR(epsilon="0.1"), (X, SCORE), "'epsilon' parameter of SVR must be a float .* Got '0.1' instead"),
        (SVC(gamma=-1.0), (X, Y), "gamma"),
        *((kind(decision_function_shape="rbf"), (X, Y), "'decision_function_shape'.*'ov") for kind in (SVC, NuSVC)),
        (HardMarginSVC(), (1e-12 * X, Y), "rows 0 and 1 of X are of different classes.*rescale X, or raise gamma"),
        (HardMarginSVC(RBF(1.0)), (1e-6 * X, Y), "separates any points.*rescale X, or raise gamma"),
        (SVC(kernel="poly", degree=-1), (X, Y), "degree"),
        (KernelRidge(kernel="poly", degree=-1), (X, SCORE), "degree"),
        (SVC(), (X, np.ones(120)), "one class"),
        (NuSVC(nu=0.9), (X, np.arange(120) < 20), "0 < nu <= 0.3333"),
        (SVC(kernel="precomputed"), (X, Y), "square"),
        *(
            (kind(kernel="precomputed"), (np.triu(np.ones((120, 120))), Y), "not symmetric")
            for kind in (SVC, KernelPerceptron, KernelClassifier, HardMarginSVC)
        ),
        (KernelRidge(kernel="precomputed"), (np.triu(np.ones((120, 120))), SCORE), "not symmetric"),
        (KernelClassifier(kernel="precomputed"), (-np.eye(120), Y), "negative eigenvalue"),
        (SVR(epsilon=-1.0), (X, SCORE), "epsilon"),
        (LinearSVC(penalty="l1", loss="hinge"), (X, Y), "Unsupported set of arguments"),
    ],
    ids=lambda given: "" if isinstance(given, tuple) else str(given),
)
def test_bad_input_names_the_thing_and_the_remedy(model, data, said):
    with pytest.raises(ValueError, match=said):
        model.fit(*data)


def test_a_table_of_other_rows_is_refused_with_the_rows_it_needs():
    table = RBF(0.4)(X)
    for model, target in ((SVC(), Y), (SVR(), SCORE), (KernelRidge(), SCORE), (KernelClassifier(), Y)):
        with pytest.raises(ValueError, match=r"X has 7 features.* with all 120 training rows"):
            model.set_params(kernel="precomputed").fit(table, target).predict(table[:, :7])


def test_hostile_but_legal_data_end_well():
    same = np.ones((20, 2))
    labels = np.arange(20) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for gamma in (0.0, 1e-300, 1e300):
            assert proved(SVC(gamma=gamma).fit(X, Y))
        assert proved(SVC().fit(same, labels))  # all points identical, labels opposite
        assert proved(SVC().fit(np.vstack([X, X]), np.concatenate([Y, np.roll(Y, 1)])))
        assert proved(SVC(C=1e4).fit(1e-4 * X, Y))
        assert proved(SVR().fit(X, 1e-5 * SCORE))
        assert proved(SVR().fit(X, np.zeros(120)))
        assert proved(SVC(C=1e-6).fit(X, Y3))
        assert proved(SVC(kernel=RBF(0.3).normalised() + 1.0 * RBF(1.0)).fit(X, Y))


def test_a_table_that_no_kernel_has_is_refused_with_a_witness():
    K = X @ X.T
    K[0, 0] -= 50.0
    cases = [("SVC", Y), ("NuSVC", Y), ("SVR", SCORE), ("NuSVR", SCORE), ("OneClassSVM", None), ("KernelRidge", SCORE),
             ("KernelPerceptron", Y), ("HardMarginSVC", Y)]  # fmt: skip
    for name, y in cases:
        with pytest.raises(ours.NotSemidefinite, match="not positive semidefinite") as refused:
            getattr(ours, name)(kernel="precomputed").fit(K, y)
        c = refused.value.witness
        assert c @ K @ c < -40.0, name
    with pytest.raises(ValueError, match="all rows are drawn"):
        ours.Nystroem(kernel="precomputed", n_components=20).fit(X @ X.T)
    for name, kernel in (("gamma", "precomputed"), ("coef0", lambda x, z: x @ z), ("degree", "precomputed")):
        with pytest.raises(ValueError, match=rf"^Nystroem\({name}=2\): no effect"):
            ours.Nystroem(kernel=kernel, n_components=len(X), **{name: 2}).fit(X @ X.T)
    with pytest.raises(ValueError, match=r"Nystroem\(gamma=-1\)"):
        ours.Nystroem(gamma=-1).fit(X)
    for kind in (SVC, LinearSVC):
        with pytest.raises(ValueError, match="class_weight"):
            kind(class_weight={"up": -2.0}).fit(X, Y)
    with pytest.raises(ValueError, match="C must be a number"):
        ours.LinearSVR(C=np.inf).fit(X, SCORE)


def test_a_row_of_both_classes_is_never_separated():
    twice, labels = np.vstack([X, X[:5]]), np.concatenate([Y, np.where(Y[:5] == "up", "down", "up")])
    tables = {"rbf": twice, "precomputed": RBF(0.3)(twice), "linear": twice}
    for kernel, table in tables.items():
        for given in (table, sparse.csr_matrix(table)) if kernel == "rbf" else (table,):
            with pytest.raises(ours.NotSeparable) as refused:
                HardMarginSVC(kernel).fit(given, labels)
            assert np.all(refused.value.refutation.weights >= 0.0)
    assert proved(HardMarginSVC().fit(np.vstack([X, X[:5]]), np.concatenate([Y, Y[:5]])))


def test_no_passes_at_all_are_one_and_a_column_of_one_value_has_no_line():
    for model, target in ((ours.LinearSVR(max_iter=0), SCORE), (LinearSVC(loss="hinge", max_iter=0), Y)):
        with pytest.warns(ConvergenceWarning, match="raise max_iter"):
            assert model.fit(X, target).status_ is Status.BUDGET_SPENT
    assert proved(ours.SplineRegression().fit(np.ones((120, 1)), SCORE))
    flat = ours.SplineRegression().fit(np.column_stack([X[:, 0], np.full(120, 0.1)]), SCORE)
    assert proved(flat)
    np.testing.assert_allclose(flat.predict(np.column_stack([X[:, 0], X[:, 1]])),
                               ours.SplineRegression().fit(X[:, :1], SCORE).predict(X[:, :1]), atol=1e-9)  # fmt: skip


def test_no_certificate_for_scores_that_nobody_can_ask_for():
    model = SVC().fit(X, Y)
    model.decision_function_shape = "rbf"
    assert str(certify(model, X, Y).verdict) == "refuted"


def test_classes_in_balance_that_no_kernel_tells_apart_leave_the_offset_free():
    # Every coefficient is at its bound but for rounding: any offset within ±1 is optimal.
    for seed in range(4):
        y = np.random.default_rng(seed).random(60) < 0.4
        ours, theirs = (kind(kernel="linear", class_weight="balanced", C=0.7) for kind in (SVC, svm.SVC))
        model = ours.fit(1e-6 * X[:60], y)
        assert proved(model)
        assert model.status_ is Status.OPTIMAL
        assert abs(model.intercept_[0]) < 1e-6
        other = theirs.fit(1e-6 * X[:60], y)
        assert str(certify(other, 1e-6 * X[:60], y).verdict) == "proved"
        other.intercept_, other._intercept_ = np.array([1.1]), np.array([-1.1])
        assert str(certify(other, 1e-6 * X[:60], y).verdict) == "refuted"
