"""What is minimised: clusterings, mixtures, graphs and projections."""
