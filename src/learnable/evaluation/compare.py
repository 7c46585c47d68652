"""Run learners on the same folds and compare them."""

import numbers
from collections.abc import Callable, Mapping
from copy import copy
from time import perf_counter as clock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnable.config import config_context
from learnable.evaluation.comparison import Comparison
from learnable.evaluation.score_bounds import score_bounds
from learnable.evaluation.score_table import checked_names
from learnable.processes import in_processes
from learnable.seeds import seed_from


class Run(NamedTuple):
    """One learner on one fold."""

    score: float
    fit_seconds: float
    score_seconds: float


def compare(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    scoring: Any = None,
    cv: Any = 10,
    repeats: int = 1,
    alpha: float = 0.05,
    random_state: Any = 0,
    n_jobs: int | None = None,
    on_fit: Callable[[str, int], None] | None = None,
) -> Comparison:
    """Score every learner on the same folds and say which cannot be told apart.

    Every pair gets the corrected resampled t-test (Nadeau and Bengio), Holm-adjusted over all pairs. The answer is
    the same for any `n_jobs`: every (learner, fold) has its own seed, given to each `random_state` parameter that is
    None. Syllabus: E5, E6, E7, MS7.

    Parameters
    ----------
    learners : name -> estimator. Estimators are cloned, never fitted themselves.
    X, y : data; arrays, sparse matrices or data frames.
    scoring : scorer or its name; None for the estimators' own `score`.
    cv : number of folds (shuffled; stratified for classifiers), or a splitter or an iterable of (train, test).
    repeats : how often the k folds are drawn anew; only with a number of folds.
    alpha : family-wise level of the pairwise tests.
    random_state : int, Generator or RandomState: seed of folds and learners; None for a fresh one.
    n_jobs : workers; choose threads or processes with `joblib.parallel_config`.
    on_fit : called as on_fit(name, fold) in this process each time a fit is done, fold counted from 0.

    Returns
    -------
    Comparison

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> learners = {"tree": DecisionTreeClassifier(), "bayes": GaussianNB(), "most frequent": DummyClassifier()}
    >>> compare(learners, X, y, random_state=0).groups
    (('bayes', 'tree'), ('most frequent',))
    """
    from sklearn.base import clone
    from sklearn.metrics import check_scoring
    from sklearn.utils import indexable

    if not isinstance(learners, Mapping) or not learners:
        raise TypeError(f"compare: learners must be a mapping name -> estimator with at least one, got {learners!r}")
    names = checked_names("compare", learners)
    estimators = list(learners.values())
    scorers = [check_scoring(estimator, scoring) for estimator in estimators]
    metric = _metric_name(names, estimators, scoring)
    X, y = indexable(X, y)
    entropy = seed_from(random_state, "compare")
    labels = _labels(estimators, y)
    folds = _folds(cv, repeats, X, y, labels, int(entropy.generate_state(1)[0]))
    seeds = entropy.spawn(1)[0].generate_state(len(folds) * len(names)).reshape(len(folds), len(names))
    prototypes = [clone(estimator) for estimator in estimators]
    unseeded = [_unseeded(estimator) for estimator in estimators]

    tasks = [(fold, j) for fold in range(len(folds)) for j in range(len(names))]
    given = (
        (prototypes[j], dict.fromkeys(unseeded[j], int(seeds[fold, j])), scorers[j], X, y, *folds[fold], names[j], fold)
        for fold, j in tasks
    )
    results = np.empty((len(folds), len(names), len(Run._fields)))
    for (fold, j), run in zip(tasks, in_processes(_run, given, n_jobs)):
        results[fold, j] = run
        if on_fit is not None:
            on_fit(names[j], fold)
    return Comparison.from_scores(
        results[:, :, 0],
        [len(train) for train, _ in folds],
        [len(test) for _, test in folds],
        names=names,
        alpha=alpha,
        metric=metric,
        bounds=score_bounds(scoring, estimators[0]),
        fit_seconds=results[:, :, 1],
        score_seconds=results[:, :, 2],
    )


def _run(
    prototype: Any,
    seeds: dict[str, int],
    scorer: Any,
    X: Any,
    y: Any,
    train: NDArray,
    test: NDArray,
    name: str,
    fold: int,
) -> Run:
    model = _fresh(prototype, seeds)
    X_train, y_train, X_test, y_test = _rows(X, train), _rows(y, train), _rows(X, test), _rows(y, test)
    try:
        begin = clock()
        with config_context(certificates=False):
            model.fit(X_train, y_train)
        fitted = clock()
        score = scorer(model, X_test, y_test)
        end = clock()
    except Exception as error:
        error.add_note(f"compare: while learner {name!r} ran on fold {fold}")
        raise
    if not isinstance(score, numbers.Real):
        raise TypeError(f"compare: the score of {name!r} is {score!r}, not a number; give one scorer, not several")
    return Run(float(score), fitted - begin, end - fitted)


def _fresh(prototype: Any, seeds: dict[str, int]) -> Any:
    """An unfitted copy of an unfitted prototype."""
    from sklearn.base import clone

    if all(value is None or type(value) in (bool, int, float, str) for value in vars(prototype).values()):
        # Nothing in it can be shared by mistake, and the general door costs as much as a small fit.
        model = copy(prototype)
        vars(model).update(seeds)
        return model
    return clone(prototype).set_params(**seeds)


def _rows(table: Any, index: NDArray) -> Any:
    from sklearn.utils import _safe_indexing

    # The general door costs ten times the copy of a small fold.
    return table[index] if type(table) is np.ndarray else _safe_indexing(table, index)


def _folds(cv: Any, repeats: int, X: Any, y: Any, labels: NDArray | None, seed: int) -> list[tuple[NDArray, NDArray]]:
    """The splits, drawn once and used by every learner."""
    from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, check_cv

    n = len(y)
    if isinstance(repeats, bool) or not isinstance(repeats, numbers.Integral) or repeats < 1:
        raise ValueError(f"compare(repeats={repeats}): repeats must be a whole number >= 1")
    if isinstance(cv, numbers.Integral):
        if not 2 <= cv <= n:
            raise ValueError(f"compare(cv={cv}): the number of folds must be from 2 to the number of rows, {n}")
        if labels is not None:
            classes, counts = np.unique(labels, return_counts=True)
            if counts.min() < cv:
                raise ValueError(
                    f"compare(cv={cv}): class {classes[counts.argmin()]} has {counts.min()} rows, so some fold would "
                    "lack it; use fewer folds, or merge or drop the class"
                )
        kind = RepeatedKFold if labels is None else RepeatedStratifiedKFold
        splitter = kind(n_splits=int(cv), n_repeats=int(repeats), random_state=seed)
    elif repeats != 1:
        raise ValueError(f"compare(repeats={repeats}): repeats needs a number of folds; give cv a repeated splitter")
    else:
        splitter = check_cv(cv, y, classifier=labels is not None)
    folds = [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(X, y)]
    if len(folds) < 2:
        raise ValueError(f"compare: cv gives {len(folds)} fold(s); a variance needs at least 2")
    _check_folds(folds, labels)
    return folds


def _check_folds(folds: list[tuple[NDArray, NDArray]], labels: NDArray | None) -> None:
    for index, (train, test) in enumerate(folds):
        if not (len(train) and len(test)):
            raise ValueError(
                f"compare: fold {index} has {len(train)} training and {len(test)} test rows; none may be 0"
            )
        if labels is not None:
            missing = np.setdiff1d(labels, labels[train])
            if len(missing):
                raise ValueError(
                    f"compare: the training rows of fold {index} lack class {missing[0]}; use stratified folds, "
                    "or merge or drop the class"
                )


def _labels(estimators: list[Any], y: Any) -> NDArray | None:
    """The class of every row when the learners classify, else None."""
    from sklearn.base import is_classifier
    from sklearn.utils.multiclass import type_of_target

    if all(is_classifier(estimator) for estimator in estimators) and type_of_target(y) in ("binary", "multiclass"):
        return np.asarray(y).ravel()
    return None


def _metric_name(names: tuple[str, ...], estimators: list[Any], scoring: Any) -> str:
    from sklearn.base import is_classifier, is_regressor

    if isinstance(scoring, str):
        return scoring
    if scoring is not None:
        return getattr(scoring, "__name__", None) or "score"
    kinds = {"accuracy" if is_classifier(e) else "R²" if is_regressor(e) else "score" for e in estimators}
    if len(kinds) > 1:
        raise ValueError(
            f"compare: {', '.join(names)} score themselves by different measures ({', '.join(sorted(kinds))}); "
            "give scoring, or leave out one kind"
        )
    return kinds.pop()


def _unseeded(estimator: Any) -> list[str]:
    """Parameters named random_state, at any depth, that are None."""
    return [
        key
        for key, value in estimator.get_params(deep=True).items()
        if value is None and (key == "random_state" or key.endswith("__random_state"))
    ]
