"""What the two kinds of sparse linear discriminant analysis share: two classes, their means and common covariance."""

from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.multiclass import type_of_target

from learnable.base import Data, LinearClassifier, class_indices
from learnable.base.fit_context import fit_context


class TwoClasses(NamedTuple):
    """Two classes of rows.

    Attributes
    ----------
    classes : the two labels.
    second : (n,) whether a row is in the second class.
    first_mean, second_mean : (p,) means.
    within : (n, p) rows less the mean of their class; Σ̂ = withinᵀ within / n.
    """

    classes: np.ndarray
    second: np.ndarray
    first_mean: np.ndarray
    second_mean: np.ndarray
    within: np.ndarray

    @property
    def difference(self) -> np.ndarray:
        """μ̂₂ − μ̂₁."""
        return self.second_mean - self.first_mean

    def intercept(self, coef: np.ndarray) -> float:
        """The threshold that is best for this direction when the classes are normal with a common covariance.

        −β·(μ̂₁ + μ̂₂)/2 + log(n₂/n₁) βᵀΣ̂β / β·(μ̂₂ − μ̂₁); without a direction the sign says which class is larger.
        """
        n2 = int(self.second.sum())
        odds = float(np.log(n2 / (len(self.second) - n2)))
        apart = float(coef @ self.difference)
        if apart <= 0.0:
            return odds
        spread = self.within @ coef
        return float(-0.5 * coef @ (self.first_mean + self.second_mean) + odds * np.mean(spread**2) / apart)


class SparseDiscriminant(LinearClassifier):
    """Base of classifiers that look for a sparse direction β near Σ̂⁻¹(μ̂₂ − μ̂₁)."""

    alpha: float
    _parameter_constraints: ClassVar[dict[str, Any]]

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Fit the model.

        Parameters
        ----------
        X : array (n, p)
        y : array (n,) of two classes
        """
        return self._learn(X, y)

    def _read(self, X, y) -> tuple[Data, TwoClasses]:
        data = self._validated(X, y, dtype=np.float64, extremes=False, blocks=False)
        classes, index = class_indices(data.y, type(self).__name__)
        if len(classes) > 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {type_of_target(data.y)}: "
                f"{type(self).__name__} found {len(classes)} classes; fit one pair of classes at a time"
            )
        second = index == 1
        means = data.X[~second].mean(axis=0), data.X[second].mean(axis=0)
        within = data.X - np.where(second[:, None], means[1], means[0])
        # What centring leaves of a column that is constant in both classes is rounding.
        within[:, np.abs(within).max(axis=0) <= 1e-13 * np.abs(data.X).max(axis=0)] = 0.0
        return data, TwoClasses(classes, second, *means, within)

    def _answer(self, two: TwoClasses, coef: np.ndarray) -> dict[str, Any]:
        return {"classes_": two.classes, "coef_": coef[None], "intercept_": np.array([two.intercept(coef)])}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.classifier_tags.multi_class = False
        return tags
