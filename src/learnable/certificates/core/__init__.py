"""What is proved: what every family shares."""
