"""What is minimised: losses, penalties and the problems made of them. Plain data and formulas, no algorithm."""

from learnable.problems.linear import losses
from learnable.problems.linear.linear import LinearProblem
from learnable.problems.sparse import penalties

__all__ = ["LinearProblem", "losses", "penalties"]
