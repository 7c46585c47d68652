"""What graphical models are about: formulas of tests, likelihoods and error bounds."""
