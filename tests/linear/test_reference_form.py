"""Log-odds against a reference class: the reference is a choice of words, not of law. Syllabus: C6."""

import numpy as np
import pytest
from sklearn.base import clone
from tests.cases import each

from learnable.linear import LinearDiscriminantAnalysis, LogisticRegression, reference_form

RANDOM = np.random.default_rng(11)
X = RANDOM.normal(size=(200, 3))
Y = np.array(["ash", "beech", "cedar", "dogwood"])[
    np.argmax(X @ RANDOM.normal(size=(3, 4)) + RANDOM.gumbel(size=(200, 4)), axis=1)
]
MODELS = [
    LogisticRegression(tol=1e-10),
    LogisticRegression(C=np.inf, tol=1e-10),
    LogisticRegression(C=np.inf, tol=1e-10, fit_intercept=False),
    LinearDiscriminantAnalysis(),
]


@each("kinds", [2, 3, 4])
@each("model", MODELS, ids=str)
def test_probabilities_are_the_same_for_every_reference(model, kinds):
    kept = np.isin(Y, np.unique(Y)[:kinds])
    fitted = clone(model).fit(X[kept], Y[kept])
    for label in fitted.classes_:
        form = reference_form(fitted, label)
        assert form.coef.shape == (kinds - 1, 3)
        assert label not in form.others
        np.testing.assert_allclose(form.predict_proba(X), fitted.predict_proba(X), rtol=1e-10)
        for other in fitted.classes_:
            changed, direct = form.against(other), reference_form(fitted, other)
            np.testing.assert_allclose(changed.coef, direct.coef, atol=1e-12)
            np.testing.assert_allclose(changed.intercept, direct.intercept, atol=1e-12)
            np.testing.assert_allclose(changed.predict_proba(X), form.predict_proba(X), rtol=1e-10)


def test_relabelling_that_makes_another_class_the_last_leaves_the_law_as_it_is():
    names = dict(zip(["ash", "beech", "cedar", "dogwood"], ["d", "b", "a", "c"]))
    one = reference_form(LogisticRegression(C=np.inf, tol=1e-10).fit(X, Y), "beech")
    other = reference_form(LogisticRegression(C=np.inf, tol=1e-10).fit(X, [names[label] for label in Y]), "b")
    order = [other.others.tolist().index(names[label]) for label in one.others]
    np.testing.assert_allclose(one.coef, other.coef[order], rtol=1e-7, atol=1e-9)


def test_statsmodels_finds_the_same_k_minus_1_vectors():
    from statsmodels.discrete.discrete_model import MNLogit

    theirs = MNLogit(np.searchsorted(np.unique(Y), Y), np.column_stack([np.ones(len(X)), X])).fit(disp=0, tol=1e-12)
    form = reference_form(LogisticRegression(C=np.inf, tol=1e-10).fit(X, Y), "ash")
    np.testing.assert_allclose(form.intercept, theirs.params[0], rtol=1e-6)
    np.testing.assert_allclose(form.coef, theirs.params[1:].T, rtol=1e-6)


def test_a_reference_that_is_no_class_is_refused():
    model = LogisticRegression().fit(X, Y)
    with pytest.raises(ValueError, match="reference='elm': not one of the classes"):
        reference_form(model, "elm")
    with pytest.raises(ValueError, match="reference='elm'"):
        reference_form(model).against("elm")
