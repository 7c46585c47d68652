"""scikit-learn's own tests, run with our classes in place of scikit-learn's: `python -m compat`."""
