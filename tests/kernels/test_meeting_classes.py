"""ν-machines of classes that are apart, overlap and meet."""

import copy
import warnings

import numpy as np
import pytest
from sklearn import svm

from learnable import certify
from learnable.kernels import NuSVC

random = np.random.default_rng(4)
X = random.standard_normal((40, 2))
NOISE = random.standard_normal(40)
GRID = [
    (np.where(X[:, 0] + spread * NOISE > 0.0, 1, -1), nu, kernel, tol)
    for spread in (0.0, 0.3, 3.0)
    for nu in (0.1, 0.5, 0.7)
    for kernel, tol in (("linear", 1e-3), ("linear", 1e-6), ("rbf", 1e-6))
]


def test_ours_are_proved_and_those_of_libsvm_open_where_their_signs_are_wrong():
    """LIBSVM divides by the margin it found, of classes that meet by rounding of either sign; a negative one makes
    every coefficient infeasible and every prediction the opposite, which no fit of such classes does otherwise."""
    verdicts = set()
    for y, nu, kernel, tol in GRID:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mine = NuSVC(nu=nu, kernel=kernel, tol=tol).fit(X, y)
        assert certify(mine, X, y).holds, (nu, kernel, tol)
        theirs = svm.NuSVC(nu=nu, kernel=kernel, tol=tol).fit(X, y)
        verdict = str(certify(theirs, X, y).verdict)
        verdicts.add(verdict)
        turned = bool(np.all(theirs.dual_coef_[0] * y[theirs.support_] <= 0.0))
        assert verdict == "nothing asserted" if turned else verdict != "refuted", (nu, kernel, tol)
        verdicts.add(turned)
    assert {"proved", True} <= verdicts


def test_classes_that_meet_have_no_margin():
    """At a small ν the reduced hulls of overlapping classes meet: w = 0 is said, proved, and noticed if altered."""
    y = np.where(NOISE > 0.0, 1, -1)
    with pytest.warns(UserWarning, match="raise nu"):
        model = NuSVC(nu=0.1, kernel="linear").fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), 0.0, atol=1e-5)
    assert np.abs(model.dual_coef_).sum() == pytest.approx(0.1 * 40)
    for name in ("dual_coef_", "intercept_"):
        altered = copy.deepcopy(model)
        setattr(altered, name, 1.5 * getattr(model, name) + 0.01)
        assert not certify(altered, X, y).holds, name
