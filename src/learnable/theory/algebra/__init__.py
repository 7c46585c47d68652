"""Matrices: inner products, semidefiniteness, products, pseudoinverse, general position, well-posedness."""
