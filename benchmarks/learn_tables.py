"""The tables that `learnable learn` is judged on: public ones where they can be had without a network, and made ones.

A folder of CSV files adds those of `IN_FOLDER` that lie in it under these names (ISLP, MASS, Ecdat and the pages of
*The Elements of Statistical Learning* have them).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from learnable.datasets import Table, entry, load, names, read_table

IN_FOLDER: dict[str, tuple[str, tuple[str, ...]]] = {
    "Hitters": ("Salary", ()),
    "Default": ("default", ()),
    "prostate": ("lpsa", ()),
    "SAheart": ("chd", ()),
    "titanic": ("survived", ("alive",)),  # the target in words
    "Insurance": ("Claims", ()),
    "Carseats": ("Sales", ()),
    "OJ": ("Purchase", ()),
    "Auto": ("mpg", ()),
    "Boston": ("medv", ()),
    "College": ("Outstate", ()),
    "Wage": ("wage", ("logwage",)),
    "Caravan": ("Purchase", ()),
    "birthwt": ("low", ("bwt",)),
    "Mroz": ("work", ("hoursw", "hearnw", "wagew")),  # known only of those who work
    "DoctorAUS": ("doctorco", ()),
}
FROM_STATSMODELS = {
    "affairs": ("fair", "affairs"),
    "election": ("anes96", "vote"),
    "spector": ("spector", "GRADE"),
    "health visits": ("randhie", "mdvis"),
    "travel modes": ("modechoice", "choice"),
    "heart transplants": ("heart", "survival"),
    "murder rates": ("statecrime", "murder"),
}
SEED = 5


class Case(NamedTuple):
    """A table, the column to predict, columns to leave out, and whether there is anything to learn."""

    name: str
    table: Table
    target: str
    drop: tuple[str, ...] = ()
    signal: bool = True

    @property
    def classes(self) -> bool:
        from learnable.app.table.tasks import infer_task

        return infer_task(self.table.column(self.target))[0] == "classification"


def cases(folder: Path | None = None) -> list[Case]:
    """Every table that can be had here."""
    found = [*_embedded(), *_of_statsmodels(), *_made()]
    if folder is not None:
        for name, (target, drop) in IN_FOLDER.items():
            if (folder / f"{name}.csv").is_file():
                found.append(Case(name, read_table(folder / f"{name}.csv"), target, drop))
    return found


def _embedded() -> Iterator[Case]:
    for name in names():
        if entry(name).target:
            yield Case(name, load(name), entry(name).target)


def _of_statsmodels() -> Iterator[Case]:
    try:
        from statsmodels import datasets
    except ImportError:
        return
    for name, (module, target) in FROM_STATSMODELS.items():
        yield Case(name, read_table(getattr(datasets, module).load_pandas().data), target)


def _made() -> Iterator[Case]:
    import pyarrow as pa

    for name, (make, target, signal) in {
        "dates": (_dates, "sales", True),
        "text": (_text, "mood", True),
        "missing cells": (_missing, "bought", True),
        "id and leak": (_leak, "churned", True),
        "1% fraud": (_fraud, "fraud", True),
        "30 classes": (_thirty, "kind", True),
        "counts": (_counts, "events", True),
        "noise": (_noise, "answer", False),
        "noisy number": (_noisy_number, "value", False),
        "50,000 rows": (_tall, "paid", True),
    }.items():
        yield Case(name, read_table(pa.table(make(np.random.default_rng(SEED)))), target, signal=signal)


def _dates(rng: np.random.Generator) -> dict:
    days = np.sort(rng.integers(0, 1095, 600))
    weekend = (days % 7) >= 5
    level = 50 + 0.02 * days + 8 * weekend + 5 * np.sin(2 * np.pi * days / 365) + 6 * rng.normal(size=600)
    return {"day": np.datetime64("2021-01-04") + days, "price": rng.uniform(1, 3, 600), "sales": level}


def _text(rng: np.random.Generator) -> dict:
    good, bad = ["fine", "lovely", "great", "helpful", "quick"], ["slow", "broken", "awful", "rude", "late"]
    filler = ["the", "and", "shop", "order", "today", "was", "with", "came", "parcel", "colour", "size", "again"]
    mood = rng.random(400) < 0.5
    lines = []
    for happy in mood:
        own = rng.choice(good if happy else bad, 1 + int(rng.random() < 0.5))
        stray = rng.choice(bad if happy else good, int(rng.random() < 0.25))
        words = np.concatenate([rng.choice(filler, 9), own, stray])
        lines.append(" ".join(rng.permutation(words)))
    return {"review": lines, "stars given": rng.integers(1, 6, 400), "mood": np.where(mood, "good", "bad")}


def _missing(rng: np.random.Generator) -> dict:
    X = rng.normal(size=(500, 6))
    bought = X[:, 0] + 0.7 * X[:, 1] + rng.logistic(size=500) > 0
    cells = {f"x{j}": [None if rng.random() < 0.3 else float(v) for v in X[:, j]] for j in range(6)}
    return {**cells, "bought": np.where(bought, "yes", "no")}


def _leak(rng: np.random.Generator) -> dict:
    churned = rng.random(600) < 0.3
    return {
        "customer": np.arange(10_000, 10_600),
        "age": rng.integers(18, 90, 600),
        "spent": rng.gamma(2, 50, 600) - 30 * churned,
        "refund after leaving": np.where(churned, rng.gamma(2, 10, 600), 0.0),
        "churned": np.where(churned, "yes", "no"),
    }


def _fraud(rng: np.random.Generator) -> dict:
    X = rng.normal(size=(8000, 8))
    odds = -6.6 + 1.4 * X[:, 0] + 1.2 * X[:, 1] * (X[:, 2] > 0)
    fraud = odds + rng.logistic(size=8000) > 0
    return {**{f"v{j}": X[:, j] for j in range(8)}, "fraud": np.where(fraud, "yes", "no")}


def _thirty(rng: np.random.Generator) -> dict:
    kind = rng.integers(0, 30, 1500)
    X = 2.0 * rng.normal(size=(30, 8))[kind] + rng.normal(size=(1500, 8))
    return {**{f"m{j}": X[:, j] for j in range(8)}, "kind": [f"kind {k:02d}" for k in kind]}


def _counts(rng: np.random.Generator) -> dict:
    X = rng.normal(size=(700, 5))
    place = rng.choice(["north", "south", "west"], 700)
    mean = np.exp(0.3 + 0.5 * X[:, 0] - 0.3 * X[:, 1] + 0.6 * (place == "south"))
    return {**{f"x{j}": X[:, j] for j in range(5)}, "place": place, "events": rng.poisson(mean)}


def _noise(rng: np.random.Generator) -> dict:
    X = rng.normal(size=(400, 8))
    return {**{f"x{j}": X[:, j] for j in range(8)}, "answer": rng.choice(["a", "b"], 400, p=[0.6, 0.4])}


def _noisy_number(rng: np.random.Generator) -> dict:
    X = rng.normal(size=(300, 8))
    return {**{f"x{j}": X[:, j] for j in range(8)}, "value": rng.normal(size=300)}


def _tall(rng: np.random.Generator) -> dict:
    X = rng.normal(size=(50_000, 20))
    paid = X[:, 0] - X[:, 1] + X[:, 2] * X[:, 3] + rng.logistic(size=50_000) > 0
    return {**{f"x{j}": X[:, j] for j in range(20)}, "paid": np.where(paid, "yes", "no")}


def subsample(case: Case, most: int | None) -> Case:
    """The case with at most so many rows, drawn at random; in time order where a column is a date."""
    if most is None or case.table.n_rows <= most:
        return case
    rows = np.random.default_rng(SEED).choice(case.table.n_rows, most, replace=False)
    return case._replace(table=case.table.take(np.sort(rows)))


def known(case: Case) -> np.ndarray:
    """Rows whose target is known."""
    return np.flatnonzero(~case.table.column(case.target).missing)
