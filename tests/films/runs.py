"""Fits to film: small tables, one algorithm of every kind."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Run(NamedTuple):
    """What to film."""

    model: Any
    data: tuple


def clouds(k: int = 2, p: int = 2, n: int = 40, apart: float = 3.0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    y = np.arange(n) % k
    centres = np.zeros((k, p))
    centres[:, :2] = apart * np.array([[0, 0], [1, 1], [1, -1]])[:k]
    return centres[y] + random.standard_normal((n, p)), y


def slope(p: int = 1, n: int = 30) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    X = random.standard_normal((n, p))
    return X, X @ (np.arange(p) % 3 + 0.5) + 0.3 * random.standard_normal(n)


def chain(n: int = 60) -> np.ndarray:
    random = np.random.default_rng(2)
    state = np.cumsum(random.random(n) < 0.1) % 2
    return (2.0 * state + 0.5 * random.standard_normal(n))[:, None]


def causal(n: int = 300) -> np.ndarray:
    a, b, e, f = np.random.default_rng(3).standard_normal((4, n))
    c = a + b + 0.5 * e
    return np.column_stack([a, b, c, c + 0.5 * f])


def sport() -> tuple[Any, Any]:
    from learnable.datasets import enjoy_sport

    days = enjoy_sport().to_arrow().to_pandas()
    return days.drop(columns="EnjoySport"), days["EnjoySport"]


def bits(n: int = 20) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(4).integers(0, 2, (n, 5)).astype(bool)
    return X, X[:, 0] & ~X[:, 2]


def runs() -> dict[str, Callable[[], Run]]:
    """Name -> what makes the run."""
    from learnable import (
        bayes,
        concepts,
        ensembles,
        graphical,
        kernels,
        linear,
        neural,
        reinforcement,
        sequences,
        sparse,
        trees,
        unsupervised,
    )

    world = reinforcement.russell_norvig_world
    wide = lambda: slope(8)  # noqa: E731
    return {
        "Perceptron": lambda: Run(linear.Perceptron(random_state=0), clouds()),
        "Perceptron, overlapping": lambda: Run(
            linear.Perceptron(max_iter=30, tol=None, random_state=0), clouds(apart=0.7)
        ),
        "AveragedPerceptron": lambda: Run(linear.AveragedPerceptron(random_state=0), clouds(p=4)),
        "LogisticRegression": lambda: Run(linear.LogisticRegression(C=np.inf), clouds(apart=1.0)),
        "LogisticRegression, three classes": lambda: Run(linear.LogisticRegression(), clouds(3)),
        "SGDClassifier": lambda: Run(linear.SGDClassifier(random_state=0), clouds()),
        "LinearDiscriminantAnalysis": lambda: Run(linear.LinearDiscriminantAnalysis(), clouds(3)),
        "RandomMisclassifiedPerceptron": lambda: Run(
            linear.RandomMisclassifiedPerceptron(max_iter=500, random_state=0), clouds(apart=1.5)
        ),
        "LinearRegression": lambda: Run(linear.LinearRegression(), slope()),
        "SGDRegressor": lambda: Run(linear.SGDRegressor(random_state=0), slope(3)),
        "PoissonRegressor": lambda: Run(linear.PoissonRegressor(), (slope(2)[0], np.exp(slope(2)[1] / 2).round())),
        "LinearUnit": lambda: Run(neural.LinearUnit(random_state=0), slope()),
        "Lasso": lambda: Run(sparse.Lasso(alpha=0.1), wide()),
        "LassoLars": lambda: Run(sparse.LassoLars(alpha=0.01), wide()),
        "Stepwise": lambda: Run(sparse.Stepwise(), wide()),
        "ADMMLasso": lambda: Run(sparse.ADMMLasso(alpha=0.1), wide()),
        "LinearSVC": lambda: Run(kernels.LinearSVC(), clouds()),
        "SVC": lambda: Run(kernels.SVC(C=10.0), clouds(apart=1.5)),
        "KernelPerceptron": lambda: Run(kernels.KernelPerceptron(), clouds(apart=2.5)),
        "DecisionTreeClassifier": lambda: Run(trees.DecisionTreeClassifier(), clouds(apart=1.5)),
        "DecisionTreeRegressor": lambda: Run(trees.DecisionTreeRegressor(max_depth=4), slope()),
        "ID3Classifier": lambda: Run(trees.ID3Classifier(), clouds(apart=1.5)),
        "AdaBoostClassifier": lambda: Run(ensembles.AdaBoostClassifier(n_estimators=15), clouds(apart=1.0)),
        "GradientBoostingRegressor": lambda: Run(ensembles.GradientBoostingRegressor(n_estimators=15), slope()),
        "RandomForestClassifier": lambda: Run(
            ensembles.RandomForestClassifier(n_estimators=6, random_state=0), clouds(3)
        ),
        "GaussianNB": lambda: Run(bayes.GaussianNB(), clouds(3)),
        "MultinomialNB": lambda: Run(bayes.MultinomialNB(), (np.abs(clouds(3, 4)[0]).round(), clouds(3, 4)[1])),
        "MLPClassifier": lambda: Run(
            neural.MLPClassifier((6,), max_iter=60, learning_rate_init=0.05, random_state=0), clouds(apart=1.0)
        ),
        "KMeans": lambda: Run(unsupervised.KMeans(3, n_init=1, init="random", random_state=1), (clouds(3, n=90)[0],)),
        "GaussianMixture": lambda: Run(
            unsupervised.GaussianMixture(3, random_state=0), (clouds(3, n=90, apart=2.0)[0],)
        ),
        "PCA": lambda: Run(unsupervised.PCA(), (slope(2)[0] @ [[2.0, 1.0], [0.0, 0.5]],)),
        "SpectralClustering": lambda: Run(unsupervised.SpectralClustering(3, random_state=0), (clouds(3)[0],)),
        "AgglomerativeClustering": lambda: Run(unsupervised.AgglomerativeClustering(3), (clouds(3, n=24)[0],)),
        "PC": lambda: Run(graphical.PC(), (causal(),)),
        "GraphicalLasso": lambda: Run(graphical.GraphicalLasso(0.05), (causal(),)),
        "CandidateElimination": lambda: Run(
            concepts.CandidateElimination({"Sky": ("Sunny", "Cloudy", "Rainy"), "Wind": ("Strong", "Light")}), sport()
        ),
        "FindS": lambda: Run(concepts.FindS(), sport()),
        "MonomialLearner": lambda: Run(concepts.MonomialLearner(), bits()),
        "RectangleLearner": lambda: Run(concepts.RectangleLearner(), (clouds()[0], clouds()[1])),
        "GaussianHMM": lambda: Run(sequences.GaussianHMM(2, random_state=0), (chain(),)),
        "CategoricalHMM": lambda: Run(sequences.CategoricalHMM(2, random_state=0), ((chain() > 1.0).astype(int),)),
        "MarkovChain": lambda: Run(sequences.MarkovChain(), ((chain() > 1.0).astype(int),)),
        "ValueIteration": lambda: Run(reinforcement.ValueIteration(), (world().mdp.with_discount(0.9),)),
        "PolicyIteration": lambda: Run(reinforcement.PolicyIteration(), (world().mdp,)),
        "QLearning": lambda: Run(reinforcement.QLearning(3000, random_state=0), (world().mdp.with_discount(0.9),)),
    }
