"""What is minimised: losses, penalties and the problems made of them. Plain data and formulas, no algorithm."""

from learnable.problems import losses, penalties
from learnable.problems.linear import LinearProblem

__all__ = ["LinearProblem", "losses", "penalties"]
