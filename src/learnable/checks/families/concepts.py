"""Concept learners under the checks: tables of attributes, bits and boxes; other hypotheses than the learnt one."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np

from learnable.checks.registry import register
from learnable.concepts.conjunction import ANY, Conjunction


def attributes(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """200 rows of 6 attributes with 3 values each, labelled by ⟨?, 1, ?, ?, 2, ?⟩; members come first."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, size=(200, 6))
    X[:40, 1], X[:40, 4] = 1, 2
    return X, np.where((X[:, 1] == 1) & (X[:, 4] == 2), "member", "foreign")


def a_monomial(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """200 rows of 6 zeros and ones, labelled by x1 ∧ ¬x4; members come first."""
    X = np.random.default_rng(seed).integers(0, 2, size=(200, 6))
    X[:40, 1], X[:40, 4] = 1, 0
    return X, np.where((X[:, 1] == 1) & (X[:, 4] == 0), "member", "foreign")


def a_disjunction(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """200 rows of 6 zeros and ones, labelled by x1 ∨ ¬x4; examples outside come first."""
    X = np.random.default_rng(seed).integers(0, 2, size=(200, 6))
    X[:40, 1], X[:40, 4] = 0, 1
    return X, np.where((X[:, 1] == 1) | (X[:, 4] == 0), "member", "foreign")


def a_cnf(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of 7 bits labelled by (x0 ∨ x1) ∧ (¬x2 ∨ x3) ∧ x4, the first one positive."""
    X = np.random.default_rng(seed).integers(0, 2, (200, 7))
    X[0] = [1, 1, 0, 1, 1, 0, 1]
    return X, np.where((X[:, 0] | X[:, 1]) & (1 - X[:, 2] | X[:, 3]) & X[:, 4], "yes", "no")


def a_dnf(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of 7 bits labelled by (x0 ∧ x1) ∨ (¬x2 ∧ x3) ∨ x4, the first one negative."""
    X = np.random.default_rng(seed).integers(0, 2, (200, 7))
    X[0] = [0, 1, 1, 0, 0, 0, 1]
    return X, np.where((X[:, 0] & X[:, 1]) | (1 - X[:, 2] & X[:, 3]) | X[:, 4], "yes", "no")


def three_terms(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of 6 bits labelled by (x0 ∧ x1) ∨ (¬x0 ∧ x2) ∨ (¬x1 ∧ ¬x2 ∧ x3), the first one positive."""
    X = np.random.default_rng(seed).integers(0, 2, (200, 6))
    X[0] = [1, 1, 1, 1, 1, 0]
    a, b, c, d = X[:, :4].T.astype(bool)
    return X, np.where((a & b) | (~a & c) | (~b & ~c & d), "yes", "no")


def a_box(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of a cube labelled by a box in the first three coordinates, the first one inside."""
    X = np.random.default_rng(seed).uniform(-1.0, 1.0, (200, 4))
    X[0] = [0.2, 0.3, -0.1, 0.5]
    return X, np.where(np.all((X[:, :3] > -0.5) & (X[:, :3] < 0.7), axis=1), "yes", "no")


def a_half_space(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points on both sides of a plane that misses the origin, none near it."""
    X = np.random.default_rng(seed).standard_normal((200, 5))
    score = X @ np.array([2.0, -1.5, 1.0, 0.5, 0.0]) + 0.7
    X[:, 0] += np.where(score > 0.0, 0.3, -0.3)
    return X, np.where(score > 0.0, "up", "down")


def other_conjunctions(model: Any) -> Iterator[tuple[str, Any]]:
    """Copies with another hypothesis, which the certificate must reject."""
    constraints = model.hypothesis_.constraints
    for j, constraint in enumerate(constraints):
        others = [v for v in (ANY, *model.attributes_.domains[j]) if v != constraint]
        for other in others:
            changed = deepcopy(model)
            changed.hypothesis_ = Conjunction((*constraints[:j], other, *constraints[j + 1 :]))
            yield f"constraint {j} became {other!r}", changed
    changed = deepcopy(model)
    changed.hypothesis_ = Conjunction.nothing(len(constraints))
    yield "the hypothesis became empty", changed


def other_boundaries(model: Any) -> Iterator[tuple[str, Any]]:
    """Copies with other boundaries, which the certificate must reject."""
    space, table = model.version_space_, model.attributes_
    for k, member in enumerate(space.general):
        rest = (*space.general[:k], *space.general[k + 1 :])
        yield f"member {k} of G was left out", _with(model, replace(space, general=rest))
        for other in (*member.parents(table), *member.children(table)):
            yield f"member {k} of G became {other}", _with(model, replace(space, general=(*rest, other)))
        yield f"member {k} of G was doubled", _with(model, replace(space, general=(*space.general, member)))
    for other in (*space.specific.parents(table), *space.specific.children(table)):
        yield f"S became {other}", _with(model, replace(space, specific=other))


def _with(model: Any, space: Any) -> Any:
    changed = deepcopy(model)
    changed.version_space_ = space
    return changed


def other_literals(model: Any) -> Iterator[tuple[str, Any]]:
    """Copies with a literal more or less, which the certificate must reject."""
    kept, n = model.hypothesis_.literals, model.hypothesis_.n_variables
    for literal in range(2 * n):
        changed = deepcopy(model)
        changed.hypothesis_ = model._hypothesis(np.array(sorted(set(kept) ^ {literal}), dtype=int), n)
        yield f"literal {literal} was {'deleted' if literal in kept else 'added'}", changed


def other_boxes(model: Any) -> Iterator[tuple[str, Any]]:
    """Copies with a face moved, none of which is the tightest box of the same data, or another support."""
    for corner in ("low_", "high_"):
        for shift in (-1e-6, 1e-6):
            copy = deepcopy(model)
            getattr(copy, corner)[-1] += shift * (model.high_[-1] - model.low_[-1])
            yield f"the last entry of {corner} was moved", copy
    copy = deepcopy(model)
    copy.support_ = model.support_[::-1]
    yield "the rows of the low and the high faces were exchanged", copy


def other_formulas(model: Any) -> Iterator[tuple[str, Any]]:
    """Copies with a changed formula, none of which is a valid answer for the same data."""
    parts, n = model.hypothesis_.parts, model.hypothesis_.n_variables
    negated, shortened = parts.copy(), parts.copy()
    negated[0, 0] = (parts[0, 0] + n) % (2 * n)
    shortened[0, 0] = -1
    changes = {
        "without its last part": parts[:-1],
        "with a literal negated": negated,
        "with a literal left out": shortened,
    }
    for what, changed in changes.items():
        copy = deepcopy(model)
        copy.hypothesis_ = type(model.hypothesis_)(changed, n)
        yield f"the formula {what}", copy


register("FindS", data=attributes, altered=other_conjunctions)
register("CandidateElimination", data=attributes, altered=other_boundaries)
register("MonomialLearner", data=a_monomial, altered=other_literals)
register("DisjunctionLearner", data=a_disjunction, altered=other_literals)
register("KCNFLearner", data=a_cnf, altered=other_formulas)
register("KDNFLearner", data=a_dnf, altered=other_formulas)
register("KTermDNFLearner", data=three_terms, altered=other_formulas)
register("RectangleLearner", data=a_box, altered=other_boxes)
register("HalfSpaceLearner", data=a_half_space)
