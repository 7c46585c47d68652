"""What the theory guarantees of sparse estimators: oracle bounds, restricted eigenvalues, signs."""
