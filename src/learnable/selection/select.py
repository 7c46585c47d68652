"""Several selection criteria side by side on the same candidates, and where they disagree."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from learnable.plain import json_value
from learnable.selection._inputs import (
    Loss,
    named_candidates,
    require_count,
    require_rows,
    require_vector,
    resolve_loss,
)
from learnable.selection._report import Reported, Table, with_error
from learnable.selection.criteria import CRITERIA, Column, Panel


@dataclass(frozen=True, repr=False, eq=False)
class Selection(Reported):
    """What each criterion says about each candidate.

    Attributes
    ----------
    names : the candidates.
    columns : one `Column` a criterion, with values, paired differences from the best and their standard errors.
    candidates : the estimators, unfitted, as given.
    """

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    candidates: tuple[BaseEstimator, ...]

    def __getitem__(self, criterion: str) -> Column:
        for column in self.columns:
            if column.name == criterion:
                return column
        raise KeyError(f"{criterion!r}: this selection ran {[column.name for column in self.columns]}")

    @property
    def choices(self) -> dict[str, str]:
        """Criterion -> the candidate it chooses."""
        return {column.name: self.names[column.best] for column in self.columns}

    @property
    def agree(self) -> bool:
        """Whether all criteria choose the same candidate."""
        return len(set(self.choices.values())) == 1

    @property
    def defensible(self) -> tuple[str, ...]:
        """Candidates within one standard error of the best under every criterion: no criterion speaks against them."""
        return tuple(name for k, name in enumerate(self.names) if all(k in column.close() for column in self.columns))

    def disagreements(self) -> list[str]:
        """If the criteria differ, one sentence each: its choice, and how far above it the others' choices lie."""
        if self.agree:
            return []
        chosen = sorted({column.best for column in self.columns})
        return [
            f"{column.name} takes {self.names[column.best]}; "
            + ", ".join(f"{self.names[k]} is {_gap(column, k)} above it" for k in chosen if k != column.best)
            for column in self.columns
        ]

    def best_estimator(self, criterion: str) -> BaseEstimator:
        """A fresh, unfitted clone of what `criterion` chose; fit it on all the data."""
        return clone(self.candidates[self[criterion].best])

    def table(self) -> Table:
        header = ["candidate", *(column.name for column in self.columns)]
        rows = [[name, *(_cell(column, k) for column in self.columns)] for k, name in enumerate(self.names)]
        if self.agree:
            verdict = [f"all criteria choose {self.names[self.columns[0].best]}"]
        else:
            verdict = ["the criteria disagree:", *(f"  {sentence}" for sentence in self.disagreements())]
        defensible = ", ".join(self.defensible) or "none"
        verdict.append(f"within one standard error of the best by every criterion: {defensible}")
        legend = "value ± its standard error (difference from the best ± its own, paired); * least; less is better"
        notes = [note for column in self.columns for note in column.notes]
        return Table("Model selection", header, rows, [legend, *verdict, *notes])

    def to_json(self) -> str:
        """Values, differences, errors and choices of every criterion."""
        columns = {
            c.name: {
                "values": c.values,
                "value_errors": c.value_errors,
                "differences": c.differences,
                "errors": c.errors,
                "notes": c.notes,
            }
            for c in self.columns
        }
        content = {
            "candidates": self.names,
            "criteria": columns,
            "choices": self.choices,
            "agree": self.agree,
            "disagreements": self.disagreements(),
            "defensible": self.defensible,
        }
        return json.dumps(json_value(content), ensure_ascii=False)


def _gap(column: Column, k: int) -> str:
    difference, error = column.differences[k], column.errors[k]
    return f"{difference:.3g} ± {error:.2g}" if isfinite(difference) else "infinitely far"


def _cell(column: Column, k: int) -> str:
    value = with_error(column.values[k], column.value_errors[k])
    if k == column.best:
        return f"{value} *"
    return f"{value} (+{_gap(column, k)})" if isfinite(column.values[k]) else value


def select(
    candidates: Mapping[str, BaseEstimator] | Sequence[BaseEstimator],
    X: Any,
    y: ArrayLike,
    *,
    criteria: Sequence[str] = ("cv", "bootstrap_632plus", "aic", "bic"),
    loss: str | Loss | None = None,
    cv: int | Any = 5,
    groups: ArrayLike | None = None,
    repeats: int = 50,
    df_repeats: int = 50,
    degrees_of_freedom: Mapping[str, float] | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> Selection:
    """Judge candidates by several criteria on the same folds and resamples, and show where the criteria disagree.

    Syllabus: MS7, MS11, MS12, MS14, MS15, E5, E10.

    Parameters
    ----------
    candidates : estimators by name, or a sequence of them; all classifiers or all regressors.
    X, y : the sample.
    criteria : among "cv", "loo", "bootstrap" (leave-one-out bootstrap), "bootstrap_632", "bootstrap_632plus", "aic",
        "bic", "cp" (regression only).
    loss : of cross-validation and bootstrap; by default 0-1 for classifiers and squared for regressors.
    cv : number of folds or a scikit-learn splitter whose test folds partition the sample.
    groups : handed to the splitter.
    repeats : bootstrap samples.
    df_repeats : draws for the Monte Carlo degrees of freedom that AIC, BIC and Cp need.
    degrees_of_freedom : known values by candidate name (of the mean, or of the class law), used in place of those.
    n_jobs : parallel fits; the answer does not depend on it.
    random_state : seed.

    Returns
    -------
    Selection

    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.dummy import DummyRegressor
    >>> x = np.linspace(0, 1, 40)[:, None]
    >>> y = 2 * x[:, 0] + 0.1 * np.sin(40 * x[:, 0])
    >>> df = {"mean": 1, "line": 2}
    >>> chosen = select({"mean": DummyRegressor(), "line": LinearRegression()}, x, y, degrees_of_freedom=df)
    >>> chosen.choices
    {'cv': 'line', 'bootstrap_632plus': 'line', 'aic': 'line', 'bic': 'line'}
    """
    named = named_candidates(candidates)
    X, y = require_rows(X, y)
    first = next(iter(named.values()))
    unknown = [criterion for criterion in criteria if criterion not in CRITERIA]
    if unknown or not criteria or len(set(criteria)) < len(criteria):
        raise ValueError(f"criteria={tuple(criteria)}: must be distinct names, at least one, of {sorted(CRITERIA)}")
    known = dict(degrees_of_freedom or {})
    strangers = set(known) - set(named)
    if strangers:
        raise ValueError(f"degrees_of_freedom: {sorted(strangers)[0]!r} is no candidate; the names are {list(named)}")
    panel = Panel(
        candidates=named,
        X=X,
        y=y,
        loss=resolve_loss(loss, first),
        cv=cv,
        groups=groups,
        repeats=require_count("repeats", repeats),
        df_repeats=require_count("df_repeats", df_repeats, least=2),
        known_df=dict(zip(known, require_vector("degrees_of_freedom", list(known.values())))) if known else {},
        n_jobs=n_jobs,
        seed=require_count("random_state", random_state, least=0),
    )
    return Selection(tuple(named), tuple(CRITERIA[name](panel) for name in criteria), tuple(named.values()))
