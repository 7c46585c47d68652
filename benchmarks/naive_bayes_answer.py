"""Naive Bayes by classes named and used as scikit-learn's: the same calls for it and for ours."""

from typing import Any

import numpy as np

from benchmarks.problems import Answer, Problem

CLASSES = {
    "multinomial": "MultinomialNB",
    "complement": "ComplementNB",
    "Bernoulli": "BernoulliNB",
    "categorical": "CategoricalNB",
    "Gaussian": "GaussianNB",
}


class Answered:
    """Fits, or predicts with the model of the first call: a warm figure of "predict" is of the prediction alone."""

    def __init__(self) -> None:
        self.model: Any = None
        self.fitted_on: Problem | None = None

    def __call__(self, library: Any, problem: Problem) -> Answer:
        *_, kind, what = problem.family.split()
        if what == "fit":
            return _of_fit(getattr(library, CLASSES[kind])().fit(problem.X, problem.y))
        if self.fitted_on is not problem:
            self.model = getattr(library, CLASSES[kind])().fit(problem.X, problem.y)
            self.fitted_on = problem
        n_classes = len(problem.alphas)
        rows = np.bincount(self.model.predict(problem.X), minlength=n_classes)
        return Answer(np.zeros((n_classes, problem.X.shape[1])), rows.astype(float))


def _of_fit(model: Any) -> Answer:
    if hasattr(model, "theta_"):
        return Answer(model.theta_ / np.sqrt(model.var_), np.log(model.class_prior_))
    table = model.feature_log_prob_
    if isinstance(table, list):
        table = np.column_stack([one @ np.arange(1.0, one.shape[1] + 1.0) for one in table])
    return Answer(table, model.class_log_prior_)
