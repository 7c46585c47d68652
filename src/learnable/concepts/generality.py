"""Does one formula cover all that another covers? If not, a point that says so. Syllabus: V1, V9."""

from typing import TYPE_CHECKING

import numpy as np

from learnable.concepts import sat

if TYPE_CHECKING:
    from learnable.concepts.normal_form import NormalForm

# Variables up to which the whole truth table is looked at; beyond, a SAT solver searches.
TABLE_VARIABLES = 16


def point_between(general: "NormalForm", specific: "NormalForm") -> np.ndarray | None:
    """A row of zeros and ones that `specific` covers and `general` does not; None when `general` covers all of it.

    Parameters
    ----------
    general, specific : CNF or DNF over the same variables.

    Examples
    --------
    >>> from learnable.concepts import CNF, DNF
    >>> either, both = DNF([[0], [1]], n_variables=2), CNF([[0], [1]], n_variables=2)
    >>> print(point_between(either, both), point_between(both, either))
    None [0 1]
    """
    n = specific.n_variables
    if general.n_variables != n:
        raise ValueError(f"formulas over {general.n_variables} and {n} variables cannot be compared")
    if n <= TABLE_VARIABLES:
        table = truth_table(n)
        between = np.flatnonzero(specific.covers(table) & ~general.covers(table))
        return table[between[0]].astype(int) if len(between) else None
    required = _clauses_true(specific, n)
    choices = 1 + max((abs(literal) for clause in required for literal in clause), default=n)
    found = sat.satisfiable(required + _clauses_true(general.negated(), max(choices, n + 1) - 1))
    if found is None:
        return None
    point = np.zeros(n, dtype=int)
    point[[literal - 1 for literal in found if 0 < literal <= n]] = 1
    return point


def truth_table(n_variables: int) -> np.ndarray:
    """All 2ⁿ rows of zeros and ones, as a bool array; the first variable changes slowest.

    >>> truth_table(2).astype(int).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    numbers = np.arange(2**n_variables)
    return (numbers[:, None] >> np.arange(n_variables - 1, -1, -1)) & 1 == 1


def _clauses_true(formula: "NormalForm", last_variable: int) -> list[list[int]]:
    """Clauses for a SAT solver that say that the formula is true; variables after `last_variable` are free to use.

    A DNF is true when one of its terms is chosen, and a chosen term has all its literals.
    """
    n = formula.n_variables
    signed = np.where(formula.parts < n, formula.parts + 1, n - formula.parts - 1)
    rows = [row[part >= 0].tolist() for row, part in zip(signed, formula.parts)]
    if formula.joint == "∧":
        return rows
    chosen = range(last_variable + 1, last_variable + 1 + len(rows))
    return [list(chosen), *([-choice, literal] for choice, row in zip(chosen, rows) for literal in row)]
