"""What is proved: sparse models."""
