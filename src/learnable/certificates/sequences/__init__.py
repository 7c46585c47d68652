"""What is proved: Markov chains and hidden Markov models."""
