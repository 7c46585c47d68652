"""What is proved: decision processes."""
