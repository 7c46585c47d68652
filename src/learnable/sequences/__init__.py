"""Markov chains and hidden Markov models."""

__all__: list[str] = []
