"""Errors speak of values as the user writes them: never of np.str_('a') or np.int64(3)."""

import numpy as np
import pytest
from tests.cases import each

from learnable import certify
from learnable.bayes import (
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MultinomialNB,
    NaiveBayes,
    posterior,
    telling_words,
)
from learnable.bayes.conjugate import DirichletCategorical
from learnable.bayes.laws import Categorical
from learnable.concepts import Attributes, Conjunction, FindS, formula_of_colouring
from learnable.datasets import toeplitz_regression
from learnable.evaluation import CalibrationDisplay, auc_interval
from learnable.features import ThermometerEncoder, polynomial_dimension
from learnable.linear import (
    LinearDiscriminantAnalysis,
    Perceptron,
    QuadraticDiscriminantAnalysis,
    SGDClassifier,
    compare_log_odds,
    reference_form,
    successive_orthogonalisation,
)
from learnable.reinforcement import MDP, Policy
from learnable.selection import class_log_likelihood
from learnable.theory import no_free_lunch

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
Y = np.where(X[:, 0] + 0.3 * RNG.normal(size=30) > 0, "up", "down")
COUNTS = RNG.integers(0, 4, size=(30, 3))
ODD = np.str_("sideways")
LDA = LinearDiscriminantAnalysis().fit(X, Y)
P = np.array([[[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.3, 0.7]]])
WORDS = np.array(["a", "b"])


def calm(states=WORDS, **options):
    return MDP(P, np.zeros((2, 2)), 0.9, states=states, actions=np.array(["stay", "go"]), **options)


FAULTS = {
    "certify with a strange label": lambda: certify(LDA, X, np.where(Y == "up", "sideways", Y)),
    "a class without weight": lambda: LinearDiscriminantAnalysis().fit(X, Y, sample_weight=np.where(Y == "up", 0.0, 1)),
    "a class of prior 0": lambda: LinearDiscriminantAnalysis(priors=list(np.array([0.0, 1.0]))).fit(X, Y),
    "too many priors": lambda: QuadraticDiscriminantAnalysis(priors=list(np.ones(3) / 3)).fit(X, Y),
    "no such reference": lambda: reference_form(LDA, ODD),
    "no such reference of a comparison": lambda: compare_log_odds(X, Y, reference=ODD),
    "other classes, perceptron": lambda: (
        Perceptron().partial_fit(X, Y, classes=["down", "up"]).partial_fit(X, Y, classes=list(np.array(["up", ODD])))
    ),
    "other classes, gradient steps": lambda: (
        SGDClassifier().partial_fit(X, Y, classes=["down", "up"]).partial_fit(X, Y, classes=list(np.array(["up", ODD])))
    ),
    "a stranger among the classes": lambda: SGDClassifier().partial_fit(X, Y, classes=["down", "sideways"]),
    "other classes, naive Bayes": lambda: (
        GaussianNB().partial_fit(X, Y, classes=["down", "up"]).partial_fit(X, Y, classes=list(np.array(["up", ODD])))
    ),
    "a stranger, naive Bayes": lambda: NaiveBayes().partial_fit(X, Y, classes=["down", "sideways"]),
    "an empty class": lambda: MultinomialNB(alpha=0).fit(np.where(Y[:, None] == "up", 0, 1 + COUNTS), Y),
    "a word of one class": lambda: ComplementNB(alpha=0).fit([[1, 0], [0, 1], [1, 0]], ["up", "down", "up"]),
    "a constant column": lambda: GaussianNB(var_smoothing=0).fit(np.where(Y[:, None] == "up", 1.0, X), Y).predict(X),
    "an unknown category": lambda: CategoricalNB().fit(COUNTS, Y).predict(COUNTS + 9),
    "one class of words": lambda: telling_words(COUNTS, np.repeat(ODD, 30), np.array(["x", "y", "z"])),
    "a hypothesis twice": lambda: posterior([0.5, 0.5], [1.0, 1.0], hypotheses=[ODD, ODD]),
    "levels without probabilities": lambda: Categorical(tuple(WORDS), [1.0]),
    "levels without parameters": lambda: DirichletCategorical(tuple(WORDS), [1.0]),
    "a label that is neither": lambda: FindS(classes=tuple(np.array(["up", ODD]))).fit(COUNTS, Y),
    "a cell outside its domain": lambda: FindS(domains=[np.arange(2)] * 3).fit(COUNTS, Y),
    "a constraint outside its domain": lambda: Conjunction((ODD,)).codes(Attributes(("x",), (("a", "b"),))),
    "a strange colour": lambda: formula_of_colouring({np.int64(4): np.int64(7)}, k=2),
    "a strange level": lambda: ThermometerEncoder(levels=[["a"]]).fit([["a"]]).transform(np.array([[ODD]])),
    "a negative degree": lambda: polynomial_dimension(3, np.int64(-1)),
    "a strange positive class": lambda: auc_interval(Y, X[:, 0], pos_label=ODD),
    "a strange positive class to draw": lambda: CalibrationDisplay.from_estimator(LDA, X, Y, pos_label=ODD),
    "a class without column": lambda: class_log_likelihood(Y, np.full((30, 2), 0.5), ["down", "sideways"]),
    "a support too long": lambda: toeplitz_regression(5, 3, support=np.int64(9)),
    "a point outside": lambda: no_free_lunch(np.ones(3) / 3, list(np.array([7]))),
    "a column named twice": lambda: successive_orthogonalisation(X, X[:, 0], order=list(np.array([0, 0]))),
    "a state of no such name": lambda: calm().state_number(ODD),
    "a terminal state of no such name": lambda: calm(terminal=[ODD]),
    "a start of no such name": lambda: calm(start=ODD),
    "a name given twice": lambda: calm(states=np.array(["a", "a"])),
    "an action of no such name": lambda: Policy(calm(), {np.str_("a"): ODD}),
    "a discount that is a word": lambda: MDP(P, np.zeros((2, 2)), ODD),
    "a row that does not add up": lambda: MDP(0.9 * P, np.zeros((2, 2)), 0.9, states=WORDS),
    "a table that does not add up": lambda: MDP.from_table([(WORDS[0], ODD, None, 0.5, 1.0)], 0.9),
}


def message_of(fault) -> str:
    with pytest.raises((ValueError, TypeError)) as caught:
        fault()
    return str(caught.value)


@each("what", FAULTS)
def test_values_are_written_plainly(what):
    message = message_of(FAULTS[what])
    assert "np." not in message.replace("np.flatnonzero", "").replace("np.array", "")


@each("dtype", [str, object, int, bool])
def test_two_classes_that_are_one(dtype):
    y = np.ones(30, dtype=int).astype(dtype)
    assert "np." not in message_of(lambda: FindS().fit(COUNTS, y))
