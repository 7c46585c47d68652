"""How: loops that the solvers of several families share."""
