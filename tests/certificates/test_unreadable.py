"""Answers of another make or shape than a fit leaves are refuted: no error of NumPy's comes out of `certify`.

What the caller gets wrong, the data or the call, still raises.
"""

import copy

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.concepts import (
    FindS,
    HalfSpaceLearner,
    KCNFLearner,
    KDNFLearner,
    KTermDNFLearner,
    MonomialLearner,
    RectangleLearner,
)
from learnable.kernels import KernelPerceptron
from learnable.linear import (
    AveragedPerceptron,
    LogisticRegression,
    Perceptron,
    RandomLinearClassifier,
    RandomMisclassifiedPerceptron,
    Ridge,
    SGDClassifier,
    SGDRegressor,
)
from learnable.neural import LinearUnit, SigmoidUnit
from learnable.reinforcement import (
    MDP,
    LinearProgrammingPlanner,
    PolicyEnumeration,
    PolicyEvaluation,
    PolicyIteration,
    QLearning,
)
from learnable.sequences import CategoricalHMM, GaussianHMM, MarkovChain
from learnable.unsupervised import PCA

RNG = np.random.default_rng(417)
X = RNG.standard_normal((60, 3))
SCORE = X @ np.array([2.0, -1.0, 0.5]) + 0.3
LABEL = np.where(SCORE > 0, "b", "a")
APART = X + 0.3 * np.outer(np.where(SCORE > 0, 1.0, -1.0), [2.0, -1.0, 0.5])
BITS = RNG.integers(0, 2, (60, 5))
INSIDE = np.where((BITS[:, 0] == 1) & (BITS[:, 3] == 0), "yes", "no")
MIXED = np.where(np.arange(60) % 7 == 0, "yes", INSIDE)  # no monomial is right on these
PROCESS = MDP(RNG.dirichlet(np.ones(4), size=(4, 2)), RNG.random((4, 2)), 0.8)

CLASSIFIERS = [
    Perceptron(tol=None), AveragedPerceptron(), RandomMisclassifiedPerceptron(random_state=4),
    RandomLinearClassifier(random_state=4), SGDClassifier(random_state=4), SigmoidUnit(), HalfSpaceLearner(),
    LogisticRegression(),
]  # fmt: skip


def altered(model, **attributes):
    other = copy.deepcopy(model)
    for name, value in attributes.items():
        setattr(other, name, value)
    return other


def refuted(model, *data, **named):
    return certify(model, *data, **named).verdict is Verdict.REFUTED


@each("model", CLASSIFIERS, ids=repr)
def test_two_classes_have_one_row_of_coefficients(model):
    """A second row turns two classes into two columns of scores, and every prediction with them."""
    fitted = model.fit(APART, LABEL)
    coef, intercept = fitted.coef_, fitted.intercept_
    for more in (1, 2):
        other = altered(
            fitted, coef_=np.vstack([coef, *[-coef] * more]), intercept_=np.concatenate([intercept] * (1 + more))
        )
        assert refuted(other, APART, LABEL)
    assert refuted(altered(fitted, coef_=coef[0]), APART, LABEL)


@each("model", CLASSIFIERS, ids=repr)
def test_classes_and_coefficients_are_arrays(model):
    fitted = model.fit(APART, LABEL)
    classes = fitted.classes_
    for other in (classes[:, None], classes[None], classes[:0], classes.tolist(), None, 0.0):
        assert refuted(altered(fitted, classes_=other), APART, LABEL), other
    for other in (fitted.coef_.tolist(), fitted.coef_[:, :-1], fitted.coef_.ravel(), None):
        assert refuted(altered(fitted, coef_=other), APART, LABEL), other


OTHERS = [
    (PolicyIteration(), (PROCESS,), {"improvements_": (None,)}),
    (LinearProgrammingPlanner(), (PROCESS,), {"occupancy_": (None, 0.0), "values_": (None,)}),
    (PolicyEnumeration(), (PROCESS,), {"n_policies_": (None, "x", [16])}),
    (PolicyEvaluation(np.zeros(4, dtype=int)), (PROCESS,), {"q_values_": (None, 0.0)}),
    (QLearning(200), (PROCESS,), {"visits_": (np.ones((2, 4)), np.ones(8), np.ones((4, 1)))}),
    (MarkovChain(), (BITS[:, :1],), {"log_likelihood_": (None, "x", np.zeros(2))}),
    (
        CategoricalHMM(2, random_state=1), (BITS[:, :1],),
        {"log_likelihood_": (None, "x", np.zeros(2)), "n_iter_": (None, "x", [3]), "history_": (np.zeros((1, 3)),)},
    ),
    (GaussianHMM(2, random_state=1), (X,), {"log_likelihood_": (None, np.zeros(2)), "n_iter_": (None, "x")}),
    (AveragedPerceptron(), (APART, LABEL), {"last_coef_": (None, np.zeros((1, 2))), "n_iter_": (None, np.nan, [1])}),
    (RandomLinearClassifier(random_state=4), (APART, LABEL), {"seed_": (-1, "x", None), "best_draw_": (-1, "x", [1])}),
    (SGDRegressor(random_state=4), (X, SCORE), {"coef_": (np.zeros(2), None), "objective_": (None, "x")}),
    (LinearUnit(), (X, SCORE), {"gradient_norms_": (np.zeros(0), np.zeros(3)), "objective_": (None, "x", np.zeros(2))}),
    (Ridge(), (X, SCORE), {"coef_": ([1.0, 2.0, 3.0], None)}),
    (FindS(), (BITS, INSIDE), {"witness_": (None,)}),
    (MonomialLearner(), (BITS, MIXED), {"witness_": (None, [0, np.nan], [0, "x"], [0, [1]])}),
    (KTermDNFLearner(k=1), (BITS, MIXED), {"witness_": (None, [0, np.nan], [0, None]), "refutation_": (None, 0.0)}),
    (RectangleLearner(), (BITS * 1.0, MIXED), {"witness_": (None, [0, np.nan])}),
]  # fmt: skip


@each("model, data, forged", OTHERS, ids=lambda value: repr(value)[:30] if hasattr(value, "fit") else "")
def test_an_attribute_of_another_make_is_refuted(model, data, forged):
    fitted = model.fit(*data)
    assert not refuted(fitted, *data)
    for name, values in forged.items():
        for value in values:
            assert refuted(altered(fitted, **{name: value}), *data), (name, value)


def test_a_layer_is_an_array():
    fitted = MLPClassifier((2,), solver="lbfgs", alpha=0.1, max_iter=2000, random_state=4).fit(X, LABEL)
    assert not refuted(fitted, X, LABEL)
    for k in (0, 1):
        layers = [layer.tolist() if j == k else layer for j, layer in enumerate(fitted.coefs_)]
        assert refuted(altered(fitted, coefs_=layers), X, LABEL)


@each("learner", [FindS(), MonomialLearner(), KCNFLearner()], ids=repr)
def test_a_concept_names_every_column(learner):
    """Without names nothing can be predicted."""
    fitted = learner.fit(BITS, INSIDE)
    assert not refuted(fitted, BITS, INSIDE)
    for names in ((), fitted.attributes_.names[:-1]):
        forged = copy.deepcopy(fitted)
        object.__setattr__(forged.attributes_, "names", names)
        assert refuted(forged, BITS, INSIDE)


@each("learner", [KCNFLearner(k=2), KDNFLearner(k=2), KTermDNFLearner(k=3)], ids=repr)
def test_a_formula_is_made_of_literals(learner):
    """What is no literal is none to the certificate, and one counted from the end to `predict`."""
    inside = INSIDE if isinstance(learner, KCNFLearner) else np.where(BITS[:, 1] == 1, "yes", INSIDE)
    fitted = learner.fit(BITS, inside)
    assert not refuted(fitted, BITS, inside)
    parts = fitted.hypothesis_.parts
    assert (parts == -1).any(), "there is a filling"
    forged = copy.deepcopy(fitted)
    others = [np.where(parts == -1, np.int32(strange), parts) for strange in (-2, -5, 10)]
    for other in (*others, parts.astype(float)):
        forged.hypothesis_.parts = other
        assert refuted(forged, BITS, inside), other


def test_what_the_caller_gets_wrong_raises():
    fitted = Ridge().fit(X, SCORE)
    with pytest.raises(TypeError, match="nonsense"):
        certify(fitted, X, SCORE, nonsense=1)
    with pytest.raises(ValueError, match="sample_weight has 3"):
        certify(fitted, X, SCORE, np.ones(3))
    with pytest.raises(TypeError, match="real numbers are needed"):
        certify(fitted, np.full((60, 3), "word"), SCORE)
    with pytest.raises(ValueError, match="could not convert string"):
        certify(LinearUnit().fit(X, SCORE), np.full((60, 3), "word"), SCORE)
    with pytest.raises(ValueError, match="60 rows, but y has 59"):
        certify(fitted, X, SCORE[:-1])


@each(
    "model",
    [
        AveragedPerceptron(),
        RandomMisclassifiedPerceptron(random_state=4),
        HalfSpaceLearner(),
        KernelPerceptron(),
        PCA(2),
    ],
    ids=repr,
)
def test_weights_that_no_fit_takes_are_refused(model):
    """They had been ignored, and the answer proved."""
    fitted = model.fit(APART, LABEL)
    assert not refuted(fitted, APART, LABEL)
    with pytest.raises(ValueError, match=f"{type(model).__name__}.: its fit takes no sample_weight"):
        certify(fitted, APART, LABEL, np.ones(60))
