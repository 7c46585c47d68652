"""What is minimised: losses, penalties and the problems made of them. Plain data and formulas, no algorithm."""

from learnable.problems.core.duality import Gap, duality_gap
from learnable.problems.linear import losses
from learnable.problems.linear.linear import LinearProblem
from learnable.problems.linear.units import LinearUnitLoss, SigmoidUnitLoss
from learnable.problems.sparse import penalties

__all__ = ["Gap", "LinearProblem", "LinearUnitLoss", "SigmoidUnitLoss", "duality_gap", "losses", "penalties"]
