"""The exact learner of k-term DNF formulas."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.concepts.attributes import Attributes
from learnable.concepts.formula_bounds import term_dnf_consistent
from learnable.concepts.formula_learner import FormulaLearner
from learnable.concepts.literals import Literals
from learnable.concepts.normal_form import DNF
from learnable.concepts.term_dnf_search import TermState, term_dnf_states
from learnable.theory import Bound
from learnable.trace import Status


class KTermDNFLearner(FormulaLearner):
    """Finds a disjunction of at most k terms that fits the examples, or proves that there is none.

    To decide this is NP-complete for k ≥ 2 fixed. Terms are first chosen greedily; if that fails, a SAT solver searches
    exactly. When no k-term DNF is consistent, the solver's proof is kept and checked by unit propagation, on the rows
    of `witness_` alone; the hypothesis is then the greedy one, which covers no negative example. Needs the extra
    `sat`, unless the greedy terms fit. Syllabus: V2, V10.

    Parameters
    ----------
    k : int, default=3
        Number of terms at most.
    max_conflicts : int, default=20000
        Dead ends of the search after which it is given up undecided.
    domains : mapping {column: values}, sequence of the values of every column, or None
        The values each column can take; by default those in the table.
    classes : pair of labels (outside, inside the concept), or None
        By default the two labels in sorted order.

    Attributes
    ----------
    hypothesis_ : DNF
        Each term has all literals that the positive examples it covers share.
    formula_ : str
        The same in words, with the names of the attributes.
    consistent_ : bool
        Whether it covers all positive examples and no negative one.
    witness_ : tuple of int
        Empty, or rows that no k-term DNF fits.
    refutation_ : int array
        The proof of that, clauses of literals each ended by 0; empty without one. `certificates.formulas` says what
        the variables stand for.
    conflicts_ : int
        Dead ends met.
    attributes_, classes_, inside_ : the columns, the two labels, and which of them means membership.
    certificate_ : `certificates.Certificate`, which claims
        V2 (all positive examples covered, no negative one; `consistent_` is right), V10 (number of terms; each is the
        most specific for what it covers; the proof, if there is one, is accepted for the rows of `witness_`).

    Examples
    --------
    >>> X = np.array([[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 0, 0]])
    >>> model = KTermDNFLearner(k=2).fit(X, [1, 1, 1, 0, 0, 0])
    >>> print(model.formula_)
    (x0 ∧ x1 ∧ ¬x2) ∨ (x2 ∧ x3 ∧ ¬x0 ∧ ¬x1)
    >>> refuted = KTermDNFLearner(k=1).fit(X, [1, 1, 1, 0, 0, 0])
    >>> refuted.consistent_, refuted.witness_
    (False, (0, 2, 3))
    """

    _parameter_constraints: ClassVar[dict] = {
        "k": [Interval(Integral, 1, None, closed="left")],
        "max_conflicts": [Interval(Integral, 1, None, closed="left")],
        "domains": [dict, "array-like", None],
        "classes": ["array-like", None],
    }

    refutation_: np.ndarray
    conflicts_: int

    def __init__(self, k=3, *, max_conflicts=20_000, domains=None, classes=None):
        self.k = k
        self.max_conflicts = max_conflicts
        self.domains = domains
        self.classes = classes

    def _pose(self, X, y) -> Fitting:
        examples = self._boolean_examples(X, y)
        n = examples.literals.n_variables

        def stop(number: int, state: TermState) -> Status | None:
            spent = not state.decided and state.conflicts >= self.max_conflicts
            return Status.BUDGET_SPENT if spent else None

        def attributes(state: TermState) -> dict[str, Any]:
            hypothesis = DNF([np.flatnonzero(term) for term in state.terms], n)
            return {
                "hypothesis_": hypothesis,
                "consistent_": bool(np.array_equal(hypothesis.true_on(examples.truth), examples.inside)),
                "witness_": state.witness,
                "refutation_": state.refutation,
                "conflicts_": state.conflicts,
            }

        return Fitting(
            term_dnf_states(examples.truth, examples.inside, self.k),
            stop,
            attributes,
            examples.data,
            advice="raise max_conflicts, or k",
            ended=Status.OPTIMAL,
        )

    def _n_hypotheses(self, attributes: Attributes) -> int:
        return (3 ** Literals(attributes).n_variables + 1) ** self.k

    def _guarantee(self, attributes: Attributes) -> tuple[Bound, dict[str, int]]:
        return term_dnf_consistent, {"n": Literals(attributes).n_variables, "k": self.k}
