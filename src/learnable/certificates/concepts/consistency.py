"""What a concept learner says of itself: whether it agrees with the rows, and which rows prove that nothing can."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger

# The ledger of learners whose answer is one hypothesis over attributes.
CONCEPT = Ledger(verified=("hypothesis_", "consistent_", "witness_"), derived=("attributes_", "inside_"))


def agreement_claim(model: Any, id: str, statement: str, wrong: int) -> Claim:
    """That nothing is wrong; left open where the learner says itself that no hypothesis agrees with every row."""
    return Claim.reached(id, statement, wrong, 0.0, asked=0.0 if _says_yes(model) else float(wrong))


def _says_yes(model: Any) -> bool:
    return not (isinstance(model.consistent_, bool | np.bool_) and not model.consistent_)


def reading_claims(model: Any, X: Any) -> list[Claim]:
    """V1: what the learner says of its table: names and domains of the columns, the label inside the concept.

    Domains that were declared, by the parameter or by a data frame, may hold values that no row has.
    """
    names, domains = list(model.attributes_.names), model.attributes_.domains
    known = getattr(model, "feature_names_in_", None)
    numbered = known is None and all(str(name).lstrip("-").isdigit() for name in names)
    expected = names if numbered else [f"x{j}" for j in range(X.shape[1])] if known is None else list(map(str, known))
    wrong = (
        int(len(domains) != X.shape[1]) + sum(a != b for a, b in zip(names, expected)) + abs(len(names) - X.shape[1])
    )
    if not wrong:
        declared = _declared(model, names)
        for name, domain, column in zip(names, domains, np.asarray(X).T):
            if name in declared:
                wrong += int(tuple(domain) != tuple(declared[name]))
            elif known is None and not numbered:
                unseen = {value for value in domain if value not in (0, 1)}.difference(column.tolist())
                wrong += len(unseen)
    return [
        Claim.at_most("V1", "names and domains of the columns are those of the table (how many are not)", wrong, 0.0),
        inside_claim(model),
    ]


def _declared(model: Any, names: list[str]) -> dict[str, Any]:
    if model.domains is None:
        return {}
    return dict(model.domains) if isinstance(model.domains, dict) else dict(zip(names, model.domains))


def variables_claim(model: Any, n: int) -> Claim:
    """The formula is over as many variables as the table has."""
    off = abs(model.hypothesis_.n_variables - n)
    return Claim.at_most("V1", "variables of the formula, more or fewer than those of the table", off, 0)


def inside_claim(model: Any) -> Claim:
    """The label that means membership is the second one, as given or in order."""
    pair = list(model.classes) if model.classes is not None else list(model.classes_)
    wrong = float(len(pair) != 2 or model.inside_ != pair[1])
    return Claim.at_most("V2", "inside_ is the second of the two labels (1 if not)", wrong, 0.0)


def answer_claims(model: Any, agrees: bool, statement: str, unforced: int) -> list[Claim]:
    """`consistent_` is what the rows say, and `witness_` is a proof of NO: empty after YES.

    Parameters
    ----------
    agrees : whether the hypothesis agrees with every row.
    statement, unforced : what there must be none of if the rows of `witness_` prove NO, and how many there are.
    """
    claims = [consistent_claim(model, agrees)]
    if not agrees or len(model.witness_):
        claims.append(Claim.at_most("V2", statement, unforced, 0))
    return claims


def consistent_claim(model: Any, agrees: bool) -> Claim:
    stated = model.consistent_
    wrong = float(not isinstance(stated, bool | np.bool_) or bool(stated) != agrees)
    return Claim.at_most("V2", "consistent_ says what the rows say (1 if not)", wrong, 0)


def witness_sides(witness: Sequence[int], inside: np.ndarray, teachers: bool) -> tuple[int, np.ndarray] | None:
    """(the row refused, the rows that force it), or None where the witness cannot be that.

    It is that if the rows exist, the first one has another label than `teachers` (True inside the concept), and all
    others, at least one, have that label.
    """
    rows = witness_rows(witness)
    if len(rows) < 2 or rows.min() < 0 or rows.max() >= len(inside):
        return None
    if inside[rows[0]] == teachers or np.any(inside[rows[1:]] != teachers):
        return None
    return int(rows[0]), rows[1:]


def witness_rows(witness: Sequence[int]) -> np.ndarray:
    """The rows as numbers; an `IndexError`, which refutes, where the witness is no list of whole numbers.

    The cells of a concept may be words, so what NumPy makes of such a witness could be taken for a fault of the data.
    """
    if np.ndim(witness) != 1 or not all(isinstance(row, int | np.integer) for row in witness):
        raise IndexError(f"witness_ is {witness!r}, not a list of rows")
    return np.array(witness, dtype=np.intp)
