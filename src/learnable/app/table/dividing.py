"""From a question to rows with a part to play: training, test, tuning, and the folds of every round."""

from typing import NamedTuple

import numpy as np

from learnable.app.errors import UserError
from learnable.app.options import Options
from learnable.app.table.posing import Question
from learnable.app.table.splits import folds, forward, grouped, holdout, subsample

# Ten folds where each then has some rows; tuning reads a part of a table that is larger.
MOST_FOLDS = 10
ROWS_PER_FOLD = 4
TUNING_CELLS = 1_000_000
FEWEST_TUNING_ROWS = 1_000
FEWEST_HELD_OUT = 200
"""Below so many rows none are held out: nested cross-validation uses all of them for both purposes."""
TEST_SHARE = 0.2
FORWARD_FOLDS = 5


class Division(NamedTuple):
    """Which rows do what.

    Attributes
    ----------
    train, test : row numbers in the table, rising; no test rows when cross-validation is nested.
    y_train, y_test : the target on them.
    tuning : positions among `train` of the rows that the folds are made of.
    n_folds : folds of one round.
    how : "random", "grouped" or "forward in time".
    nested : whether settings are chosen anew inside every fold.
    seed : of the folds.
    """

    train: np.ndarray
    test: np.ndarray
    y_train: np.ndarray
    y_test: np.ndarray
    tuning: np.ndarray
    n_folds: int
    how: str
    nested: bool
    seed: int
    strata: np.ndarray
    times: np.ndarray | None
    groups: np.ndarray | None

    def deal(self, number: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """The folds of a round: positions among `tuning` to learn from, in random order, and to be judged on.

        Folds that go forward in time are the same in every round.
        """
        rng = np.random.default_rng([self.seed, 1, number])
        if self.times is not None:
            blocks = forward(self.times, self.n_folds)
            return [
                (rng.permutation(np.flatnonzero(blocks <= fold)), np.flatnonzero(blocks == fold + 1))
                for fold in range(self.n_folds)
            ]
        if self.groups is not None:
            dealt = grouped(self.groups, self.strata, self.n_folds, rng)
        else:
            dealt = folds(self.strata, self.n_folds, rng)
        return [
            (rng.permutation(np.flatnonzero(dealt != fold)), np.flatnonzero(dealt == fold))
            for fold in range(self.n_folds)
        ]


def divide(question: Question, options: Options) -> Division:
    """The division; UserError when a part would be too small."""
    goal = question.goal
    rng = np.random.default_rng(options.seed)
    rows = np.flatnonzero(goal.known)
    times = None if question.times is None else question.times[rows]
    groups = None if question.groups is None else question.groups[rows]
    nested = options.test_size is None and len(rows) < FEWEST_HELD_OUT and times is None
    held = np.zeros(len(rows), dtype=bool) if nested else _held_out(question, options, times, groups, rng)
    if not nested and (held.sum() < 2 or len(rows) - held.sum() < 2 * ROWS_PER_FOLD):
        raise UserError(
            f"--test-size {options.test_size or TEST_SHARE:g} divides {len(rows)} rows into {len(rows) - held.sum()} "
            f"for training and {held.sum()} for the test; at least {2 * ROWS_PER_FOLD} and 2 are needed"
        )
    train = rows[~held]
    y_train = goal.y[~held]
    if goal.task == "classification" and len(np.unique(y_train)) < len(goal.levels):
        raise UserError("some class has no row among those to learn from; leave out --time or --group, or add rows")
    most = max(FEWEST_TUNING_ROWS, TUNING_CELLS // max(len(question.features.columns), 1))
    tuning = subsample(goal.strata[~held], most, rng)
    if times is not None:
        n_folds, how = FORWARD_FOLDS, "forward in time"
    elif groups is not None:
        n_folds, how = min(MOST_FOLDS, len(np.unique(groups[~held][tuning]))), "grouped"
    else:
        n_folds, how = min(MOST_FOLDS, len(tuning) // ROWS_PER_FOLD), "random"
    return Division(
        train,
        rows[held],
        y_train,
        goal.y[held],
        tuning,
        n_folds,
        how,
        nested,
        options.seed,
        goal.strata[~held][tuning],
        None if times is None else times[~held][tuning],
        None if groups is None else groups[~held][tuning],
    )


def remarks(division: Division) -> list[str]:
    """What the user should know of it."""
    said = []
    if len(division.tuning) < len(division.train):
        said.append(
            f"tuning and comparison use {len(division.tuning)} random rows of the {len(division.train)} training rows "
            f"(at most {TUNING_CELLS:,} cells); the final fits use all of them"
        )
    return said


def _held_out(
    question: Question, options: Options, times: np.ndarray | None, groups: np.ndarray | None, rng: np.random.Generator
) -> np.ndarray:
    share = TEST_SHARE if options.test_size is None else options.test_size
    strata = question.goal.strata
    if times is not None:  # the latest rows
        return times > np.quantile(times, 1 - share, method="lower")
    if groups is not None:
        parts = max(round(1 / share), 2)
        return grouped(groups, strata, parts, rng) == 0
    return holdout(strata, share, rng)
