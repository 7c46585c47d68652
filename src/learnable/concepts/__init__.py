"""Concept learning: hypothesis languages, version spaces, learners of formulas, rectangles and half-spaces."""

__all__: list[str] = []
