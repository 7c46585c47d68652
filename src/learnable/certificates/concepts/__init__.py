"""What is proved: concept learning."""
