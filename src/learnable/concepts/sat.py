"""The door to the SAT solver: python-sat, imported when it is first needed."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

# The solver, chosen because it can be stopped after some conflicts and writes proofs of unit propagation only.
SOLVER = "glucose4"
# Conflicts between two looks at the clock: a fraction of a second.
SLICE = 500


def solver(clauses: Iterable[Sequence[int]], with_proof: bool = False) -> Any:
    """A solver that holds the clauses; to be used in a `with` statement."""
    try:
        from pysat.solvers import Solver
    except ImportError as fault:
        raise ImportError("python-sat is needed to search for formulas: pip install 'learnable[sat]'") from fault
    return Solver(name=SOLVER, bootstrap_with=clauses, with_proof=with_proof)


def decisions(solver: Any, assumptions: Sequence[int] = ()) -> Iterator[bool | None]:
    """None for every slice of the search that decides nothing; at the end whether the clauses can all be true."""
    decided = None
    while decided is None:
        solver.conf_budget(SLICE)
        decided = solver.solve_limited(assumptions=list(assumptions))
        yield decided


def satisfiable(clauses: Iterable[Sequence[int]]) -> list[int] | None:
    """Literals that make all clauses true, or None when there are none.

    >>> satisfiable([[1, 2], [-1]]), satisfiable([[1], [-1]])
    ([-1, 2], None)
    """
    with solver(clauses) as search:
        return search.get_model() if search.solve() else None


def conflicts(solver: Any) -> int:
    """Conflicts met so far."""
    return int(solver.accum_stats()["conflicts"])


def flat_proof(solver: Any) -> np.ndarray:
    """The clauses that the solver learnt, each ended by 0, in one array; the last is empty."""
    clauses = [line.split() for line in solver.get_proof() if not line.startswith("d")]
    if ["0"] not in clauses:  # the given clauses clash without anything learnt
        clauses.append(["0"])
    return np.array([int(number) for clause in clauses for number in clause], dtype=np.int32)
