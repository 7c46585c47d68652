"""How: linear models."""
