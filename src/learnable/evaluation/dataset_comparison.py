"""The comparison of learners over many data sets."""

import json
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnable.evaluation.dunn import AgainstControl, against_control
from learnable.evaluation.friedman import Friedman, friedman
from learnable.evaluation.groups import indistinguishable_groups
from learnable.evaluation.multiple import holm
from learnable.evaluation.nemenyi import Nemenyi, nemenyi
from learnable.evaluation.report_tables import group_letters, p_text, text_table
from learnable.evaluation.sign_test import SignTest, sign_test
from learnable.evaluation.wilcoxon import Wilcoxon, wilcoxon
from learnable.plain import json_value
from learnable.tables import html_table


class RankedPair(NamedTuple):
    """Two learners over the data sets; `first` has the better average rank.

    Attributes
    ----------
    first, second : names.
    wilcoxon : signed-rank test of first - second.
    p_wilcoxon_holm : its p-value after Holm's adjustment over all pairs.
    sign : wins of first against second (by score, greater wins; losses are negated first).
    p_nemenyi : Nemenyi's p-value, adjusted for all pairs by construction.
    """

    first: str
    second: str
    wilcoxon: Wilcoxon
    p_wilcoxon_holm: float
    sign: SignTest
    p_nemenyi: float


@dataclass(frozen=True, eq=False, repr=False)
class DatasetComparison:
    """Ranks of several learners over many data sets; made by `compare_datasets`. Syllabus: E7.

    Attributes
    ----------
    names : learners. datasets : names of the rows.
    scores : data sets × learners.
    control : name of the control, or None.
    alpha : family-wise level.
    greater_is_better : False for losses.
    """

    names: tuple[str, ...]
    datasets: tuple[str, ...]
    scores: NDArray[np.float64]
    control: str | None = None
    alpha: float = 0.05
    greater_is_better: bool = True

    @cached_property
    def friedman(self) -> Friedman:
        """Friedman and Iman-Davenport tests of "no learner differs"."""
        return friedman(self.scores, greater_is_better=self.greater_is_better)

    @cached_property
    def average_ranks(self) -> dict[str, float]:
        """Average rank of every learner, best first."""
        return {self.names[j]: float(self.friedman.average_ranks[j]) for j in self._order}

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """Names from the best average rank to the worst."""
        return tuple(self.names[j] for j in self._order)

    @cached_property
    def nemenyi(self) -> Nemenyi:
        """Nemenyi's test; its p-value matrix is in the order of `names`."""
        return nemenyi(self.friedman.average_ranks, len(self.scores), alpha=self.alpha)

    @cached_property
    def against_control(self) -> AgainstControl | None:
        """Bonferroni-Dunn, Holm and Hochberg against the control; None without one."""
        if self.control is None:
            return None
        control = self.names.index(self.control)
        return against_control(self.friedman.average_ranks, len(self.scores), control=control, alpha=self.alpha)

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Maximal runs of the ranking within Nemenyi's critical difference; they may overlap."""
        return tuple(tuple(self.ranking[i] for i in run) for run in self._runs)

    @cached_property
    def pairs(self) -> tuple[RankedPair, ...]:
        """Every pair, better average rank first."""
        signed = self.scores if self.greater_is_better else -self.scores
        rows, columns = np.triu_indices(len(self.names), 1)
        couples = [(self._order[i], self._order[j]) for i, j in zip(rows, columns)]
        signed_ranks = [wilcoxon(signed[:, i], signed[:, j]) for i, j in couples]
        adjusted = holm([test.p_value for test in signed_ranks])
        return tuple(
            RankedPair(
                self.names[i],
                self.names[j],
                test,
                float(p),
                sign_test(signed[:, i], signed[:, j], level=1 - self.alpha),
                float(self.nemenyi.p_values[i, j]),
            )
            for (i, j), test, p in zip(couples, signed_ranks, adjusted)
        )

    @property
    def verdict(self) -> str:
        """What Iman and Davenport's test says, in a sentence."""
        test = self.friedman
        finding = "differ" if test.p_f <= self.alpha else "cannot be told apart"
        return (
            f"Over {test.n} data sets the {len(self.names)} learners {finding} as a whole: "
            f"Friedman chi2 = {test.chi2:.4g} (p {p_text(test.p_chi2)}), "
            f"Iman-Davenport F = {test.f:.4g} (p {p_text(test.p_f)}); "
            f"Nemenyi critical difference {self.nemenyi.critical_difference:.3f} at alpha = {self.alpha:g}. "
            "A shared letter means not told apart, not equal."
        )

    def to_text(self) -> str:
        """Ranks, comparisons with the control and pairs as plain text."""
        return "\n\n".join([self.verdict, *(text_table(header, rows) for _, header, rows in self._tables)])

    def to_html(self) -> str:
        """The same as HTML; names are escaped."""
        tables = "".join(html_table(header, rows, caption) for caption, header, rows in self._tables)
        return f"<div><p>{escape(self.verdict)}</p>{tables}</div>"

    def to_dict(self) -> dict[str, Any]:
        """Plain containers and numbers, ready for JSON."""
        control = self.against_control
        return json_value(
            {
                "datasets": self.datasets,
                "scores": dict(zip(self.names, self.scores.T)),
                "greater_is_better": self.greater_is_better,
                "alpha": self.alpha,
                "average_ranks": self.average_ranks,
                "friedman": {**self.friedman._asdict(), "average_ranks": self.average_ranks},
                "critical_difference": self.nemenyi.critical_difference,
                "groups": self.groups,
                "control": self.control,
                "against_control": None
                if control is None
                else {**control._asdict(), "control": self.control, "others": [self.names[j] for j in control.others]},
                "pairs": [
                    {**pair._asdict(), "wilcoxon": pair.wilcoxon._asdict(), "sign": pair.sign._asdict()}
                    for pair in self.pairs
                ],
                "verdict": self.verdict,
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
        return np.argsort(self.friedman.average_ranks, kind="stable")

    @cached_property
    def _runs(self) -> tuple[tuple[int, ...], ...]:
        ranks = self.friedman.average_ranks[self._order]
        return indistinguishable_groups(np.abs(ranks[:, None] - ranks) > self.nemenyi.critical_difference)

    @property
    def _tables(self) -> list[tuple[str, list[str], list[list[str]]]]:
        ranks = [
            [name, f"{rank:.3f}", group_letters(i, self._runs)]
            for i, (name, rank) in enumerate(self.average_ranks.items())
        ]
        tables = [("Average ranks, 1 is best", ["learner", "average rank", "group"], ranks)]
        control = self.against_control
        if control is not None:
            steps = [
                [self.names[j], f"{control.z[i]:.3f}"]
                + [p_text(p[i]) for p in (control.p_values, control.p_bonferroni, control.p_holm, control.p_hochberg)]
                for i, j in enumerate(control.others)
            ]
            header = [f"against {self.control}", "z", "p", "p Bonferroni-Dunn", "p Holm", "p Hochberg"]
            tables.append((f"Every learner against {self.control}", header, steps))
        pairs = [
            [
                f"{pair.first} - {pair.second}",
                f"{pair.sign.wins}/{pair.sign.ties}/{pair.sign.losses}",
                p_text(pair.sign.p_value),
                p_text(pair.wilcoxon.p_value),
                p_text(pair.p_wilcoxon_holm),
                p_text(pair.p_nemenyi),
            ]
            for pair in self.pairs
        ]
        header = ["pair", "wins/ties/losses", "p sign", "p Wilcoxon", "p Wilcoxon Holm", "p Nemenyi"]
        tables.append(("Every pair", header, pairs))
        return tables
