"""Markov decision processes: planning with a known model, Q-learning without one."""

__all__: list[str] = []
