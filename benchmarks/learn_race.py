"""`learnable.learn` against scikit-learn's own choices on held-out rows: losses, and ours divided by theirs.

    python -m benchmarks.learn_race                    # every table, 3 splits
    python -m benchmarks.learn_race --tables loans iris --splits 1 --time-limit 20

Each table is divided at random, 70% to learn from and 30% to be judged on, several times. The loss is log loss for
classes and root mean squared error for numbers, on the rows that were held out. A ratio above 1 means that we lose.
The rivals see the same coded features as we do: LogisticRegressionCV or RidgeCV, HistGradientBoosting, and LightGBM's
defaults where it is installed.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from learnable.datasets import Column, Kind, Table, entry, load, names, read_table

HELD_OUT = 0.3
LEAST = 1e-15


class Case(NamedTuple):
    """A table and the column to predict."""

    name: str
    table: Table
    target: str

    @property
    def classes(self) -> bool:
        return self.table.column(self.target).kind is not Kind.NUMBER


class Row(NamedTuple):
    """Mean losses over the splits, and mean seconds, by contestant."""

    name: str
    measure: str
    losses: dict[str, float]
    seconds: dict[str, float]


def cases() -> list[Case]:
    """The embedded tables, and those of scikit-learn that need no network."""
    from sklearn import datasets

    found = [Case(name, load(name), entry(name).target) for name in names()]
    found = [one for one in found if one.target]
    for name in sorted({"iris", "wine", "breast_cancer", "digits", "diabetes"} - set(names())):
        data = getattr(datasets, f"load_{name}")(as_frame=True)
        table = read_table(data.frame)
        if name != "diabetes":
            words = np.array([f"class {value:.0f}" for value in table.column("target").values], dtype=object)
            target = Column("target", Kind.CATEGORY, words, tuple(sorted(set(words))))
            table = Table((*table.drop("target").columns, target), table.n_rows, name)
        found.append(Case(name, table, "target"))
    return found


def rivals(classes: bool) -> dict[str, Callable[[], Any]]:
    """Name -> unfitted estimator."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.linear_model import LogisticRegressionCV, RidgeCV

    made: dict[str, Callable[[], Any]] = (
        {
            "LogisticRegressionCV": lambda: LogisticRegressionCV(Cs=10, max_iter=2000, scoring="neg_log_loss"),
            "HistGradientBoosting": lambda: HistGradientBoostingClassifier(random_state=0),
        }
        if classes
        else {
            "RidgeCV": lambda: RidgeCV(alphas=np.logspace(-3, 4, 30)),
            "HistGradientBoosting": lambda: HistGradientBoostingRegressor(random_state=0),
        }
    )
    try:
        import lightgbm
    except ImportError:
        return made
    kind = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
    return {**made, "LightGBM": lambda: kind(verbose=-1, random_state=0)}


def loss_of(case: Case, y: np.ndarray, model: Any, X: Any) -> float:
    """Log loss, or root mean squared error."""
    if not case.classes:
        return float(np.sqrt(np.mean((y - model.predict(X)) ** 2)))
    shares = model.predict_proba(X)
    own = shares[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    return float(-np.mean(np.log(np.maximum(own, LEAST))))


def run(case: Case, splits: int, time_limit: float | None) -> Row:
    """One line of the table."""
    import learnable
    from learnable.features import TableCoder

    known = np.flatnonzero(~case.table.column(case.target).missing)
    losses: dict[str, list[float]] = {}
    seconds: dict[str, list[float]] = {}
    for split in range(splits):
        order = np.random.default_rng(split).permutation(known)
        cut = round(HELD_OUT * len(order))
        train, test = case.table.take(np.sort(order[cut:])), case.table.take(np.sort(order[:cut]))
        y, truth = (part.column(case.target).values for part in (train, test))
        if case.classes:
            y, truth = y.astype(str), truth.astype(str)
        start = time.perf_counter()
        ours = learnable.learn(train, target=case.target, seed=split, time_limit=time_limit).model
        seconds.setdefault("learnable", []).append(time.perf_counter() - start)
        losses.setdefault("learnable", []).append(loss_of(case, truth, ours, test))
        coder = TableCoder().fit(train.drop(case.target))
        X, X_test = coder.transform(train.drop(case.target)), coder.transform(test.drop(case.target))
        for name, make in rivals(case.classes).items():
            start = time.perf_counter()
            model = make().fit(X, y)
            seconds.setdefault(name, []).append(time.perf_counter() - start)
            losses.setdefault(name, []).append(loss_of(case, truth, model, X_test))
    return Row(
        case.name,
        "log loss" if case.classes else "RMSE",
        {name: float(np.mean(found)) for name, found in losses.items()},
        {name: float(np.mean(found)) for name, found in seconds.items()},
    )


def text(rows: list[Row]) -> str:
    """A table in Markdown: our loss, then loss (ratio of ours to it, seconds) of every rival, and the worst ratio."""
    others = list(dict.fromkeys(name for row in rows for name in row.losses if name != "learnable"))
    lines = [
        f"| table | measure | learnable (s) | {' | '.join(f'{name}: loss, ratio (s)' for name in others)} | to best |",
        f"| --- | --- | --- | {' | '.join('---' for _ in others)} | --- |",
    ]
    for row in rows:
        mine = row.losses["learnable"]
        cells = [
            f"{row.losses[name]:.4g}, {mine / row.losses[name]:.3f} ({row.seconds[name]:.1f})"
            if name in row.losses
            else "–"
            for name in others
        ]
        best = min(loss for name, loss in row.losses.items() if name != "learnable")
        own = f"{mine:.4g} ({row.seconds['learnable']:.1f})"
        lines.append(f"| {row.name} | {row.measure} | {own} | {' | '.join(cells)} | {mine / best:.3f} |")
    ratios = [row.losses["learnable"] / min(v for k, v in row.losses.items() if k != "learnable") for row in rows]
    lost = [row.name for row, ratio in zip(rows, ratios) if ratio > 1.02]
    lines.append("")
    lines.append(
        f"To the best rival of each table: geometric mean {np.exp(np.mean(np.log(ratios))):.3f}; "
        f"lost by more than 2% on {len(lost)} of {len(rows)}{': ' + ', '.join(lost) if lost else ''}."
    )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="*", default=None)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--time-limit", type=float, default=None, help="seconds for each run of learnable.learn")
    asked = parser.parse_args()
    chosen = [case for case in cases() if asked.tables is None or case.name in asked.tables]
    if not chosen:
        raise SystemExit(f"no such table; known are {', '.join(case.name for case in cases())}")
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in chosen:
            rows.append(run(case, asked.splits, asked.time_limit))
            print(f"{case.name}: done", flush=True)
    print(text(rows))


if __name__ == "__main__":
    main()
