"""Hypothesis classes with an oracle: is this labelling realised? Here is the hypothesis, or the refutation."""

from learnable.theory.classes.concept_class import ConceptClass, Hypothesis, Refutation, StructuredClass
from learnable.theory.classes.conjunction import Conjunctions, Implied, LiteralConjunction, MonotoneConjunctions
from learnable.theory.classes.half_space import (
    HalfSpace,
    HalfSpaces,
    HullsMeet,
    independent_separator,
    simplex_separator,
)
from learnable.theory.classes.rectangle import Enclosed, Intervals, Rectangle, Rectangles
from learnable.theory.classes.stump import Crossed, Stump, Stumps
from learnable.theory.classes.table import FiniteTable, NoRow, Row

__all__ = [
    "ConceptClass",
    "Conjunctions",
    "Crossed",
    "Enclosed",
    "FiniteTable",
    "HalfSpace",
    "HalfSpaces",
    "HullsMeet",
    "Hypothesis",
    "Implied",
    "Intervals",
    "LiteralConjunction",
    "MonotoneConjunctions",
    "NoRow",
    "Rectangle",
    "Rectangles",
    "Refutation",
    "Row",
    "StructuredClass",
    "Stump",
    "Stumps",
    "independent_separator",
    "simplex_separator",
]
