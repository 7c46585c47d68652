"""How networks are trained: mini-batches, rules of descent, and L-BFGS."""
