"""Random Fourier features of the radial kernel. Syllabus: K5."""

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from learnable.base import Fitting, Learner, refuse_unreadable, validate_data
from learnable.certificates.core import digest_generator
from learnable.kernels.kernel_parameters import COUNT, WIDTH
from learnable.problems.kernels.fourier import PAIRS, draw, pair_errors, rows_in_pairs
from learnable.problems.kernels.named import width
from learnable.rows import as_rows, is_streamed
from learnable.seeds import generator_from
from learnable.solvers.kernels.random_features import features
from learnable.trace import Status, to_the_end


class DrawnState(NamedTuple):
    """The frequencies and phases drawn."""

    objective: float
    weights: np.ndarray
    offset: np.ndarray


class RBFSampler(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Learner):
    """Φ(x) = √(2/m) cos(xᵀΩ + φ), Ω normal with variance 2γ, φ uniform: Φ(x)·Φ(z) is e^{−γ‖x − z‖²} on average.

    Between any two points the error exceeds ε with a probability of at most 2 e^{−mε²/8}, whatever the dimension.

    Parameters
    ----------
    gamma : float > 0 or "scale", default=1.0
    n_components : int, default=100
    random_state : the draw.

    Attributes
    ----------
    random_weights_ : (p, m) Ω.
    random_offset_ : (m,) φ.
    rms_error_ : root mean squared error of the kernel on pairs of training rows; NaN for one row or rows in blocks.
    status_ : `trace.Status`.
    certificate_ : `certificates.Certificate`, which claims
        K5 the draw is the one that `random_state` names (where it is a number); the size of Ω is that of its law; the
        error on pairs of rows is within its bound (of rows in blocks where `certify` is asked).

    References
    ----------
    Rahimi and Recht (2007), "Random features for large-scale kernel machines".

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((50, 2))
    >>> Phi = RBFSampler(gamma=0.5, n_components=2000, random_state=0).fit_transform(X)
    >>> from learnable.kernels import RBF
    >>> bool(np.abs(Phi @ Phi.T - RBF(0.5)(X)).max() < 0.15)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"gamma": WIDTH, "n_components": COUNT}

    def __init__(self, *, gamma=1.0, n_components=100, random_state=None):
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X, y=None):
        """Draw the features; X says how many columns there are.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : ignored
        """
        return self._learn(X)

    def _pose(self, X, y=None) -> Fitting:
        data = self._validated(X, accept_sparse="csr", dtype=np.float64)
        p = self.n_features_in_
        if is_streamed(X) and self.gamma == "scale":
            raise TypeError(
                "RBFSampler(gamma='scale'): of rows that come in blocks the width must be given as a number"
            )
        gamma = width(self.gamma, np.zeros((1, p)) if is_streamed(X) else data.X, "RBFSampler")
        weights, offset = draw(generator_from(self.random_state, "RBFSampler"), p, int(self.n_components), gamma)
        rms_error = np.nan
        if not is_streamed(X) and data.X.shape[0] > 1:
            first, second = digest_generator(weights, offset).integers(0, data.X.shape[0], (2, PAIRS))
            cells, first, second = rows_in_pairs(data.X, first, second)
            errors = pair_errors(cells, first, second, features(cells, weights, offset), gamma)
            rms_error = math.sqrt(errors @ errors / PAIRS)
        return Fitting(
            iterates=iter([DrawnState(0.0, weights, offset)]),
            stop=to_the_end,
            attributes=lambda state: {
                "random_weights_": state.weights,
                "random_offset_": state.offset,
                "rms_error_": rms_error,
            },
            data=data,
            ended=Status.STATIONARY,
        )

    def transform(self, X) -> np.ndarray:
        """Φ(x), (n, m).

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        check_is_fitted(self)
        if not is_streamed(X):
            refuse_unreadable(X)
            X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        found: Any = as_rows(X).concatenate(lambda block: features(block.X, self.random_weights_, self.random_offset_))
        return found

    @property
    def _n_features_out(self) -> int:
        return self.random_weights_.shape[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
