"""Naive Bayes under the checks: categories, counts of words, columns of several kinds."""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from learnable.checks.registry import register


def categories(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Four columns of three values that lean on the class, for the checks of estimators."""
    random = np.random.default_rng(seed)
    y = random.integers(2, size=160)
    leaning = np.where(random.random((160, 4)) < 0.5, y[:, np.newaxis], random.integers(3, size=(160, 4)))
    return leaning, np.where(y == 1, "yes", "no")


def words(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts of 12 words in 120 texts of two kinds, for the checks of estimators."""
    random = np.random.default_rng(seed)
    y = np.where(random.random(120) < 0.5, "news", "notes")
    rates = np.where((y == "news")[:, np.newaxis], np.linspace(0.2, 3.0, 12), np.linspace(3.0, 0.2, 12))
    return random.poisson(rates), y


def other_columns(model: Any) -> Iterator[tuple[str, Any]]:
    """Altered copies for the tamper law: a count, a mean, a variance or a class count changed."""
    for j, column in enumerate(model.columns_):
        for name in column._fields:
            values = getattr(column, name)
            if isinstance(values, np.ndarray) and values.size:
                changed = values.copy()
                changed.flat[int(np.argmax(np.abs(values)))] += 0.5 * float(np.abs(values).max()) + 1e-3
                changed_model = copy.deepcopy(model)
                changed_model.columns_[j] = column._replace(**{name: changed})
                yield f"a change of {name} of column {j}", changed_model
    changed_model = copy.deepcopy(model)
    changed_model.class_count_ = model.class_count_[::-1] + 1.0
    yield "a change of class_count_", changed_model


register("CategoricalNB", data=categories)
for name in ("MultinomialNB", "BernoulliNB", "ComplementNB"):
    register(name, data=words)
register("NaiveBayes", altered=other_columns)
register("ParametricDensity", answers=("estimates_",))
