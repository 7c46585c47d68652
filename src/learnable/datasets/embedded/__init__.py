"""Tables that ship with the package."""

from learnable.datasets.embedded.catalogue import Entry, entry, load, names

__all__ = ["Entry", "entry", "load", "names"]
