"""The comparison of learners on the same folds of one data set."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.evaluation.corrected_t import PairedTests, corrected_mean, paired_tests, variance_factor
from learnable.evaluation.groups import indistinguishable_groups
from learnable.evaluation.interval import Interval
from learnable.evaluation.multiple import holm
from learnable.evaluation.paired_t import finite_scores
from learnable.evaluation.report_tables import group_letters, p_text, text_table
from learnable.evaluation.score_table import read_scores
from learnable.plain import json_value
from learnable.tables import html_table


class Pair(NamedTuple):
    """Two learners on the same folds; `first` ranks at or above `second`.

    Attributes
    ----------
    first, second : names.
    tests : naive and corrected t-test of score of first - score of second, with the caveat.
    p_adjusted : corrected p-value after Holm's adjustment over all pairs.
    different : whether p_adjusted <= alpha.
    """

    first: str
    second: str
    tests: PairedTests
    p_adjusted: float
    different: bool

    @property
    def difference(self) -> Interval:
        """Score of first - score of second with the corrected interval (not adjusted for many pairs)."""
        return self.tests.corrected.difference


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Scores of several learners on the same folds, with what can be said about their differences.

    Made by `compare` or, from scores that are already there, by `Comparison.from_scores`. Syllabus: E6, E7, MS7.

    Attributes
    ----------
    names : of the learners, in the order given.
    scores : one row per fold, one column per learner.
    n_train, n_test : rows in each training and test fold.
    alpha : family-wise level of the pairwise tests; intervals have level 1 - alpha.
    metric : what the scores are, in words.
    greater_is_better : False for losses.
    bounds : range of the scores, such as (0, 1), to which their intervals are cut; None for no limit.
    fit_seconds, score_seconds : measured times, shaped like scores; None when the scores were given.
    """

    names: tuple[str, ...]
    scores: NDArray[np.float64]
    n_train: NDArray[np.int64]
    n_test: NDArray[np.int64]
    alpha: float = 0.05
    metric: str = "score"
    greater_is_better: bool = True
    bounds: tuple[float, float] | None = None
    fit_seconds: NDArray[np.float64] | None = None
    score_seconds: NDArray[np.float64] | None = None

    @classmethod
    def from_scores(
        cls,
        table: Any,
        n_train: ArrayLike,
        n_test: ArrayLike,
        *,
        names: Sequence[str] | None = None,
        alpha: float = 0.05,
        metric: str = "score",
        greater_is_better: bool = True,
        bounds: tuple[float, float] | None = None,
        fit_seconds: NDArray | None = None,
        score_seconds: NDArray | None = None,
    ) -> "Comparison":
        """Compare learners whose fold scores are known.

        Parameters
        ----------
        table : mapping name -> fold scores, data frame with a column per learner, or matrix folds × learners.
        n_train, n_test : rows in a training and a test fold: one number, or one per fold.
        names : of the columns of a matrix.
        alpha, metric, greater_is_better, bounds, fit_seconds, score_seconds : see the attributes.

        >>> folds = {"tree": [0.90, 0.93, 0.88, 0.91], "stump": [0.70, 0.66, 0.71, 0.69]}
        >>> Comparison.from_scores(folds, n_train=300, n_test=100).groups
        (('tree',), ('stump',))
        """
        if not 0 < alpha < 1:
            raise ValueError(f"Comparison(alpha={alpha}): alpha must lie strictly between 0 and 1")
        found, scores, _ = read_scores("Comparison", table, names)
        for name, column in zip(found, scores.T):
            finite_scores("Comparison", repr(name), column)
        variance_factor("Comparison", len(scores), n_train, n_test)
        folds = (len(scores),)
        train, test = (np.broadcast_to(np.asarray(rows, dtype=int), folds) for rows in (n_train, n_test))
        return cls(found, scores, train, test, alpha, metric, greater_is_better, bounds, fit_seconds, score_seconds)

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """Names from the best mean score to the worst; equal means in the order given."""
        return tuple(self.names[j] for j in self._order)

    @cached_property
    def means(self) -> dict[str, Interval]:
        """Mean score of every learner with the corrected interval, best first."""
        return {
            self.names[j]: corrected_mean(
                self.scores[:, j],
                n_train=self.n_train,
                n_test=self.n_test,
                level=1 - self.alpha,
                bounds=self.bounds,
                name=self.names[j],
            )
            for j in self._order
        }

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair, better learner first, with Holm-adjusted p-values."""
        rows, columns = np.triu_indices(len(self.names), 1)
        tests = [
            paired_tests(
                self.scores[:, self._order[i]],
                self.scores[:, self._order[j]],
                n_train=self.n_train,
                n_test=self.n_test,
                level=1 - self.alpha,
            )
            for i, j in zip(rows, columns)
        ]
        adjusted = holm([test.corrected.p_value for test in tests])
        return tuple(
            Pair(self.ranking[i], self.ranking[j], test, float(p), bool(p <= self.alpha))
            for i, j, test, p in zip(rows, columns, tests, adjusted)
        )

    def pair(self, first: str, second: str) -> Pair:
        """The pair of two learners, whichever ranks first."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second}:
                return pair
        raise ValueError(f"Comparison.pair({first!r}, {second!r}): no such pair; the learners are {self.names}")

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Maximal runs of the ranking in which no pair differs; they may overlap (see `indistinguishable_groups`)."""
        return tuple(tuple(self.ranking[i] for i in run) for run in self._runs)

    @property
    def caveat(self) -> str:
        """What the numbers do not say."""
        note = (
            "A shared letter means that these folds do not tell the learners apart, not that they are equal. "
            "Tests are corrected for the overlap of the training folds (Nadeau and Bengio) and for the number of "
            "pairs (Holm); intervals are corrected for the overlap only."
        )
        equal = [f"{pair.first} and {pair.second}" for pair in self.pairs if pair.tests.corrected.degenerate]
        if equal:
            note += f" Same difference on every fold, so no variance to test with: {'; '.join(equal)}."
        return note

    def to_text(self) -> str:
        """The ranking and the pairs as plain text."""
        parts = [self._title, text_table(*self._ranking_table)]
        if self.pairs:
            parts.append(text_table(*self._pair_table))
        return "\n\n".join([*parts, self.caveat])

    def to_html(self) -> str:
        """The same as HTML; names are escaped."""
        from html import escape

        parts = [html_table(*self._ranking_table, self._title)]
        if self.pairs:
            parts.append(html_table(*self._pair_table, "Every pair, corrected t-test, Holm-adjusted"))
        return "<div>" + "".join(parts) + f"<p>{escape(self.caveat)}</p></div>"

    def to_dict(self) -> dict[str, Any]:
        """Plain containers and numbers, ready for JSON."""
        return json_value(
            {
                "metric": self.metric,
                "greater_is_better": self.greater_is_better,
                "alpha": self.alpha,
                "n_train": self.n_train,
                "n_test": self.n_test,
                "ranking": self.ranking,
                "scores": dict(zip(self.names, self.scores.T)),
                "means": {name: interval._asdict() for name, interval in self.means.items()},
                "pairs": [
                    {
                        "first": pair.first,
                        "second": pair.second,
                        "difference": pair.difference._asdict(),
                        "t": pair.tests.corrected.statistic,
                        "df": pair.tests.corrected.df,
                        "p_naive": pair.tests.naive.p_value,
                        "p_corrected": pair.tests.corrected.p_value,
                        "p_adjusted": pair.p_adjusted,
                        "different": pair.different,
                        "degenerate": pair.tests.corrected.degenerate,
                    }
                    for pair in self.pairs
                ],
                "groups": self.groups,
                "caveat": self.caveat,
            }
        )

    def to_json(self, indent: int | None = None) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        means = self.scores.mean(axis=0)
        return np.argsort(-means if self.greater_is_better else means, kind="stable")

    @cached_property
    def _runs(self) -> tuple[tuple[int, ...], ...]:
        place = {name: i for i, name in enumerate(self.ranking)}
        separated = np.zeros((len(place), len(place)), dtype=bool)
        for pair in self.pairs:
            i, j = place[pair.first], place[pair.second]
            separated[i, j] = separated[j, i] = pair.different
        return indistinguishable_groups(separated)

    @property
    def _title(self) -> str:
        better = "greater" if self.greater_is_better else "smaller"
        return (
            f"{len(self.names)} learner(s) on the same {len(self.scores)} folds "
            f"(about {self.n_train.mean():.0f} rows to train, {self.n_test.mean():.0f} to test); "
            f"{self.metric}, {better} is better"
        )

    @property
    def _ranking_table(self) -> tuple[list[str], list[list[str]]]:
        header = ["learner", f"mean {self.metric} [{1 - self.alpha:.0%} interval]", "group"]
        rows = [
            [name, str(interval), group_letters(i, self._runs)] for i, (name, interval) in enumerate(self.means.items())
        ]
        return header, rows

    @property
    def _pair_table(self) -> tuple[list[str], list[list[str]]]:
        header = [
            "pair",
            f"difference [{1 - self.alpha:.0%} interval]",
            "p naive",
            "p corrected",
            "p Holm",
            "different",
        ]
        rows = [
            [
                f"{pair.first} - {pair.second}",
                str(pair.difference),
                p_text(pair.tests.naive.p_value),
                p_text(pair.tests.corrected.p_value),
                p_text(pair.p_adjusted),
                "yes" if pair.different else "no",
            ]
            for pair in self.pairs
        ]
        return header, rows
