"""What is proved about trained networks."""
