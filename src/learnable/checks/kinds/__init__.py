"""Kinds of learners: what they are checked on, what users read off them, how their data are altered."""

from learnable.checks.kinds.kind import CheckData, Kind, kind_of

__all__ = ["CheckData", "Kind", "kind_of"]
