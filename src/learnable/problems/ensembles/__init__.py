"""Formulas of ensembles: weights of votes, losses of boosting."""
