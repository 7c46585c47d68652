"""Elimination of clauses: what the learners of k-CNF and k-DNF formulas share."""

from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.concepts.attributes import Attributes
from learnable.concepts.clause_elimination import EliminationState, eliminations, forcing_examples
from learnable.concepts.clauses import all_clauses, count_clauses
from learnable.concepts.formula_bounds import k_cnf_consistent
from learnable.concepts.formula_learner import FormulaLearner
from learnable.concepts.literals import Literals
from learnable.concepts.normal_form import CNF, NormalForm
from learnable.theory import Bound
from learnable.trace import Status, to_the_end


class ClauseLearner(FormulaLearner):
    """Base of the learners that start with all clauses of at most k literals and delete those an example refutes."""

    _parameter_constraints: ClassVar[dict] = {
        "k": [Interval(Integral, 1, None, closed="left")],
        "domains": [dict, "array-like", None],
        "classes": ["array-like", None],
    }

    def __init__(self, k=2, *, domains=None, classes=None):
        self.k = k
        self.domains = domains
        self.classes = classes

    @abstractmethod
    def _teaches(self, inside: np.ndarray) -> np.ndarray:
        """Mask of the examples that delete clauses: those at which the conjunction must be true."""

    @abstractmethod
    def _hypothesis(self, conjunction: CNF) -> NormalForm:
        """The formula that the conjunction of the clauses left stands for."""

    def _pose(self, X, y) -> Fitting:
        examples = self._boolean_examples(X, y)
        n, teaches = examples.literals.n_variables, self._teaches(examples.inside)
        clauses = all_clauses(n, self.k)

        def attributes(state: EliminationState) -> dict[str, Any]:
            conjunction = CNF(clauses[state.alive], n)
            wrong = conjunction.true_on(examples.truth) != teaches
            refused = np.flatnonzero(wrong & ~teaches)
            witness: tuple[int, ...] = ()
            if len(refused):
                forcing = forcing_examples(examples.truth[teaches, :n], examples.truth[refused[0], :n], self.k)
                witness = (int(refused[0]), *np.flatnonzero(teaches)[forcing].tolist())
            return {
                "hypothesis_": self._hypothesis(conjunction),
                "consistent_": not wrong.any(),
                "witness_": witness,
            }

        states = eliminations(clauses, examples.truth, teaches)
        return Fitting(
            states, to_the_end, attributes, examples.data, max_steps=int(teaches.sum()) + 1, ended=Status.OPTIMAL
        )

    def _n_hypotheses(self, attributes: Attributes) -> int:
        return 2 ** count_clauses(Literals(attributes).n_variables, self.k)

    def _guarantee(self, attributes: Attributes) -> tuple[Bound, dict[str, int]]:
        return k_cnf_consistent, {"n": Literals(attributes).n_variables, "k": self.k}
