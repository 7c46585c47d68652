"""Loops that several families of solvers share."""
