"""How trees are grown and pruned."""
