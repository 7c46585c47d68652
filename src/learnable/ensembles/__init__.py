"""Ensembles of learners: bagging, forests, boosting."""
