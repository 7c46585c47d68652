"""What scikit-learn's own fit, done again, misses by as much is open, and nothing else is."""

import numpy as np
import pytest
from sklearn import svm
from sklearn.kernel_approximation import Nystroem

from learnable import certify
from learnable.certificates import Certificate, Claim, Verdict
from learnable.certificates.core.admitted import as_theirs_is

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 2))


def test_a_machine_turned_round_is_no_answer_where_classes_are_apart():
    y = (X[:, 0] > 0.0).astype(int)
    model = svm.NuSVC(nu=0.2).fit(X, y)
    assert certify(model, X, y).holds
    for name in ("dual_coef_", "_dual_coef_", "intercept_", "_intercept_"):
        setattr(model, name, -getattr(model, name))
    assert certify(model, X, y).verdict is Verdict.REFUTED


def test_a_gap_that_the_same_fit_leaves_open_is_open():
    with pytest.warns(UserWarning, match="converge"):
        model = svm.LinearSVR(random_state=0, max_iter=1).fit(1e3 * X, X[:, 0])

    def certificate(claim):
        return Certificate("LinearSVR", [claim])

    for left, verdict in ((0.5, Verdict.NOTHING_ASSERTED), (0.01, Verdict.REFUTED)):
        other = certificate(Claim.reached("S9", "gap", left, 1e-5, asked=1.0))
        found = certificate(Claim.at_most("S9", "gap", 1.0, 1e-5))
        assert as_theirs_is(model, found, lambda fit: other, 1e3 * X, X[:, 0]).verdict is verdict  # noqa: B023


def test_a_map_of_kernel_values_without_digits_is_open():
    """Far from zero scikit-learn's squared distances have no digits, and its kernel has negative eigenvalues."""
    model = Nystroem(n_components=40, gamma=0.5, random_state=0).fit(X + 2e6)
    assert certify(model, X + 2e6).verdict is Verdict.NOTHING_ASSERTED
    model.normalization_ = 1.01 * Nystroem(n_components=40, gamma=0.5, random_state=0).fit(X).normalization_
    model.components_ = model.components_ - 2e6
    assert certify(model, X).verdict is Verdict.REFUTED
