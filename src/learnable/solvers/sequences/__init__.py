"""How: Markov chains and hidden Markov models."""
