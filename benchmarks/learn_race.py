"""`learnable learn` judged on held-out rows: is its choice right, and how does it fare against others' choices?

    python -m benchmarks.learn_race                                  # every table, 1 split
    python -m benchmarks.learn_race --tables loans iris --splits 3 --rows 2000
    python -m benchmarks.learn_race --folder DIR                     # also the CSV files that learn_tables.py names
    python -m benchmarks.learn_race --keep FILE                      # add to the lines kept there, print them all
    python -m benchmarks.learn_race --autogluon FOLDER/bin/python    # races AutoGluon too; see rival_autogluon.py

Each table is divided at random, 70% to learn from and 30% to be judged on. The rivals see the same coded features as
we do: LogisticRegressionCV or RidgeCV, HistGradientBoosting, LightGBM's defaults, and FLAML and AutoGluon with the
wall-clock time that ours took (from 5 s up to `--most-seconds`), where they are installed; `--path DIR` looks for them
there too. All may use `--jobs` processors. Ours is the model of `--refit`, which has learned from all of these 70% as
theirs have.

The choice: whether the verdict is right ("useless" of a table where the best of all beats guessing on the held-out
rows by two standard errors is false), the distance of the chosen learner, as it was judged, from the best one in
cross-validation and from the one that turns out best on the held-out rows, each in standard errors of the paired
difference. At most 1 and at most 2 are asked for; of 15 learners the best in hindsight is now and then ahead by more
than 2 by luck alone.

The race: log loss for classes, root mean squared error for numbers. A ratio above 1 means that we lose.
"""

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.learn_tables import Case, cases, known, subsample
from benchmarks.rival_autogluon import AutoGluon, interpreter

HELD_OUT = 0.3
LEAST = 1e-15
LEAST_BUDGET = 5.0
FLOOR = 1e-3
"""Losses below it are as good as none, and a ratio of two such says nothing."""
OURS, GUESS = "learnable", "guessing"


class Row(NamedTuple):
    """One table on one split.

    Attributes
    ----------
    losses, seconds : by contestant.
    chosen, verdict : of ours; useful : whether the best of all beats guessing by two standard errors on held-out rows.
    behind_cv, behind_test : standard errors by which the chosen learner is behind the best of its panel.
    best_test : that best one on the held-out rows.
    """

    name: str
    split: int
    measure: str
    losses: dict[str, float]
    seconds: dict[str, float]
    chosen: str
    verdict: str
    useful: bool
    behind_cv: float
    behind_test: float
    best_test: str

    @property
    def claimed(self) -> bool:
        return "beats guessing" in self.verdict or "seems to beat" in self.verdict


def rivals(classes: bool, seconds: float, jobs: int, autogluon: str | None) -> dict[str, Callable[[], Any]]:
    """Name -> unfitted estimator; `autogluon` is the interpreter that has it."""
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

        kind = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
        made["LightGBM"] = lambda: kind(verbose=-1, random_state=0, n_jobs=jobs)
    except ImportError:
        pass
    try:
        from flaml import AutoML

        asked = {"task": "classification", "metric": "log_loss"} if classes else {"task": "regression", "metric": "mse"}
        made["FLAML"] = lambda: AutoML(**asked, time_budget=seconds, n_jobs=jobs, seed=0, verbose=0)
    except ImportError:
        pass
    if autogluon is not None:
        made["AutoGluon"] = lambda: AutoGluon(autogluon, classes, seconds, jobs)
    return made


def row_losses(classes: bool, y: np.ndarray, model: Any, X: Any) -> np.ndarray:
    """Log loss, or squared error, of every row."""
    if not classes:
        return (y - np.asarray(model.predict(X), dtype=float)) ** 2
    shares = np.asarray(model.predict_proba(X))
    found = np.asarray(model.classes_).astype(str)
    place = np.minimum(np.searchsorted(found, y), len(found) - 1)
    own = np.where(found[place] == y, shares[np.arange(len(y)), place], 0.0)  # a class that training did not have
    return -np.log(np.maximum(own, LEAST))


@contextmanager
def whole_panel(fitted: dict[str, Any]) -> Iterator[None]:
    """Within it a run leaves every fitted learner in `fitted`, and skips the closer look that only a report needs."""
    from learnable.app.judging import concluding
    from learnable.app.trials.workers import Deadline

    conclude = concluding.conclude

    def kept(run: Any, done: Any, *rest: Any) -> Any:
        fitted.update({one.result.label: one.model for one in done if one.model is not None})
        return conclude(run._replace(deadline=Deadline(0.0)), done, *rest)

    concluding.conclude = kept  # type: ignore[assignment]
    try:
        yield
    finally:
        concluding.conclude = conclude


class Terms(NamedTuple):
    """What everybody is allowed, and the interpreter of AutoGluon.

    Attributes
    ----------
    time_limit : of `learnable.learn`; most_seconds : of the rivals that take a time.
    """

    time_limit: float | None = None
    most_seconds: float = np.inf
    jobs: int = 1
    autogluon: str | None = None

    def seconds(self, ours: float) -> float:
        """What a rival that takes a time is given."""
        return max(min(ours, self.most_seconds), LEAST_BUDGET)


def run(case: Case, split: int, terms: Terms) -> Row:
    """One table on one split."""
    import learnable
    from learnable.app.table.coding import fit_coder
    from learnable.app.trials.fitting import fit

    order = np.random.default_rng(split).permutation(known(case))
    cut = round(HELD_OUT * len(order))
    learned, judged = np.sort(order[cut:]), np.sort(order[:cut])
    train, test = case.table.take(learned), case.table.take(judged)
    panel: dict[str, Any] = {}
    start = time.perf_counter()
    with whole_panel(panel):
        ours = learnable.learn(
            train, target=case.target, seed=split, time_limit=terms.time_limit, drop=case.drop, jobs=terms.jobs
        )  # fmt: skip
    seconds = {OURS: time.perf_counter() - start}
    coder = ours.model.pipeline["code"]
    seen, unseen = (part.drop([name for name in part.names if name not in coder.kinds_]) for part in (train, test))
    targets = _targets(case)
    y, truth = targets[learned], targets[judged]
    X_unseen = coder.transform(unseen)
    by_learner = {label: row_losses(case.classes, truth, model, X_unseen) for label, model in panel.items()}
    reference = next(one.label for one in ours.result.learners if one.reference)
    start = time.perf_counter()
    every = fit_coder(seen)
    X, X_test = every.transform(seen), every.transform(unseen)
    refitted = fit(panel[ours.result.chosen], {}, X, y)
    seconds[OURS] += time.perf_counter() - start
    rows = {OURS: row_losses(case.classes, truth, refitted, X_test), GUESS: by_learner[reference]}
    made = rivals(case.classes, terms.seconds(seconds[OURS]), terms.jobs, terms.autogluon)
    for name, make in made.items():
        model = make()
        start = time.perf_counter()
        try:
            model.fit(X, y) if name != "FLAML" else model.fit(X_train=X, y_train=y)
            rows[name] = row_losses(case.classes, truth, model, X_test)
        except ValueError:
            continue  # RidgeCV takes no missing cells, LogisticRegressionCV no class with a single row
        finally:
            if isinstance(model, AutoGluon):
                model.close()
        seconds[name] = time.perf_counter() - start
    shown = (lambda found: float(found.mean())) if case.classes else (lambda found: float(np.sqrt(found.mean())))
    best_test = min(by_learner, key=lambda label: by_learner[label].mean())
    against = ours.result.comparison.with_best(ours.result.chosen) if ours.result.comparison else None
    return Row(
        case.name,
        split,
        "log loss" if case.classes else "RMSE",
        {name: shown(found) for name, found in rows.items()},
        seconds,
        ours.result.chosen,
        ours.verdict,
        bool(min(_errors_behind(found, rows[GUESS]) for name, found in rows.items() if name != GUESS) < -2),
        0.0 if against is None or not against.standard_error else against.difference.estimate / against.standard_error,
        _errors_behind(by_learner[ours.result.chosen], by_learner[best_test]),
        best_test,
    )


def _targets(case: Case) -> np.ndarray:
    """The target of every row, classes by their names; no matter what where it is not known."""
    from learnable.app.table.tasks import goal_of

    values = case.table.column(case.target)
    if not case.classes:
        return values.values.astype(float)
    goal = goal_of(values, "classification")
    found = np.full(case.table.n_rows, goal.y[0], dtype=goal.y.dtype)
    found[goal.known] = goal.y
    return found


def _errors_behind(mine: np.ndarray, other: np.ndarray) -> float:
    """Mean difference of the losses of the rows in standard errors; above 0 where the first is worse."""
    difference = mine - other
    error = float(np.std(difference, ddof=1)) / np.sqrt(len(difference))
    return float(difference.mean()) / error if error > 0 else 0.0


def choices(rows: list[Row], silent: set[str]) -> str:
    """The choice, table by table; `silent` are the tables with nothing to learn."""
    lines = [
        "| table | split | chosen | cross-validated: behind | held out: behind | best held out | verdict |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        wrong = row.claimed if row.name in silent else row.useful and not row.claimed
        verdict = ("beats guessing" if row.claimed else "not shown") + (" (FALSE)" if wrong else "")
        lines.append(
            f"| {row.name} | {row.split} | {row.chosen} | {row.behind_cv:.2f} | {row.behind_test:.2f} | "
            f"{row.best_test} | {verdict} |"
        )
    known_ = [row for row in rows if row.name not in silent]
    useless = [row.name for row in known_ if row.useful and not row.claimed]
    alarmed = [row.name for row in rows if row.name in silent and row.claimed]
    within_cv = np.mean([row.behind_cv <= 1 for row in rows])
    within_test = np.mean([row.behind_test <= 2 for row in rows])
    both = np.mean([row.behind_cv <= 1 and row.behind_test <= 2 for row in rows])
    lines += [
        "",
        f"False 'useless': {', '.join(useless) or 'none'}; false 'beats guessing': {', '.join(alarmed) or 'none'}. "
        f"Within 1 standard error in cross-validation: {within_cv:.0%}; within 2 on held-out rows: {within_test:.0%}; "
        f"both: {both:.0%} of {len(rows)} runs.",
    ]
    return "\n".join(lines)


def race(rows: list[Row]) -> str:
    """Our loss, then loss (ratio of ours to it, seconds) of every rival, and the ratio to the best of them."""
    others = list(dict.fromkeys(name for row in rows for name in row.losses if name not in (OURS, GUESS)))
    lines = [
        f"| table | measure | guessing | learnable (s) | {' | '.join(f'{name}: loss, ratio (s)' for name in others)}"
        " | to best |",
        f"| --- | --- | --- | --- | {' | '.join('---' for _ in others)} | --- |",
    ]
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        by_name.setdefault(row.name, []).append(row)
    ratios: dict[str, dict[str, float]] = {}
    for name, group in by_name.items():
        present = [other for other in others if all(other in row.losses for row in group)]
        losses = {other: float(np.mean([row.losses[other] for row in group])) for other in (OURS, GUESS, *present)}
        seconds = {other: float(np.mean([row.seconds[other] for row in group])) for other in (OURS, *present)}
        ratios[name] = {other: max(losses[OURS], FLOOR) / max(losses[other], FLOOR) for other in present}
        cells = [
            f"{losses[other]:.4g}, {ratios[name][other]:.3f} ({seconds[other]:.1f})" if other in losses else "–"
            for other in others
        ]
        own = f"{losses[OURS]:.4g} ({seconds[OURS]:.1f})"
        lines.append(
            f"| {name} | {group[0].measure} | {losses[GUESS]:.4g} | {own} | {' | '.join(cells)} | "
            f"{max(ratios[name].values()):.3f} |"
        )
    lines.append("")
    for other in others:
        found = [ratio[other] for ratio in ratios.values() if other in ratio]
        lost = sum(ratio > 1.02 for ratio in found)
        won = sum(ratio < 1 / 1.02 for ratio in found)
        lines.append(
            f"Against {other}: geometric mean {np.exp(np.mean(np.log(found))):.3f}; better by more than 2% on {won}, "
            f"worse on {lost} of {len(found)}."
        )
    lost_to_best = [name for name, ratio in ratios.items() if max(ratio.values()) > 1.02]
    lines.append(f"Worse than the best rival by more than 2%: {', '.join(lost_to_best) or 'none'}.")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="*", default=None)
    parser.add_argument("--folder", type=Path, default=None, help="where further CSV files lie")
    parser.add_argument("--path", type=Path, default=None, help="a folder that rivals may be imported from")
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--rows", type=int, default=None, help="at most so many rows of a table")
    parser.add_argument("--time-limit", type=float, default=None, help="seconds for each run of learnable.learn")
    parser.add_argument("--most-seconds", type=float, default=np.inf, help="of FLAML and of AutoGluon")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processors for everybody")
    parser.add_argument("--autogluon", default=None, metavar="PYTHON", help="an interpreter that has AutoGluon")
    parser.add_argument("--keep", type=Path, default=None, help="lines of JSON of runs before, and of these")
    asked = parser.parse_args()
    if asked.path is not None:
        sys.path.append(str(asked.path))
    every = cases(asked.folder)
    chosen = every if asked.tables is None else [case for name in asked.tables for case in every if case.name == name]
    if not chosen and asked.tables:
        raise SystemExit(f"no such table; known are {', '.join(case.name for case in every)}")
    for name in ("lightgbm", "flaml"):
        if find_spec(name) is None:
            print(f"{name} is not installed and does not race: pip install {name}")
    autogluon = interpreter(asked.autogluon)
    if autogluon is None:
        print("AutoGluon is not installed and does not race: see benchmarks/rival_autogluon.py, and --autogluon")
    terms = Terms(asked.time_limit, asked.most_seconds, asked.jobs, autogluon)
    rows = _kept(asked.keep)
    done = {(row.name, row.split) for row in rows}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in chosen:
            for split in range(asked.splits):
                if (case.name, split) in done:
                    continue
                rows.append(run(subsample(case, asked.rows), split, terms))
                print(f"{case.name}, split {split}: done", flush=True)
                if asked.keep is not None:
                    with asked.keep.open("a") as file:
                        file.write(json.dumps(rows[-1]._asdict()) + "\n")
    print(choices(rows, {case.name for case in every if not case.signal}))
    print()
    print(race(rows))


def _kept(path: Path | None) -> list[Row]:
    if path is None or not path.is_file():
        return []
    return [Row(**json.loads(line)) for line in path.read_text().splitlines()]


if __name__ == "__main__":
    main()
