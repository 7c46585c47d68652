"""Linear models: perceptron, least squares, ridge, logistic regression."""

from learnable.linear.linear_regression import LinearRegression
from learnable.linear.logistic_regression import LogisticRegression
from learnable.linear.perceptron import Perceptron
from learnable.linear.ridge import Ridge
from learnable.linear.ridge_path import ridge_path

__all__ = ["LinearRegression", "LogisticRegression", "Perceptron", "Ridge", "ridge_path"]
