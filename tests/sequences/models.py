"""Random models and sequences for the tests of this room."""

import numpy as np

from learnable.sequences import CategoricalHMM, GaussianHMM, MultinomialHMM


def holding(model, **answers):
    """The model with these fitted attributes set by hand."""
    for name, value in answers.items():
        setattr(model, name, np.array(value, dtype=float))
    return model


def random_chain(K, generator, zeros=False):
    start, A = generator.dirichlet(np.ones(K)), generator.dirichlet(np.ones(K), size=K)
    if zeros:
        # Left to right: nothing below the diagonal.
        A = np.triu(A) / np.triu(A).sum(axis=1, keepdims=True)
        start = np.eye(K)[0]
    return start, A


def random_categorical(K, V, generator, zeros=False, **settings):
    start, A = random_chain(K, generator, zeros)
    B = generator.dirichlet(np.ones(V), size=K)
    return holding(CategoricalHMM(K, **settings), startprob_=start, transmat_=A, emissionprob_=B)


def random_multinomial(K, V, generator, zeros=False, **settings):
    start, A = random_chain(K, generator, zeros)
    B = generator.dirichlet(np.ones(V), size=K)
    return holding(MultinomialHMM(K, n_trials=3, **settings), startprob_=start, transmat_=A, emissionprob_=B)


def random_gaussian(K, d, kind, generator, zeros=False, **settings):
    start, A = random_chain(K, generator, zeros)
    root = generator.standard_normal((K, d, d))
    full = root @ np.swapaxes(root, 1, 2) + 0.3 * np.eye(d)
    covars = {
        "spherical": generator.gamma(2.0, size=K),
        "diag": generator.gamma(2.0, size=(K, d)),
        "full": full,
        "tied": full[0],
    }[kind]
    model = GaussianHMM(K, covariance_type=kind, **settings)
    return holding(model, startprob_=start, transmat_=A, means_=2.0 * generator.standard_normal((K, d)), covars_=covars)


def starting_from(model, **settings):
    """The same model, unfitted, with its values as the start of a fit."""
    values = {
        f"{name}_init": getattr(model, f"{name}_") for name in model._letters.values() if hasattr(model, f"{name}_")
    }
    return type(model)(**(model.get_params() | values | settings))
