"""What is minimised: what every family shares."""
