"""A fit in parts (`partial_fit`) is an honest one, of which less can be told; nor is it a way to hide evidence."""

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.checks.discovery import all_estimators
from learnable.linear import AveragedPerceptron, Perceptron, RandomMisclassifiedPerceptron, SGDClassifier
from learnable.unsupervised import KernelPCA

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((40, 3))
X[:, 0] += 0.3 * np.sign(X[:, 0])
Y = (X[:, 0] > 0.0).astype(int)
IN_PARTS = [kind for _, kind in all_estimators() if hasattr(kind, "partial_fit")]


@each("kind", IN_PARTS, ids=lambda kind: kind.__name__)
@each("parts", [1, 2, 5])
def test_a_fit_in_parts_is_not_refuted(kind, parts):
    name = kind.__name__
    cells = np.round(np.abs(X)) if name in ("CategoricalNB", "MultinomialNB", "ComplementNB") else X
    model, first = kind(), {"classes": [0, 1]} if hasattr(kind, "predict_proba") or name == "Perceptron" else {}
    for part in np.array_split(np.arange(40), parts):
        model.partial_fit(cells[part], Y[part], **first)
        first = {}
    assert certify(model, cells, Y).verdict is not Verdict.REFUTED


def test_what_is_taken_from_a_whole_fit_is_missed():
    model = SGDClassifier(random_state=0).fit(X, Y)
    del model.objective_
    assert certify(model, X, Y).verdict is Verdict.REFUTED


@each("kind", [Perceptron, AveragedPerceptron, RandomMisclassifiedPerceptron], ids=lambda kind: kind.__name__)
def test_rows_are_visited_in_the_order_that_the_seed_draws(kind):
    model = kind(random_state=3).fit(X, Y)
    assert certify(model, X, Y).holds
    others = (kind(random_state=seed).fit(X, Y) for seed in range(4, 20))
    other = next(each for each in others if not np.allclose(each.coef_, model.coef_))
    assert certify(other, X, Y).holds
    assert not certify(other.set_params(random_state=3), X, Y).holds


def test_axes_of_eigenvalue_zero_were_to_be_removed():
    Z = np.outer(RANDOM.standard_normal(20), [1.0, 2.0, 0.0])
    model = KernelPCA(n_components=3).fit(Z)
    assert np.count_nonzero(model.eigenvalues_) == 1
    assert certify(model, Z).holds
    assert not certify(model.set_params(remove_zero_eig=True), Z).holds
