"""The learners of the panel, tuned and tried on the same folds."""
