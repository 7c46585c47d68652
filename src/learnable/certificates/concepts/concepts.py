"""Conjunctions, version spaces, monomials and disjunctions, checked against the rows. Syllabus: V2–V8.

A fitted concept learner says which cells its attributes know (`attributes_.domains`), which label is inside the concept
(`inside_`), its hypotheses as constraints (a value, or a marker whose symbol is ? or ∅), whether they agree with the
rows (`consistent_`) and, if not, which rows prove that nothing can (`witness_`).
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.concepts.consistency import (
    CONCEPT,
    agreement_claim,
    answer_claims,
    reading_claims,
    variables_claim,
    witness_sides,
)
from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger

ANY, NEVER, UNKNOWN = -1, -2, -3
# Memory for the cases that the search for a missing member of G follows at once; beyond it the claim is undecided.
MOST_BYTES = 2**29
APART = "attributes by which a hypothesis could tell the rows of witness_ apart"


class Sample(NamedTuple):
    """Cells as places in their domains, split by label; `unknown` counts the cells outside their domain."""

    cells: np.ndarray
    inside: np.ndarray
    sizes: tuple[int, ...]
    unknown: int

    @property
    def members(self) -> np.ndarray:
        return self.cells[self.inside]

    @property
    def foreign(self) -> np.ndarray:
        return self.cells[~self.inside]


@certifies("FindS", ledger=CONCEPT, foreign=False)
def find_s_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The hypothesis agrees with every row, and is the most specific one that covers the members."""
    sample = _sample(model, X, y)
    hypothesis = _codes(model.hypothesis_, model.attributes_.domains)
    wrong = int(np.count_nonzero(_meets(hypothesis, sample.cells).all(axis=1) != sample.inside))
    return [
        _domain_claim(sample),
        _constraint_claim([hypothesis]),
        *reading_claims(model, X),
        agreement_claim(model, "V2", "rows on which the hypothesis is wrong", wrong),
        *_specific_claims("V3", hypothesis, sample, model),
        *answer_claims(model, wrong == 0, APART, _unforced(sample, model.witness_, sample.cells, teachers=True)),
    ]


@certifies(
    "CandidateElimination",
    ledger=Ledger(("version_space_", "consistent_", "witness_"), ("attributes_", "inside_", "collapse_")),
    foreign=False,
)
def candidate_elimination_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """Both boundaries agree with every row, cannot be pushed apart, and nothing consistent lies outside them."""
    sample = _sample(model, X, y)
    domains = model.attributes_.domains
    specific = _codes(model.version_space_.specific, domains)
    general = [_codes(member, domains) for member in model.version_space_.general]
    wrong, droppable = 0, 0
    for hypothesis in [specific, *general]:
        wrong += int(np.count_nonzero(_meets(hypothesis, sample.cells).all(axis=1) != sample.inside))
    for member in general:
        droppable += _droppable(member, sample.foreign)
    doubles = len(general) - len({tuple(member.tolist()) for member in general})
    if model.version_space_.attributes != model.attributes_:
        return [Claim.at_most("V6", "the version space has the attributes of the table (1 if not)", 1.0, 0)]
    # Boundaries that are already refuted need no search for what they lack.
    lacking = 1.0 if wrong + droppable + doubles else _lacks_a_member(general, sample)
    outside = "a consistent hypothesis lies outside the boundaries (1 if so)"
    if math.isnan(lacking):
        complete = Claim.reached("V8", f"{outside}: not decided, for want of memory", 1.0, 0, asked=1.0)
    else:
        complete = agreement_claim(model, "V8", outside, int(lacking))
    return [
        _domain_claim(sample),
        _constraint_claim([specific, *general]),
        *reading_claims(model, X),
        agreement_claim(model, "V6", "rows on which a member of S or G is wrong, over all members", wrong),
        *_specific_claims("V6", specific, sample, model),
        Claim.at_most("V6", "constraints of members of G that could be dropped", droppable, 0),
        Claim.at_most("V6", "members of G listed twice", doubles, 0),
        complete,
        _collapse_claim(model, sample),
        *answer_claims(model, wrong == 0, APART, _unforced(sample, model.witness_, sample.cells, teachers=True)),
    ]


@certifies("MonomialLearner", "DisjunctionLearner", ledger=CONCEPT, foreign=False)
def literal_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """The formula agrees with every row and has exactly the literals that the teaching class leaves."""
    sample = _sample(model, X, y)
    positive = _variables(sample)
    truth = np.hstack([positive, ~positive])
    literals = set(model.hypothesis_.literals)
    chosen = truth[:, sorted(literals)]
    if type(model).__name__ == "MonomialLearner":
        row, rule = "V4", "true in every member"
        covers, left = chosen.all(axis=1), truth[sample.inside].all(axis=0)
        unforced = _unforced(sample, model.witness_, positive, teachers=True)
    else:
        row, rule = "V5", "false in every row outside the concept"
        covers, left = chosen.any(axis=1), ~truth[~sample.inside].any(axis=0)
        unforced = _unforced(sample, model.witness_, positive, teachers=False)
    wrong = int(np.count_nonzero(covers != sample.inside))
    return [
        _domain_claim(sample),
        *reading_claims(model, X),
        agreement_claim(model, "V2", "rows on which the formula is wrong", wrong),
        Claim.at_most(row, f"literals that differ from those {rule}", len(literals ^ set(np.flatnonzero(left))), 0),
        variables_claim(model, positive.shape[1]),
        *answer_claims(model, wrong == 0, APART, unforced),
    ]


def _domain_claim(sample: Sample) -> Claim:
    return Claim.at_most("V1", "cells outside the domain of their attribute", sample.unknown, 0)


def _constraint_claim(hypotheses: list[np.ndarray]) -> Claim:
    strange = int(sum(np.count_nonzero(each == UNKNOWN) for each in hypotheses))
    return Claim.at_most("V1", "constraints that ask for no value of their attribute", strange, 0)


def _collapse_claim(model: Any, sample: Sample) -> Claim:
    """The rows are met in their order, the first member before all others: until `collapse_` they agree, then not."""
    order = np.arange(len(sample.cells))
    if sample.inside.any():
        first = int(np.argmax(sample.inside))
        order = np.concatenate(([first], order[order != first]))
    stated, statement = model.collapse_, "collapse_ is the row after which nothing is left (1 if not)"
    if stated is None or isinstance(stated, bool) or not isinstance(stated, int | np.integer):
        return Claim.at_most("V6", statement, float(stated is not None or not model.consistent_), 0)
    if not 0 <= stated < len(order):
        return Claim.at_most("V6", statement, 1.0, 0)
    met = int(np.flatnonzero(order == stated)[0])
    right = _agree(sample, order[:met]) and not _agree(sample, order[: met + 1])
    return Claim.at_most("V6", statement, float(not right), 0)


def _agree(sample: Sample, rows: np.ndarray) -> bool:
    """Whether some conjunction agrees with these rows: the most specific one that covers their members does."""
    cells, inside = sample.cells[rows], sample.inside[rows]
    if not inside.any():
        return True
    members = cells[inside]
    asked = (members == members[0]).all(axis=0)
    return not bool(np.any((cells[~inside][:, asked] == members[0][asked]).all(axis=1)))


def _specific_claims(row: str, hypothesis: np.ndarray, sample: Sample, model: Any) -> list[Claim]:
    """It covers every member, and no hypothesis just below it does."""
    members = sample.members
    missed = int(np.count_nonzero(~_meets(hypothesis, members).all(axis=1)))
    if len(members):
        # A free attribute can be asked for the value that all members have in it.
        agreed = (members == members[0]).all(axis=0) & (members[0] != UNKNOWN)
        tighter = int(np.count_nonzero((hypothesis == ANY) & agreed))
    else:
        tighter = int(not np.any(hypothesis == NEVER))
    return [
        agreement_claim(model, row, "members that the most specific hypothesis does not cover", missed),
        agreement_claim(model, row, "more specific neighbours that cover every member", tighter),
    ]


def _unforced(sample: Sample, witness: Sequence[int], columns: np.ndarray, teachers: bool) -> int:
    """Attributes that keep the first row of the witness apart from the rest: none, if these rows prove NO.

    The rest has the label `teachers`, the first row the other one. A conjunction that covers the rest has a free
    attribute wherever two of them differ.
    """
    sides = witness_sides(witness, sample.inside, teachers)
    if sides is None:
        return columns.shape[1]
    first, rest = columns[sides[0]], columns[sides[1]]
    settled = (rest == first).any(axis=0) | (rest != rest[0]).any(axis=0)
    return int(np.count_nonzero(~settled))


def _droppable(member: np.ndarray, foreign: np.ndarray) -> int:
    """Constraints without which the member would still cover no row outside the concept."""
    if np.any(member == NEVER):
        return 0
    fails = ~_meets(member, foreign)
    needed = fails[fails.sum(axis=1) == 1].any(axis=0)
    return int(np.count_nonzero((member != ANY) & ~needed))


def _lacks_a_member(general: list[np.ndarray], sample: Sample) -> float:
    """1 if some consistent hypothesis is below no member of G, 0 if none is, nan if the search was given up.

    With members of the concept, only their common values can be asked for; without, every value, and ∅ is consistent.
    """
    if not general:
        return 1.0
    lowest = np.full(len(sample.sizes), NEVER)
    if len(sample.members):
        same = (sample.members == sample.members[0]).all(axis=0)
        lowest = np.where(same, sample.members[0], ANY)
    able = np.array([member for member in general if not np.any(member == NEVER)], dtype=int)
    able = able.reshape(-1, len(sample.sizes))
    foreign = sample.foreign
    if len(sample.members):
        # Only where a row agrees with the common values matters: 0 where it does, 1 where it does not.
        constrained = np.flatnonzero(lowest != ANY)
        foreign = _hardest((foreign != lowest)[:, constrained]).astype(int)
        able = np.where(able[:, constrained] == ANY, ANY, 0)
        choices = [[ANY, 0]] * len(constrained)
    else:
        choices = [[ANY, *range(size)] for size in sample.sizes]
        foreign = np.unique(foreign, axis=0)
    return _gap(foreign, able, choices)


def _hardest(differs: np.ndarray) -> np.ndarray:
    """The rows that differ in no more places than they must: whoever excludes them excludes the others."""
    differs = np.unique(differs, axis=0)
    if len(differs) > 5000:
        return differs
    here = differs.astype(np.float32)
    within = here @ (1.0 - here).T == 0.0  # [i, k]: row i differs only where row k does
    np.fill_diagonal(within, False)
    return differs[~within.any(axis=0)]


def _gap(foreign: np.ndarray, general: np.ndarray, choices: list[list[int]]) -> float:
    """1 if constraints can be chosen so that no row is covered and no member of G is above the choice.

    Attribute after attribute, a choice leaves the rows it still covers and the members still above it. Equal remainders
    are followed once, those with a member that asks for nothing more not at all.
    """
    most = MOST_BYTES // (250 + (len(general) + len(foreign)) // 8)
    asks = general != ANY
    order = np.argsort(-asks.sum(axis=0), kind="stable")
    remainders = {(_as_integer(np.ones(len(foreign), bool)), _as_integer(np.ones(len(general), bool)))}
    for place, j in enumerate(order):
        content = _as_integer(~asks[:, order[place:]].any(axis=1))
        remainders = {(rows, members) for rows, members in remainders if not members & content}
        if any(not rows for rows, _ in remainders):
            return 1.0  # asking for nothing more is consistent, and no member is above that
        if len(remainders) * len(choices[j]) > most:
            return math.nan
        effects = [
            (
                _as_integer(np.full(len(foreign), choice == ANY) | (foreign[:, j] == choice)),
                _as_integer(~asks[:, j] | (general[:, j] == choice)),
            )
            for choice in choices[j]
        ]
        remainders = {(rows & covers, members & above) for rows, members in remainders for covers, above in effects}
    return float(any(not rows and not members for rows, members in remainders))


def _as_integer(mask: np.ndarray) -> int:
    return int("".join(np.where(mask, "1", "0").tolist()) or "0", 2)


def _meets(hypothesis: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Which constraints each row meets."""
    return (hypothesis == ANY) | (hypothesis == cells)


def _variables(sample: Sample) -> np.ndarray:
    """Boolean variables: one for an attribute of two values, true at the second; one a value for the others."""
    ends = np.cumsum([1 if size <= 2 else size for size in sample.sizes])
    truth = np.empty((len(sample.cells), ends[-1]), dtype=bool)
    for j, (start, end) in enumerate(pairwise([0, *ends.tolist()])):
        values = [sample.sizes[j] - 1] if sample.sizes[j] <= 2 else range(sample.sizes[j])
        truth[:, start:end] = sample.cells[:, [j]] == np.array(values)
    return truth


def _codes(conjunction: Any, domains: Sequence[tuple]) -> np.ndarray:
    """Constraints as places in the domains."""
    found = []
    if len(conjunction.constraints) != len(domains):
        raise IndexError(f"{len(conjunction.constraints)} constraints on {len(domains)} columns")
    for constraint, domain in zip(conjunction.constraints, domains):
        if symbol := getattr(constraint, "symbol", None):
            found.append({"?": ANY, "∅": NEVER}.get(symbol, UNKNOWN))
        else:
            found.append(domain.index(constraint) if constraint in domain else UNKNOWN)
    return np.array(found)


def _sample(model: Any, X: Any, y: Any) -> Sample:
    cells = np.asarray(X)
    domains = model.attributes_.domains
    codes = np.empty(cells.shape, dtype=int)
    for j, domain in enumerate(domains):
        place = {value: code for code, value in enumerate(domain)}
        column = cells[:, j]
        if column.dtype == object:
            codes[:, j] = [place.get(cell, UNKNOWN) for cell in column.tolist()]
        else:
            values, index = np.unique(column, return_inverse=True)
            codes[:, j] = np.array([place.get(value, UNKNOWN) for value in values.tolist()], dtype=int)[index]
    inside = np.asarray(y) == model.inside_
    return Sample(codes, inside, tuple(map(len, domains)), int(np.count_nonzero(codes == UNKNOWN)))
