"""Formulas learnt from examples: consistent with them, and what the learner promises. Syllabus: V2, V9, V10.

Literals and labels are read off the data anew. A formula is the array of its parts, a row of literals each, filled up
with −1; literal i is variable i and i + n its negation.
"""

from collections.abc import Iterator
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np

from learnable.certificates.concepts.consistency import (
    CONCEPT,
    agreement_claim,
    answer_claims,
    consistent_claim,
    reading_claims,
    variables_claim,
    witness_rows,
    witness_sides,
)
from learnable.certificates.concepts.rup import check_proof
from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger

# Entries of a table of truth values that are made at a time, a byte each.
CHUNK = 1 << 24
# Examples that show of most sets of literals that one has them together.
SOME = 256
APART = "sets of k variables by which a formula could tell the rows of witness_ apart"


@certifies("KCNFLearner", ledger=CONCEPT, foreign=False)
def k_cnf_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """V2: consistency. V9: the clauses are those of at most k literals that no positive example makes false."""
    truth, strangers = literal_truth(model.attributes_, X)
    positive = np.asarray(y) == model.inside_
    falsified, covers = _falsified(model.hypothesis_.parts, truth, positive)
    return [
        *reading_claims(model, X),
        variables_claim(model, truth.shape[1] // 2),
        _literals_claim(model.hypothesis_.parts, truth.shape[1]),
        *consistency_claims(model, strangers, covers, positive),
        *answer_claims(model, np.array_equal(covers, positive), APART, _apart(model, truth, positive, teachers=True)),
        *_elimination_claims(model.hypothesis_.parts, falsified, truth[positive], model.k, "clauses", "positive"),
    ]


@certifies("KDNFLearner", ledger=CONCEPT, foreign=False)
def k_dnf_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """V2: consistency. V9: the terms are those of at most k literals that are true at no negative example.

    The negation of the formula is a CNF: its clauses have the opposite literals, its positives are the negatives here.
    """
    truth, strangers = literal_truth(model.attributes_, X)
    positive = np.asarray(y) == model.inside_
    n, parts = truth.shape[1] // 2, model.hypothesis_.parts
    clauses = np.where(parts < 0, -1, np.where(parts < n, parts + n, parts - n))
    falsified, covers_not = _falsified(clauses, truth, ~positive)
    return [
        *reading_claims(model, X),
        variables_claim(model, truth.shape[1] // 2),
        _literals_claim(model.hypothesis_.parts, truth.shape[1]),
        *consistency_claims(model, strangers, ~covers_not, positive),
        *answer_claims(
            model, np.array_equal(~covers_not, positive), APART, _apart(model, truth, positive, teachers=False)
        ),
        *_elimination_claims(clauses, falsified, truth[~positive], model.k, "terms", "negative"),
    ]


@certifies(
    "KTermDNFLearner",
    ledger=Ledger((*CONCEPT.verified, "refutation_"), CONCEPT.derived, unverified=("conflicts_",)),
    foreign=False,
)
def k_term_dnf_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """V2: consistency. V10: at most k terms, each the most specific for what it covers; or a proof that none exists."""
    truth, strangers = literal_truth(model.attributes_, X)
    positive = np.asarray(y) == model.inside_
    terms = [row[row >= 0] for row in model.hypothesis_.parts]
    covered = np.array([truth[:, term].all(axis=1) for term in terms], dtype=bool).reshape(-1, len(truth))
    loose = sum(
        not np.array_equal(np.flatnonzero(truth[positive & rows].all(axis=0)), term)
        for term, rows in zip(terms, covered)
    )
    agrees = bool(np.array_equal(covered.any(axis=0), positive))
    claims = [
        *reading_claims(model, X),
        variables_claim(model, truth.shape[1] // 2),
        _literals_claim(model.hypothesis_.parts, truth.shape[1]),
        *consistency_claims(model, strangers, covered.any(axis=0), positive),
        consistent_claim(model, agrees),
        Claim.at_most("V10", "terms of the formula", len(terms), model.k),
        Claim.at_most("V10", "terms that are not the most specific for the positive examples they cover", loose, 0),
    ]
    if len(model.refutation_) or len(model.witness_):
        rows = witness_rows(model.witness_)
        statement = f"no DNF of {model.k} terms fits the {len(rows)} witness rows (0: every step of the proof follows)"
        there = len(rows) > 0 and rows.min() >= 0 and rows.max() < len(truth)
        claims.append(Claim.at_most("V10", statement, float(not (there and _refuted(model, truth, positive, rows))), 0))
    return claims


def _literals_claim(parts: Any, n_literals: int) -> Claim:
    """Whatever else is below zero, or above, would be one literal here and another one in `predict`."""
    whole = np.asarray(parts).dtype.kind == "i"
    strange = float(np.count_nonzero((parts < -1) | (parts >= n_literals))) if whole else np.inf
    return Claim.at_most("V1", "entries of the formula that are neither a literal nor the filling −1", strange, 0)


def _refuted(model: Any, truth: np.ndarray, positive: np.ndarray, rows: np.ndarray) -> bool:
    proof = _split_at_zeros(model.refutation_)
    return check_proof(term_dnf_clauses(truth[rows], positive[rows], model.k), proof).refutes


def _apart(model: Any, truth: np.ndarray, positive: np.ndarray, teachers: bool) -> int:
    """Sets of k variables on which the first row of `witness_` agrees with none of the others: none, if they force it.

    A clause of k literals that is false at the first row is false at a row that agrees with it on these variables.
    """
    n = truth.shape[1] // 2
    k, sides = min(model.k, n), witness_sides(model.witness_, positive, teachers)
    if sides is None:
        return comb(n, k)
    apart = np.array(list(combinations(range(n), k)))
    for agrees in truth[sides[1], :n] == truth[sides[0], :n]:
        apart = apart[~agrees[apart].all(axis=1)]
    return len(apart)


def literal_truth(attributes: Any, X: Any) -> tuple[np.ndarray, int]:
    """(truth (rows, 2n) of the literals, cells that are in no domain), from the values of the cells alone."""
    X = np.asarray(X)
    columns, known = [], np.zeros(X.shape, dtype=bool)
    for j, domain in enumerate(attributes.domains):
        equal = [np.asarray(X[:, j] == value, dtype=bool) for value in domain]
        columns += equal[-1:] if len(domain) <= 2 else equal
        known[:, j] = np.any(equal, axis=0)
    positive = np.column_stack(columns)
    return np.hstack([positive, ~positive]), int((~known).sum())


def consistency_claims(model: Any, strangers: int, covers: Any, positive: np.ndarray) -> list[Claim]:
    """V1: every cell has a value of its attribute. V2: complete and correct."""
    return [
        Claim.at_most("V1", "cells whose value is in no domain", strangers, 0),
        agreement_claim(model, "V2", "positive examples that are not covered", int((positive & ~covers).sum())),
        agreement_claim(model, "V2", "negative examples that are covered", int((covers & ~positive).sum())),
    ]


def term_dnf_clauses(truth: np.ndarray, positive: np.ndarray, k: int) -> Iterator[list[int]]:
    """Clauses that can all be true exactly when some DNF of k terms is consistent with the rows.

    Variable 1 + c·2n + l says that literal l is in term c, and 1 + k·2n + c·P + i that term c is the one chosen to
    cover the i-th of the P positive rows. Terms may be numbered in the order in which they are first chosen, so the
    i-th positive row chooses one of the first i + 1.
    """
    literals, chosen = truth.shape[1], int(positive.sum())
    for i, row in enumerate(truth[positive]):
        choices = [1 + k * literals + c * chosen + i for c in range(min(k, i + 1))]
        yield choices
        for c, choice in enumerate(choices):
            for literal in np.flatnonzero(~row).tolist():
                yield [-choice, -(1 + c * literals + literal)]
    for row in truth[~positive]:
        for c in range(k):
            yield [1 + c * literals + literal for literal in np.flatnonzero(~row).tolist()]


def _falsified(clauses: np.ndarray, truth: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(clauses false at a positive row, rows at which no clause is false)."""
    # Eight rows a byte; the last column is the filling −1, never true.
    columns = np.packbits(np.vstack([truth.T, np.zeros(len(truth), dtype=bool)]), axis=1)
    must = np.packbits(positive)
    falsified, covers = np.zeros(len(clauses), dtype=bool), np.full(columns.shape[1], 255, dtype=np.uint8)
    step = max(1, CHUNK // max(len(must), 1))
    for start in range(0, len(clauses), step):
        some = clauses[start : start + step]
        true = columns[some[:, 0]]
        for j in range(1, some.shape[1]):
            true |= columns[some[:, j]]
        falsified[start : start + step] = (must & ~true).any(axis=1)
        covers &= np.bitwise_and.reduce(true, axis=0)
    return falsified, np.unpackbits(covers, count=len(truth)).astype(bool)


def _elimination_claims(
    clauses: np.ndarray, falsified: np.ndarray, examples: np.ndarray, k: int, parts: str, side: str
) -> list[Claim]:
    """The clauses are different, of at most k variables, unrefuted, and as many as there are: so all of them."""
    n = examples.shape[1] // 2
    variables = np.sort(np.where(clauses >= 0, clauses % n, -1 - np.arange(clauses.shape[1])), axis=1)
    wrong = (
        falsified
        | (np.diff(variables, axis=1) == 0).any(axis=1)
        | ((clauses >= 0).sum(axis=1) > k)
        | (clauses < 0).all(axis=1)
    )
    ordered = np.sort(clauses, axis=1)
    ordered = ordered[np.lexsort(ordered.T)]
    repeated = int(np.all(ordered[1:] == ordered[:-1], axis=1).sum())
    missing = count_unrefuted(examples, k) - len(clauses)
    return [
        Claim.at_most("V9", f"{parts} that a {side} example rules out, or too long, or repeated",
                      int(wrong.sum()) + repeated, 0),
        Claim.at_most("V9", f"{parts} of at most {k} literals that no {side} example rules out, yet missing",
                      abs(missing), 0),
    ]  # fmt: skip


def count_unrefuted(examples: np.ndarray, k: int) -> int:
    """How many clauses of 1 to k literals of different variables are true at every example.

    A clause is false at an example that has the opposite literals, so the sets of up to k literals of different
    variables that no example has together are counted: the zeros of Gram matrices of columns, over the examples that
    have the other literals of a set. Most are not zero after some of these; the sets left are looked for in all.
    """
    n = examples.shape[1] // 2
    bits = np.packbits(examples, axis=0).T
    total = int((~examples.any(axis=0)).sum())
    for size in range(2, min(k, n) + 1):
        for prefix in combinations(range(n), size - 2):
            later = np.arange(prefix[-1] + 1 if prefix else 0, n)
            literal = np.concatenate([later, later + n])
            pairs = np.add.outer(-np.tile(later, 2), np.tile(later, 2)) > 0  # the second variable comes after the first
            for signs in product((0, n), repeat=len(prefix)):
                having = examples[:, [v + s for v, s in zip(prefix, signs)]].all(axis=1)
                some = examples[np.ix_(np.flatnonzero(having)[:SOME], literal)].astype(np.float32)
                first, second = np.nonzero((some.T @ some == 0) & pairs)
                together = bits[literal[first]] & bits[literal[second]] & np.packbits(having)
                total += int((~together.any(axis=1)).sum())
    return total


def _split_at_zeros(numbers: Any) -> list[list[int]]:
    """The clauses of a proof kept as one array, each ended by 0."""
    numbers = np.asarray(numbers)
    ends = np.flatnonzero(numbers == 0)
    return [part[part != 0].tolist() for part in np.split(numbers, ends + 1)[: len(ends)]]
