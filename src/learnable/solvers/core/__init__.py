"""How: what the solvers of several families share."""
