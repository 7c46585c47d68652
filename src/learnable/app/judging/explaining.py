"""What the chosen model looks at: importance by shuffling, dependence, effects with bootstrap intervals, thresholds."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import numpy as np

from learnable.app.judging.costs import Costs
from learnable.app.judging.figures import average_precision, ranking_figures, rarer
from learnable.app.judging.metrics import LEVEL, Metric, plain_interval
from learnable.app.result import Coefficient, Dependence, Importance, Interval, Operating
from learnable.app.table.coding import Coded
from learnable.app.trials.fitting import Output, fit, output_of, uncertified
from learnable.app.trials.tuning import Fold
from learnable.app.trials.workers import Deadline, run_tasks
from learnable.datasets import Column, Kind, Table

# What a report shows: enough for an interval, little enough for the time of a report.
SHUFFLES = 5
MOST_ROWS = 2_000
MOST_IMPORTANCES = 30
MOST_DEPENDENCES = 6
DEPENDENCE_ROWS = 300
GRID = 15
BOOTSTRAPS, FEWEST_BOOTSTRAPS = 60, 20
BOOTSTRAP_CELLS = 150_000_000
MOST_EFFECTS = 50
MOST_THRESHOLDS = 100


def importances(
    models: Sequence[tuple[Any, np.ndarray, np.ndarray, Sequence[str]]],
    used: Collection[str],
    metric: Metric,
    rng: np.random.Generator,
) -> list[Importance]:
    """Rise of the loss when a column is shuffled, on rows that each model was not trained on, the largest first.

    `models` pairs a fitted model with rows it has not seen, their targets and the column of the table behind each coded
    one: the rows of a fold lack what is constant, and categories that nobody has, among those learned from. Columns
    that are not `used` are left out: their rise is exactly 0. With a loss for every row the interval is Student's over
    the rows, each averaged over the shuffles; with a measure of all rows it is over the shuffles.
    """
    from learnable.evaluation import t_interval

    rises: dict[str, list[np.ndarray]] = {owner: [] for owner in used}
    for model, X, y, owners in models:
        rows = rng.permutation(len(y))[:MOST_ROWS]
        X, y = X[rows], y[rows]
        before = _losses(metric, y, output_of(model, X))
        for owner, found_so_far in rises.items():
            columns = [j for j, one in enumerate(owners) if one == owner]
            after = []
            for _ in range(SHUFFLES):
                shuffled = X.copy()
                shuffled[:, columns] = X[rng.permutation(len(X))][:, columns]
                after.append(_losses(metric, y, output_of(model, shuffled)) - before)
            found = np.mean(after, axis=0) if metric.rows is not None else np.concatenate(after)
            found_so_far.append(found)
    made = []
    for owner, parts in rises.items():
        values = np.concatenate(parts)
        if len(values) > 1 and np.isfinite(values).all():
            made.append(Importance(owner, plain_interval(t_interval(values, level=LEVEL))))
    return sorted(made, key=lambda one: -one.rise.estimate)[:MOST_IMPORTANCES]


def _losses(metric: Metric, y: np.ndarray, output: Output) -> np.ndarray:
    return metric.losses(y, output) if metric.rows is not None else np.array([metric.score(y, output)])


def unseen_models(coded: Coded, model: Any, folds: Sequence[Fold]) -> list[Any]:
    """The model with the test rows; without such rows, models of the folds with the rows held out from each."""
    if len(coded.division.test):
        return [(model, coded.X_test, coded.division.y_test, coded.owners)]
    with uncertified():
        fitted = [fit(model, {}, fold.X, fold.y, fold.weight) for fold in folds]
    return [(one, fold.X_valid, fold.y_valid, fold.owners) for one, fold in zip(fitted, folds)]


def dependences(model: Any, coded: Coded, names: Sequence[str], rng: np.random.Generator) -> list[Dependence]:
    """Mean prediction when a column is set to a value in every row, with an interval over the rows."""
    question, division = coded.question, coded.division
    rows = np.sort(rng.permutation(division.train)[:DEPENDENCE_ROWS])
    table = question.features.take(rows)
    classes = [] if question.goal.task == "regression" else [str(one) for one in model.classes_]
    output = rarer(question.goal.y, np.array(classes)) if len(classes) == 2 else ""
    if len(classes) > 2:
        output = max(classes, key=lambda level: int(np.sum(question.goal.y == level)))
    made = []
    for name in names[:MOST_DEPENDENCES]:
        column = question.features.column(name)
        values, levels = _values(column, division.train)
        if len(values) + len(levels) < 2:
            continue
        means, lows, highs = [], [], []
        for value in levels or values:
            X = coded.coder.transform(_with(table, column, value))
            said = output_of(model, X)
            found = said.predicted if not output else said.probability[:, classes.index(output)]  # type: ignore[index]
            half = 1.96 * float(np.std(found)) / np.sqrt(len(found))
            mean = float(np.mean(found))
            means.append(mean)
            lows.append(mean - half)
            highs.append(mean + half)
        made.append(Dependence(name, output, [float(v) for v in values], levels, means, lows, highs))
    return made


def _values(column: Column, rows: np.ndarray) -> tuple[list[Any], list[str]]:
    """Quantiles of a number or a date, or the commonest levels."""
    present = column.values[rows][~column.missing[rows]]
    if column.kind in (Kind.NUMBER, Kind.DATE) and len(present):
        numbers = present.astype("M8[D]").astype(float) if column.kind is Kind.DATE else present
        return np.unique(np.quantile(numbers, np.linspace(0.02, 0.98, GRID))).tolist(), []
    if column.levels:
        found, counts = np.unique(present.astype(str), return_counts=True)
        common = set(found[np.argsort(-counts, kind="stable")][:8].tolist())
        return [], [level for level in column.levels if level in common]
    return [], []


def _with(table: Table, column: Column, value: Any) -> Table:
    """The table with one column set to a value."""
    if column.kind is Kind.DATE:
        values = np.full(table.n_rows, np.datetime64(int(value), "D")).astype("M8[us]")
    elif column.kind is Kind.NUMBER:
        values = np.full(table.n_rows, float(value))
    else:
        values = np.full(table.n_rows, value, dtype=object)
    changed = Column(column.name, column.kind, values, column.levels)
    return Table(
        tuple(changed if one.name == column.name else one for one in table.columns), table.n_rows, table.source
    )


def effects(
    model: Any,
    coded: Coded,
    rng: np.random.Generator,
    jobs: int,
    deadline: Deadline,
    bootstrap: bool = True,
) -> list[Coefficient]:
    """The weights of a linear model, largest first, with effects in the units of the table and bootstrap intervals.

    The bootstrap refits with the same setting on rows drawn with replacement; the coding stays. Empty for a model
    without weights.
    """
    inner = getattr(model, "estimator_", model)
    weights = getattr(inner, "coef_", None)
    features = list(coded.coder.get_feature_names_out())
    if weights is None or np.shape(weights)[-1] != len(features):
        return []
    draws = _bootstrap(inner, coded, rng, jobs, deadline, np.shape(weights)) if bootstrap else []
    rows = np.atleast_2d(weights)
    outputs = [str(one) for one in inner.classes_] if len(rows) > 1 else [_favoured(inner)]
    scale = coded.coder.scale_of()
    reference = _references(coded)
    made = []
    for place, output in enumerate(outputs):
        for j, feature in enumerate(features):
            base = reference.get(j)
            contrast = rows[place, j] - (rows[place, base] if base is not None else 0.0)
            if rows[place, j] == 0 and contrast == 0:
                continue
            effect, selected = None, None
            if j != base:
                found = np.array([d[place, j] - (d[place, base] if base is not None else 0.0) for d in draws])
                low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]) if len(found) else (np.nan, np.nan)
                lower, upper = sorted((float(low) / scale[j], float(high) / scale[j]))
                effect = Interval(float(contrast) / scale[j], lower, upper, LEVEL, "bootstrap, percentile")
            if len(draws):
                selected = float(np.mean([d[place, j] != 0 for d in draws]))
            against = features[base] if base is not None and j != base else ""
            if j == base:
                effect = None
            made.append(Coefficient(str(feature), float(rows[place, j]), output, effect, against, selected))
    return sorted(made, key=lambda one: -abs(one.weight))[:MOST_EFFECTS]


def _favoured(model: Any) -> str:
    """The class that a weight above zero speaks for."""
    classes = getattr(model, "classes_", None)
    return str(classes[1]) if classes is not None and len(classes) == 2 else ""


def _references(coded: Coded) -> dict[int, int]:
    """Coded place of a level of a category -> place of the commonest level of that category, its reference."""
    found, at = {}, 0
    for name, kind in coded.coder.kinds_.items():
        names = coded.coder.names_of(name)
        if kind == Kind.CATEGORY:
            levels = len(coded.coder.levels_[name])
            sums = coded.X_train[:, at : at + levels].sum(axis=0)
            if levels:
                base = at + int(np.argmax(sums))
                found.update(dict.fromkeys(range(at, at + levels), base))
        at += len(names)
    return found


def _bootstrap(
    model: Any, coded: Coded, rng: np.random.Generator, jobs: int, deadline: Deadline, shape: tuple[int, ...]
) -> list[np.ndarray]:
    X, y, weight = coded.X_train, coded.division.y_train, coded.w_train
    count = int(min(BOOTSTRAP_CELLS // max(X.size, 1), BOOTSTRAPS))
    if count < FEWEST_BOOTSTRAPS:
        return []
    seeds = rng.integers(2**32, size=count).tolist()
    tasks = [partial(_refit, model, X, y, weight, seed, shape) for seed in seeds]
    found = run_tasks(tasks, jobs, deadline)
    kept = [one for one in found if one is not None]
    return kept if len(kept) >= FEWEST_BOOTSTRAPS else []


def _refit(
    model: Any, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, seed: int, shape: tuple[int, ...]
) -> np.ndarray | None:
    rows = np.random.default_rng(seed).integers(len(y), size=len(y))
    try:
        with uncertified():
            again = fit(model, {}, X[rows], y[rows], None if weight is None else weight[rows])
    except Exception:
        return None  # a resample without some class, say: one draw fewer
    return np.atleast_2d(again.coef_) if np.shape(again.coef_) == shape else None


def operating(y: np.ndarray, output: Output, costs: Costs | None) -> Operating | None:
    """Rates at every threshold, of two classes with probabilities; thinned to a readable number of points."""
    if output.probability is None or output.classes is None or len(output.classes) != 2:
        return None
    positive = rarer(y, output.classes)
    column = list(output.classes).index(positive)
    scores = output.probability[:, column]
    truth = y == positive
    if not 1 < truth.sum() < len(y) - 1:
        return None
    order = np.argsort(-scores, kind="stable")
    last = np.flatnonzero(np.diff(scores[order], append=np.nan) != 0)
    hits, alarms = np.cumsum(truth[order])[last], np.cumsum(~truth[order])[last]
    chosen = 0.5
    cost = np.empty(0)
    if costs is not None:
        i, m, limit = list(costs.levels).index(positive), costs.matrix, costs.threshold
        assert limit is not None
        chosen = limit if i == 1 else 1 - limit
        missed, quiet = truth.sum() - hits, (~truth).sum() - alarms
        cost = (hits * m[i, i] + missed * m[i, 1 - i] + alarms * m[1 - i, i] + quiet * m[1 - i, 1 - i]) / len(y)
    kept = _telling(scores[order][last], hits, chosen)
    figures = ranking_figures(truth, scores)
    precision = average_precision(truth, scores)
    return Operating(
        positive,
        scores[order][last][kept].tolist(),
        (alarms[kept] / (~truth).sum()).tolist(),
        (hits[kept] / truth.sum()).tolist(),
        (hits[kept] / (last[kept] + 1)).tolist(),
        cost[kept].tolist() if len(cost) else [],
        chosen,
        figures["AUC"],
        figures.get("average precision", Interval(precision, precision, precision, LEVEL, "no interval")),
        float(truth.mean()),
    )


def _telling(thresholds: np.ndarray, hits: np.ndarray, chosen: float) -> np.ndarray:
    """Places of the thresholds to show: evenly over all, the corners evenly over the hits, and the one in use.

    Of a rare class nearly all thresholds lie between two hits: evenly spaced ones alone would miss the curve.
    """
    evenly = np.linspace(0, len(hits) - 1, MOST_THRESHOLDS).round().astype(int)
    reached = np.searchsorted(hits, np.unique(np.linspace(1, hits[-1], MOST_THRESHOLDS).round()))
    in_use = np.count_nonzero(thresholds >= chosen) - 1
    return np.unique(np.clip(np.concatenate([evenly, reached, reached - 1, [in_use]]), 0, len(hits) - 1))


def more_rows(sizes: Sequence[int], means: Sequence[float], show: Callable[[float], str]) -> str:
    """What twice the rows would do, if the loss goes on as a + b/√n, fitted to the curve by least squares.

    >>> more_rows([25, 100, 400], [0.4, 0.3, 0.25], lambda loss: f"{loss:.3f}")
    'If the loss goes on falling like 1/√n, twice the rows would bring it from 0.250 to about 0.235.'
    """
    if len(sizes) < 3:
        return ""
    design = np.column_stack([np.ones(len(sizes)), 1 / np.sqrt(sizes)])
    (_, b), *_ = np.linalg.lstsq(design, np.asarray(means), rcond=None)
    if b <= 0:
        return "The loss no longer falls with the rows: more of them would not help this learner."
    now = means[-1]
    then = max(now - b * (1 / np.sqrt(sizes[-1]) - 1 / np.sqrt(2 * sizes[-1])), 0.0)
    return (
        f"If the loss goes on falling like 1/√n, twice the rows would bring it from {show(now)} to about {show(then)}."
    )
