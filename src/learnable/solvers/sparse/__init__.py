"""How: sparse models."""
