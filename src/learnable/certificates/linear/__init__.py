"""What is proved: linear models."""
