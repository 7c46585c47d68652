"""AdaBoost."""

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from learnable._jit.core.vectors import read_only
from learnable._jit.ensembles.stumps import vote
from learnable.base import Fitting, Learner, refuse_continuous, validate_data
from learnable.base.classes import distinct
from learnable.config import config_context
from learnable.ensembles.decision_stump import DecisionStump
from learnable.ensembles.member_copies import unfitted_copies
from learnable.ensembles.member_tables import for_members
from learnable.problems.ensembles.votes import Stumps, l1_margins
from learnable.seeds import seed_from
from learnable.solvers.ensembles import ada_boost
from learnable.trace import Status, budget

# How tables are read, at the fit and afterwards.
READ: dict[str, Any] = {"accept_sparse": ["csr", "csc"], "dtype": np.float64}


class AdaBoostClassifier(ClassifierMixin, Learner):
    """AdaBoost: f = Σ α_t h_t with α_t = ½ log((1 − ε_t)/ε_t); wrong rows gain weight, D ← D e^{−α y h}/Z.

    The weak learner is the tree of depth 1 of least Gini impurity, as in scikit-learn; `DecisionStump()` is the stump
    of least weighted error. For two classes both are found from columns sorted once. It stops when a hypothesis makes
    no mistake (it then outvotes the others) or is no better than chance. More than two classes: the multi-class votes
    α + ½ log(K − 1). Drop-in for `sklearn.ensemble.AdaBoostClassifier`. Syllabus: B1–B4, B6, B8–B10.

    Parameters
    ----------
    estimator : classifier that takes sample_weight, default=None
    n_estimators : int, default=50
    learning_rate : float, default=1.0
        Multiplies the votes; the bounds on the training error are claimed for 1.
    random_state : seeds given to `estimator`.
    convention : {"half", "full"}, default="half"
        "full" states the votes log((1 − ε)/ε), twice as large: the same classifier.

    Attributes
    ----------
    classes_, n_classes_ : the classes
    stumps_ : `problems.ensembles.votes.Stumps`; or members_ : list, with another weak learner
    estimators_ : list, the hypotheses as estimators; feature_importances_ : shares of the columns in the votes
    estimator_weights_, estimator_errors_, normalizers_ : arrays (T,), α_t, ε_t and Z_t
    margins_ : array (n,), y f(x)/‖α‖₁ of the training rows (two classes)
    certificate_ : `certificates.Certificate`, which claims
        B1 : under the weights of its round no stump is purer (with `DecisionStump`: errs less).
        B2 : ε, α and Z follow from the data. B3 : after its round each hypothesis has weighted error ½.
        B4 : training error ≤ Π Z ≤ exp(−2 Σ (½ − ε)²).
        B8 : margins; the least is disclosed. B9 : share of margins ≤ 0.1 within its bound.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.ensembles import AdaBoostClassifier
    >>> X = np.random.default_rng(0).standard_normal((200, 2))
    >>> model = AdaBoostClassifier(n_estimators=40).fit(X, X[:, 0] + X[:, 1] > 0)
    >>> model.score(X, X[:, 0] + X[:, 1] > 0) > 0.9, model.certificate_.holds
    (True, True)
    """

    _redone = True

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
        "convention": [StrOptions({"half", "full"})],
    }

    def __init__(self, estimator=None, *, n_estimators=50, learning_rate=1.0, random_state=None, convention="half"):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.convention = convention

    def fit(self, X, y, sample_weight=None):
        """Boost.

        Parameters
        ----------
        X : array (n, p), or sparse matrix: members whose tags say that they take one are given it
            An array of more dimensions where the members of an `estimator` that is given take one.
        y : array (n,)
        sample_weight : array (n,), default=None
        """
        self._validate_params()
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        checks = READ | {"allow_nd": self._takes_more_dimensions}
        data = self._validated(for_members(self, X), y, _by_the_largest(sample_weight), blocks=False, **checks)
        refuse_continuous(data.y)
        self.classes_, index = distinct(data.y)
        K = len(self.classes_)
        weight = np.ones(len(index)) if data.sample_weight is None else data.sample_weight.astype(float)
        on_stumps = K == 2 and (self.estimator is None or type(self.estimator) is DecisionStump)
        weak = self._stumps(data.X, index, weight) if on_stumps else self._others(data.X, data.y)
        factor = 1.0 if self.convention == "half" else 2.0

        def attributes(state: ada_boost.AdaBoostState) -> dict[str, Any]:
            rounds = state.rounds
            alpha = np.array([each.alpha for each in rounds])
            found: dict[str, Any] = {
                "n_classes_": K,
                "estimator_weights_": factor * alpha,
                "estimator_errors_": np.array([each.error for each in rounds]),
                "normalizers_": np.array([each.z for each in rounds]),
            }
            if on_stumps:
                found["stumps_"] = Stumps(
                    np.array([each.hypothesis.feature for each in rounds]),
                    np.array([each.hypothesis.threshold for each in rounds]),
                    np.array([each.hypothesis.sign for each in rounds]),
                )
            else:
                found["members_"] = [each.hypothesis for each in rounds]
            if K == 2:
                edge = np.sum([each.alpha * np.where(each.hit, 1.0, -1.0) for each in rounds], axis=0)
                found["margins_"] = l1_margins(np.ones(len(index)), edge, alpha)
            return found

        states = ada_boost.iterates(weak, weight, K, float(self.learning_rate))
        return Fitting(
            states, budget(self.n_estimators), attributes, data, ended=Status.STATIONARY,
            max_steps=self.n_estimators, advice="",
        )  # fmt: skip

    def _stumps(self, X: np.ndarray, index: np.ndarray, weight: np.ndarray) -> ada_boost.Weak:
        rows, sign = ada_boost.counted(weight), 2.0 * index - 1.0
        columns = ada_boost.presort(X[rows])
        best = ada_boost.gini_stump if self.estimator is None else ada_boost.stump

        def weak(D: np.ndarray):
            found = best(columns, sign[rows], D[rows])
            above = X[:, found.feature] > found.threshold
            return found, (above == (found.sign > 0)) == (sign > 0)

        return weak

    def _others(self, X: Any, y: np.ndarray) -> ada_boost.Weak:
        from learnable.trees import DecisionTreeClassifier

        base = DecisionTreeClassifier(max_depth=1) if self.estimator is None else self.estimator
        if not has_fit_parameter(base, "sample_weight"):
            raise ValueError(f"{type(base).__name__} doesn't support sample_weight.")
        seeds, copied = _words(seed_from(self.random_state, type(self).__name__)), unfitted_copies(base)

        def weak(D: np.ndarray):
            member = copied()
            if "random_state" in member.get_params():
                member.set_params(random_state=next(seeds) % 2**31)
            with config_context(certificates=False):
                member.fit(X, y, sample_weight=D * len(D))
            return member, member.predict(X) == y

        return weak

    @property
    def estimators_(self) -> list[Any]:
        """The hypotheses as estimators."""
        check_is_fitted(self)
        if not hasattr(self, "stumps_"):
            return self.members_
        found = []
        for feature, threshold, sign, error in zip(*self.stumps_, self.estimator_errors_):
            stump = DecisionStump()
            stump.classes_, stump.n_features_in_ = self.classes_, self.n_features_in_
            stump.feature_, stump.threshold_ = int(feature), float(threshold)
            stump.sign_, stump.error_ = int(sign), float(error)
            found.append(stump)
        return found

    @property
    def feature_importances_(self) -> np.ndarray:
        """(p,) shares of the columns: those of the hypotheses, weighted by their votes."""
        check_is_fitted(self)
        total = np.zeros(self.n_features_in_)
        if hasattr(self, "stumps_"):
            np.add.at(total, self.stumps_.feature, self.estimator_weights_)
        else:
            for member, alpha in zip(self.members_, self.estimator_weights_):
                total += alpha * member.feature_importances_
        return total / total.sum() if total.sum() > 0.0 else total

    def _cells(self, X) -> Any:
        check_is_fitted(self)
        return validate_data(self, for_members(self, X), reset=False, allow_nd=self._takes_more_dimensions, **READ)

    @property
    def _takes_more_dimensions(self) -> bool:
        """Whether X may have more than rows and columns: the members of an estimator that is given know what of."""
        return self.estimator is not None and type(self.estimator) is not DecisionStump

    def decision_function(self, X) -> np.ndarray:
        """Σ α_t h_t(x); for K > 2 classes the votes of each class, divided by Σ α."""
        X = self._cells(X)
        if hasattr(self, "stumps_"):
            out = np.empty(len(X))
            vote(*map(read_only, (X, *self.stumps_, self.estimator_weights_)), out)
            return out
        *_, score = self.staged_decision_function(X)
        return score

    def staged_decision_function(self, X):
        """`decision_function` after every round."""
        X = self._cells(X)
        votes, total = np.zeros((X.shape[0], self.n_classes_)), 0.0
        for member, alpha in zip(self.estimators_, self.estimator_weights_):
            said = member.predict(X)[:, None] == self.classes_
            votes += alpha * np.where(said, 1.0, -1.0 / max(self.n_classes_ - 1, 1))
            total += alpha
            yield votes[:, 1].copy() if self.n_classes_ == 2 else votes / max(float(total), 1e-300)

    def _label(self, score: np.ndarray) -> np.ndarray:
        return self.classes_[(score >= 0.0).astype(int) if score.ndim == 1 else score.argmax(axis=1)]

    def predict(self, X) -> np.ndarray:
        """The class with the larger vote; the second one at 0."""
        return self._label(self.decision_function(X))

    def staged_predict(self, X):
        """`predict` after every round."""
        for score in self.staged_decision_function(X):
            yield self._label(score)

    def staged_score(self, X, y, sample_weight=None):
        """Accuracy after every round."""
        for said in self.staged_predict(X):
            yield float(np.average(said == np.asarray(y), weights=sample_weight))

    def _probabilities(self, score: np.ndarray, total: float) -> np.ndarray:
        factor = 1.0 if self.convention == "half" else 0.5
        if score.ndim == 1:
            return softmax(np.column_stack([-factor * score, factor * score]), axis=1)
        return softmax(factor * score * total / max(self.n_classes_ - 1, 1), axis=1)

    def predict_proba(self, X) -> np.ndarray:
        """σ(2f): the population minimiser of the exponential loss is half the log odds. Syllabus: B6."""
        return self._probabilities(self.decision_function(X), float(self.estimator_weights_.sum()))

    def predict_log_proba(self, X) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_predict_proba(self, X):
        """`predict_proba` after every round."""
        for score, total in zip(self.staged_decision_function(X), np.cumsum(self.estimator_weights_)):
            yield self._probabilities(score, float(total))

    def staged_margins(self, X, y):
        """Margins y f/‖α‖₁ after every round, for two classes. Syllabus: B8."""
        X = self._cells(X)
        sign = np.where(np.asarray(y) == self.classes_[1], 1.0, -1.0)
        hypotheses = (
            self.stumps_.predict(X) if hasattr(self, "stumps_")
            else np.array([np.where(m.predict(X) == self.classes_[1], 1.0, -1.0) for m in self.members_])
        )  # fmt: skip
        score = np.cumsum(self.estimator_weights_[:, None] * hypotheses, axis=0)
        for t in range(len(score)):
            yield l1_margins(sign, score[t], self.estimator_weights_[: t + 1])

    def generalisation_bound(self, X, y, rho: float = 0.1, delta: float = 0.05) -> dict[str, float]:
        """With probability 1 − δ over the training rows: R ≤ R̂_ρ + (2/ρ) Rad(stumps) + √(log(1/δ)/(2n)).

        Rad(conv H) = Rad(H) for the stumps, at most √(2 log Π/n) by Massart's lemma, with Π ≤ 2 p (n − 1) + 2 the
        number of ways in which stumps label n rows. Syllabus: B10.

        Returns
        -------
        dict : "margin loss", "complexity", "confidence", "bound"; a bound of 1 or more says nothing.
        """
        if not hasattr(self, "stumps_"):
            raise ValueError("generalisation_bound: known for stumps only; fit two classes with estimator=None")
        if not 0.0 < rho <= 1.0 or not 0.0 < delta < 1.0:
            raise ValueError(
                f"generalisation_bound(rho={rho}, delta={delta}): 0 < rho <= 1 and 0 < delta < 1 are needed"
            )
        *_, margins = self.staged_margins(X, y)
        n, p = np.shape(X)
        labellings = 2 * p * (n - 1) + 2
        terms = {
            "margin loss": float(np.mean(margins <= rho)),
            "complexity": 2.0 / rho * float(np.sqrt(2.0 * np.log(labellings) / n)),
            "confidence": float(np.sqrt(np.log(1.0 / delta) / (2.0 * n))),
        }
        return terms | {"bound": sum(terms.values())}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _by_the_largest(weight: Any) -> Any:
    """Weights as shares of the largest, for only shares count here; what is no row of such numbers is left to checks.

    >>> _by_the_largest(np.full(2, 1e-263)), _by_the_largest("many")
    (array([1., 1.]), 'many')
    """
    weights = np.asarray(weight)
    if weights.dtype.kind not in "iuf" or not np.isfinite(weights).all() or not weights.max(initial=0) > 0:
        return weight
    return weights / weights.max()


def _words(seeds: np.random.SeedSequence) -> Iterator[int]:
    """The words of a seed sequence, some at a time: there may be fewer rounds than are asked for."""
    known, size = 0, 64
    while True:
        yield from seeds.generate_state(size)[known:].tolist()  # which begins as before
        known, size = size, 2 * size
