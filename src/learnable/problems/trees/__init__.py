"""Formulas of trees: impurities, gains, the arrays of a tree, costs of pruning."""
