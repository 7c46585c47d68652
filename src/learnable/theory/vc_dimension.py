"""VC dimension with its proof: a shattered set, and all larger sets refuted."""

from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from learnable.theory.classes import ConceptClass, FiniteTable, Hypothesis, Refutation, StructuredClass
from learnable.theory.dichotomies import Dichotomies, dichotomies
from learnable.theory.proof import DomainRefuted, ShatteredSet, StructureRefuted, VCProof, as_rows


def vc_dimension(concept_class: ConceptClass, domain: ArrayLike | None = None) -> VCProof:
    """The VC dimension of a class, on its whole domain or on given points.

    Parameters
    ----------
    concept_class : ConceptClass
        The class.
    domain : array-like or None
        Points to stay within; the answer is then by exhaustive search. None takes the whole domain: exhaustively where
        the class is a table, by the structure of the class otherwise.

    Returns
    -------
    VCProof
        With the dimension as `value`; `check()` verifies it independently.

    Syllabus: T15, T16.

    Examples
    --------
    >>> from learnable.theory import Conjunctions, HalfSpaces, Rectangles
    >>> proof = vc_dimension(Rectangles(2))
    >>> proof.value, proof.check()
    (4, True)
    >>> vc_dimension(HalfSpaces(2), [[0, 0], [1, 0], [2, 0]]).value      # on a line half-planes are rays
    2
    >>> vc_dimension(Conjunctions(3)).value
    3
    """
    if domain is not None:
        return _on_domain(concept_class, concept_class.as_points(domain))
    if isinstance(concept_class, FiniteTable):
        return _on_domain(concept_class, concept_class.domain(), Dichotomies.of_rows(concept_class.table))
    if not isinstance(concept_class, StructuredClass):
        raise TypeError(f"vc_dimension({concept_class!r}): its structure is not known; give a finite domain")
    d = concept_class.dimension
    points = concept_class.shattered_points()
    upper = StructureRefuted(concept_class, d, concept_class.argument)
    return VCProof(d, _shattered(concept_class, points), upper)


def _on_domain(concept_class: ConceptClass, points: np.ndarray, found: Dichotomies | None = None) -> VCProof:
    if found is None:
        found, _ = dichotomies(concept_class, points)
    levels, missing = found.shattered_levels()
    refuted = {}
    for members, labels in missing.items():
        refuted[members] = _refutation(concept_class, points[list(members)], labels)
    d = len(levels) - 1
    lower = _shattered(concept_class, points[list(levels[-1][0])])
    return VCProof(d, lower, DomainRefuted(concept_class, as_rows(points), d, refuted))


def _refutation(
    concept_class: ConceptClass, points: np.ndarray, missing: tuple[bool, ...]
) -> tuple[tuple[bool, ...], Refutation]:
    """A labelling of the points that is not realised, and why; a structured class finds its own without a search."""
    if isinstance(concept_class, StructuredClass):
        answer = concept_class.refute(points)
        if answer is not None:
            return tuple(answer[0].tolist()), answer[1]
    else:
        reason = concept_class.realise(points, missing)
        if isinstance(reason, Refutation):
            return missing, reason
    raise ArithmeticError(f"{concept_class!r}: the oracle contradicts itself on the labels {missing}")


def _shattered(concept_class: ConceptClass, points: np.ndarray) -> ShatteredSet:
    hypotheses: dict[tuple[bool, ...], Hypothesis] = {}
    for labels in product((False, True), repeat=len(points)):
        answer = concept_class.realise(points, labels)
        if isinstance(answer, Refutation):
            raise ArithmeticError(f"{concept_class!r}: labels {labels} are refuted on a set it should shatter")
        hypotheses[labels] = answer
    return ShatteredSet(as_rows(points), hypotheses)
