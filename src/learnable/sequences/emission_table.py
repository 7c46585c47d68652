"""What hidden Markov models share whose states emit symbols, or counts of them."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.sequences.distributions import checked_groups, checked_rows, refuse_unequal
from learnable.sequences.hidden_markov import HiddenMarkovModel
from learnable.sequences.shared_parameters import with_parameters_of
from learnable.solvers.sequences.probability_rows import RowRule


class EmissionTableModel(HiddenMarkovModel):
    """Base of the models whose B is a table (K, V), one distribution over V symbols for each state."""

    _letters: ClassVar = HiddenMarkovModel._letters | {"e": "emissionprob"}
    _parameter_constraints: ClassVar = HiddenMarkovModel._parameter_constraints | {
        "emissionprob_prior": [Interval(Real, 1, None, closed="left"), "array-like"],
        "emissionprob_init": ["array-like", None],
        "emissionprob_fixed": ["array-like", None],
    }
    emissionprob_: np.ndarray

    @with_parameters_of(HiddenMarkovModel)
    def __init__(
        self, n_components=2, *, emissionprob_prior=1.0, emissionprob_init=None, emissionprob_fixed=None, params="ste",
        init_params="ste", **shared,
    ):  # fmt: skip
        super().__init__(n_components, params=params, init_params=init_params, **shared)
        self.emissionprob_prior = emissionprob_prior
        self.emissionprob_init = emissionprob_init
        self.emissionprob_fixed = emissionprob_fixed

    def _table(self, emissionprob: Any, n_symbols: int) -> tuple[np.ndarray, RowRule, np.ndarray | None]:
        """(B, what is learned of it, which states share a row), checked."""
        K = self.n_components
        groups = checked_groups(self.emission_groups, K, type(self).__name__)
        prob = checked_rows(emissionprob, (K, n_symbols), "emissionprob")
        rule = self._row_rule("e", (K, n_symbols))
        refuse_unequal(groups, prob, "emissionprob")
        refuse_unequal(groups, rule.fixed, "emissionprob_fixed")
        refuse_unequal(groups, rule.prior, "emissionprob_prior")
        return prob, rule, groups
