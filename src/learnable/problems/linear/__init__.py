"""What is minimised: linear models."""
