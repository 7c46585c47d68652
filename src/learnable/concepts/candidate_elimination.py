"""Candidate elimination."""

from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.concepts.attributes import Attributes
from learnable.concepts.concept_learner import ConceptLearner, Examples
from learnable.concepts.conjunction import count_conjunctions, covered
from learnable.concepts.elimination import EliminationState, eliminated, visiting_order
from learnable.concepts.find_s import generalised
from learnable.concepts.version_space import VersionSpace
from learnable.concepts.witness import witness_rows
from learnable.plain import plain
from learnable.trace import Status, to_the_end


class Verdict(NamedTuple):
    """What a version space says about some rows.

    Attributes
    ----------
    labels : array of the labels, None where the row is rejected.
    share : share of the hypotheses that put the row inside the concept.
    unanimous : mask of the rows on which all agree.
    rejected : mask of the rows on which too few agree.
    """

    labels: np.ndarray
    share: np.ndarray
    unanimous: np.ndarray
    rejected: np.ndarray


class CandidateElimination(ConceptLearner):
    """All conjunctions that agree with the examples, held by their most specific and most general members.

    Each example moves one boundary towards the other; see `watch` for every step. The first member of the concept is
    met first, which keeps G small, then the others in their order. Between the boundaries lies exactly
    the version space. `predict` takes the vote of all of it (a tie goes to the first class), `classify` can ask for
    agreement and reject the rest; votes are counted exactly, without listing the hypotheses. Contradictory
    examples leave nothing: the fit ends at the example that caused it, keeps the boundaries from before, and the
    certificate fails. Syllabus: V6, V7, V8.

    Parameters
    ----------
    domains : mapping {name: values}, sequence of values per column, or None
        What each attribute can be. Columns that are not listed have the values seen in training.
    classes : (outside, inside) or None
        The two labels. By default those of y in order, the second being inside the concept.
    max_general : int, default=10000
        Members of G at which to give up with an error; G can be exponentially large in the number of attributes.

    Attributes
    ----------
    version_space_ : VersionSpace, with `specific`, `general`, `size`, `votes`, `hypotheses` and `plot`.
    consistent_ : bool, whether the version space is not empty.
    collapse_ : int or None, the row after which nothing was left.
    witness_ : tuple of int
        Empty, or rows that no conjunction tells apart: one outside the concept, then members that force it in. Two
        rows with equal cells and different labels are such a witness.
    attributes_ : Attributes, names and domains of the columns.
    classes_, inside_ : the labels, and the one inside the concept.
    certificate_ : every member of S and G agrees with every row; nothing more specific than S and nothing more general
        than a member of G does; G lacks nothing.

    Examples
    --------
    >>> from learnable.datasets import enjoy_sport
    >>> days = enjoy_sport().to_arrow().to_pandas()
    >>> domains = {"Wind": ("Strong", "Light")}
    >>> model = CandidateElimination(domains).fit(days.drop(columns="EnjoySport"), days["EnjoySport"])
    >>> print(model.version_space_)
    S: <Sunny, Warm, ?, Strong, ?, ?>
    G: <Sunny, ?, ?, ?, ?, ?>, <?, Warm, ?, ?, ?, ?>
    >>> model.version_space_.size
    6
    >>> new = days.drop(columns="EnjoySport").iloc[[2]].assign(Sky="Sunny", Humid="Normal", Forecast="Same")
    >>> verdict = model.classify(new)
    >>> verdict.share.round(2), verdict.labels
    (array([0.33]), array([None], dtype=object))
    """

    _parameter_constraints: ClassVar[dict] = {
        "domains": [dict, "array-like", None],
        "classes": ["array-like", None],
        "max_general": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, domains=None, classes=None, max_general=10_000):
        self.domains = domains
        self.classes = classes
        self.max_general = max_general

    def predict_proba(self, X) -> np.ndarray:
        """Share of the version space that votes for each class: P(class) if every hypothesis is equally probable.

        Parameters
        ----------
        X : data frame or array (n, d) of values from the domains of the attributes.
        """
        size, votes = self._ballot(self._table(X))
        place = int(np.flatnonzero(self.classes_ == self.inside_)[0])
        shares = np.empty((len(votes), 2))
        shares[:, place] = [count / size for count in votes]
        shares[:, 1 - place] = [(size - count) / size for count in votes]
        return shares

    def classify(self, X, agreement: float = 1.0) -> Verdict:
        """Labels only where enough hypotheses agree; the other rows are rejected.

        Parameters
        ----------
        X : data frame or array (n, d) of values from the domains of the attributes.
        agreement : float in (0.5, 1], default=1
            Share of the hypotheses that must agree: 1 asks for a unanimous vote.
        """
        if not isinstance(agreement, Real) or not 0.5 < agreement <= 1.0:
            raise ValueError(
                f"classify(agreement={plain(agreement)!r}): agreement must be in (0.5, 1]; predict takes the majority"
            )
        size, votes = self._ballot(self._table(X))
        share = np.array([count / size for count in votes])
        # Compared as whole numbers where all must agree: shares of a large version space round to 1.
        unanimous = np.array([count in (0, size) for count in votes], dtype=bool)
        rejected = ~unanimous if agreement == 1.0 else np.maximum(share, 1.0 - share) < agreement
        labels = self._labels(share > 0.5).astype(object)
        labels[rejected] = None
        return Verdict(labels, share, unanimous, rejected)

    def _pose(self, X, y) -> Fitting:
        examples = self._examples(X, y)

        def attributes(state: EliminationState) -> dict[str, Any]:
            return {
                "version_space_": VersionSpace(state.attributes, state.specific, state.general),
                "consistent_": not state.collapsed,
                "collapse_": state.row if state.collapsed else None,
                "witness_": _witness(state, examples) if state.collapsed else (),
            }

        states = eliminated(examples, self.max_general)
        return Fitting(
            states, to_the_end, attributes, examples.data, max_steps=len(examples.codes) + 1, ended=Status.OPTIMAL
        )

    def _ballot(self, X: np.ndarray) -> tuple[int, list[int]]:
        return self.version_space_.size, self.version_space_.votes(X)

    def _covers(self, X: np.ndarray) -> np.ndarray:
        # Counted in whole numbers: the shares of a large version space round to a half before the votes are even.
        size, votes = self._ballot(X)
        needed = size + int(self.classes_[0] != self.inside_)
        return np.array([2 * count >= needed for count in votes], dtype=bool)

    def _n_hypotheses(self, attributes: Attributes) -> int:
        return count_conjunctions(attributes)


def _witness(state: EliminationState, examples: Examples) -> tuple[int, ...]:
    """Rows met up to the collapse that no conjunction tells apart."""
    met = np.array(list(visiting_order(examples.inside)))[: len(examples.codes) - int(state.objective)]
    members = met[examples.inside[met]]
    hypothesis = state.specific_codes
    if examples.inside[state.row]:
        hypothesis = generalised(hypothesis, examples.codes[state.row])
    outside = met[~examples.inside[met]]
    refused = outside[covered(hypothesis[None], examples.codes[outside])[0]]
    return witness_rows(examples.codes, refused, members)
