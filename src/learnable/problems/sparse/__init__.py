"""What is minimised: sparse models."""
