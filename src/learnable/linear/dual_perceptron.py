"""The perceptron seen from its mistakes. Syllabus: P9."""

import numpy as np


def dual_coefficients(mistake_log: np.ndarray, n_rows: int) -> np.ndarray:
    """α, how often a mistake was made on each row: θ = η Σ αᵢ yᵢ xᵢ, b = η Σ αᵢ yᵢ and Σ αᵢ is the number of mistakes.

    Parameters
    ----------
    mistake_log : rows on which mistakes were made, in order: an entry of `Perceptron.mistake_log_`.
    n_rows : rows of the training data.

    Returns
    -------
    array (n_rows,) of int

    Examples
    --------
    >>> from learnable.linear import Perceptron
    >>> X, y = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -1.0], [-2.0, 0.5]]), np.array([1, 1, -1, -1])
    >>> model = Perceptron(shuffle=False).fit(X, y)
    >>> alpha = dual_coefficients(model.mistake_log_[0], len(y))
    >>> int(alpha.sum()) == model.n_mistakes_, bool(np.allclose((alpha * y) @ X, model.coef_))
    (True, True)
    """
    log = np.asarray(mistake_log)
    if log.size and (log.min() < 0 or log.max() >= n_rows):
        raise ValueError(f"dual_coefficients(n_rows={n_rows}): the log names row {log.max()}, beyond the data")
    return np.bincount(log.astype(np.intp), minlength=n_rows)
