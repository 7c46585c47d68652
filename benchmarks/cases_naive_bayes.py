"""Naive Bayes: counting words, categories and numbers by class, and going through the rows again to predict.

The smoothing is one virtual example a value for every class. An answer has one row a class:

- fit: `coef` is (K, p), log P(word | class) or −log P(word | other classes) for texts, Σ_v (v + 1) log P(v | class)
  for categories, mean / deviation for numbers; `intercept` the log priors.
- predict: `intercept` is how many rows go to each class, `coef` zeros.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

SEED = 20


def text(scale: float) -> tuple[Any, np.ndarray]:
    """20 000 texts of about 150 words out of 50 000, by Zipf's law; a fifth of the words lean on one of 20 classes."""
    rng = np.random.default_rng(SEED)
    n, p, n_classes = max(200, round(20_000 * scale)), max(400, round(50_000 * scale)), 20
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)])
    length = rng.poisson(150, n)
    row = np.repeat(np.arange(n), length)
    rank = 1.0 / np.arange(1, p + 1)
    word = np.minimum(np.searchsorted(np.cumsum(rank / rank.sum()), rng.random(len(row))), p - 1)
    leaning = rng.random(len(row)) < 0.2
    word[leaning] = (word[leaning] * n_classes + y[row[leaning]]) % p
    X = sparse.csr_matrix((np.ones(len(row)), (row, word)), shape=(n, p))
    X.sum_duplicates()
    return X, y


def categories(scale: float) -> tuple[np.ndarray, np.ndarray]:
    """1 000 000 rows of 20 columns with 10 categories; a fifth of the cells lean on one of 5 classes."""
    rng = np.random.default_rng(SEED)
    n = max(500, round(1_000_000 * scale))
    y = np.concatenate([np.arange(5), rng.integers(5, size=n - 5)])
    X = rng.integers(10, size=(n, 20))
    X = np.where(rng.random((n, 20)) < 0.2, (y[:, None] + np.arange(20)) % 10, X)
    X[:10] = np.arange(10)[:, None]
    return X, y


def numbers(scale: float) -> tuple[np.ndarray, np.ndarray]:
    """200 000 rows of 100 columns of different spreads, 5 classes."""
    rng = np.random.default_rng(SEED)
    n = max(300, round(200_000 * scale))
    y = np.concatenate([np.repeat(np.arange(5), 2), rng.integers(5, size=n - 10)])
    return rng.standard_normal((n, 100)) * np.geomspace(0.1, 10.0, 100) + rng.standard_normal((5, 100))[y], y


DATA: dict[str, Callable[[float], tuple[Any, np.ndarray]]] = {
    "multinomial": text,
    "complement": text,
    "Bernoulli": text,
    "categorical": categories,
    "Gaussian": numbers,
}


def builder(kind: str, what: str, n_classes: int | None = None) -> Callable[[float], Any]:
    """The case of one kind of naive Bayes, to "fit" or to "predict", with the classes put together to so many."""

    def build(scale: float):
        from benchmarks.problems import Problem

        X, y = DATA[kind](scale)
        y = y if n_classes is None else y % n_classes
        return Problem(f"naive Bayes {kind} {what}", X, y, np.ones(int(y.max()) + 1))

    return build


def reference(problem: Any) -> tuple[np.ndarray, np.ndarray, Callable[[Any], np.ndarray]]:
    """(coef and intercept of the fit, function that gives the joint log-likelihoods), in plain NumPy."""
    X, y, kind = problem.X, problem.y, problem.family.split()[2]
    n_classes = len(problem.alphas)
    members = np.bincount(y, minlength=n_classes)
    prior = np.log(members / len(y))
    belongs = sparse.csr_array((np.ones(len(y)), (y, np.arange(len(y)))), shape=(n_classes, len(y)))
    if kind == "multinomial":
        counts = (belongs @ X).toarray() + 1.0
        table = np.log(counts / counts.sum(axis=1, keepdims=True))
        return table, prior, lambda X: X @ table.T + prior
    if kind == "complement":
        counts = (belongs @ X).toarray()
        others = counts.sum(axis=0) - counts + 1.0
        table = -np.log(others / others.sum(axis=1, keepdims=True))
        return table, prior, lambda X: X @ table.T
    if kind == "Bernoulli":
        present = (belongs @ (X > 0).astype(float)).toarray()
        share_of = (present + 1.0) / (members[:, None] + 2.0)
        table, absent = np.log(share_of), np.log1p(-share_of)
        return table, prior, lambda X: (X > 0).astype(float) @ (table - absent).T + absent.sum(axis=1) + prior
    if kind == "categorical":
        tables = [np.zeros((n_classes, X[:, j].max() + 1)) for j in range(X.shape[1])]
        for j, one in enumerate(tables):
            np.add.at(one, (y, X[:, j]), 1.0)
        tables = [np.log((one + 1.0) / (one + 1.0).sum(axis=1, keepdims=True)) for one in tables]
        coef = np.column_stack([one @ np.arange(1.0, one.shape[1] + 1.0) for one in tables])
        return coef, prior, lambda X: sum(one.T[X[:, j]] for j, one in enumerate(tables)) + prior
    mean = (belongs @ X) / members[:, None]
    variance = (belongs @ (X - mean[y]) ** 2) / members[:, None] + 1e-9 * X.var(axis=0).max()

    def joint(X: np.ndarray) -> np.ndarray:
        squares = [np.sum((X - m) ** 2 / v + np.log(2.0 * np.pi * v), axis=1) for m, v in zip(mean, variance)]
        return prior - 0.5 * np.stack(squares, axis=1)

    return mean / np.sqrt(variance), prior, joint


def difference(problem: Any, answer: Any) -> float:
    """Fit: largest difference of a log-probability or a standardised mean. Predict: rows that went elsewhere."""
    coef, prior, joint = reference(problem)
    if problem.family.endswith("predict"):
        expected = np.bincount(joint(problem.X).argmax(axis=1), minlength=len(prior))
        return float(np.abs(answer.intercept - expected).max())
    return float(max(np.abs(answer.coef - coef).max(), np.abs(answer.intercept - prior).max()))
