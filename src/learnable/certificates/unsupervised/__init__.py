"""What is proved about clusterings, mixtures and projections."""
