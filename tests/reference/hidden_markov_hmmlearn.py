"""Values for test_sequences.py (needs hmmlearn). Run: python hidden_markov_hmmlearn.py > hidden_markov_hmmlearn.json"""

import json
import sys

import numpy as np


def main() -> None:
    import hmmlearn
    from hmmlearn import hmm

    generator = np.random.default_rng(2024)
    K, d, V, lengths, steps = 3, 2, 4, [40, 1, 25, 60], 7
    n = sum(lengths)
    start, A = generator.dirichlet(np.ones(K)), generator.dirichlet(np.ones(K), size=K)
    means = generator.normal(size=(K, d)) * 2
    X = means[generator.integers(K, size=n)] + generator.normal(size=(n, d))
    symbols = generator.integers(V, size=(n, 1))
    counts = generator.multinomial(5, generator.dirichlet(np.ones(V), size=n))
    B = generator.dirichlet(np.ones(V), size=K)
    found = {
        "source": f"hmmlearn {hmmlearn.__version__}",
        "lengths": lengths,
        "steps": steps,
        "start": start,
        "A": A,
        "B": B,
    }
    found |= {"means": means, "X": X, "symbols": symbols, "counts": counts, "fits": {}}

    def fitted(name, model, data, **values):
        model.startprob_, model.transmat_ = start, A
        for key, value in values.items():
            setattr(model, key, value)
        model.fit(data, lengths)
        best, path = model.decode(data, lengths)
        answer = {"startprob": model.startprob_, "transmat": model.transmat_, "score": model.score(data, lengths)}
        answer |= {
            "viterbi": best,
            "path": path,
            "posterior": model.predict_proba(data, lengths),
            "aic": model.aic(data, lengths),
        }
        answer |= {"bic": model.bic(data, lengths)}
        for key in ("means_", "emissionprob_"):
            if hasattr(model, key):
                answer[key[:-1]] = getattr(model, key)
        if hasattr(model, "_covars_"):
            answer["covars"] = model._covars_
        found["fits"][name] = answer

    settings = {"n_iter": steps, "tol": -np.inf, "init_params": ""}
    for kind in ("spherical", "diag", "full", "tied"):
        covars = {
            "spherical": np.ones(K),
            "diag": np.ones((K, d)),
            "full": np.tile(np.eye(d), (K, 1, 1)),
            "tied": np.eye(d),
        }
        prior = 1e-2 if kind in ("spherical", "diag") else 1e-2 * np.eye(d)
        model = hmm.GaussianHMM(
            K,
            kind,
            covars_prior=prior,
            covars_weight=5,
            means_weight=0.5,
            means_prior=0.1,
            transmat_prior=1.5,
            **settings,
        )
        fitted(kind, model, X, means_=means, covars_=covars[kind])
    fitted("symbols", hmm.CategoricalHMM(K, emissionprob_prior=1.3, n_features=V, **settings), symbols, emissionprob_=B)
    fitted("counts", hmm.MultinomialHMM(K, n_trials=5, **settings), counts, emissionprob_=B)
    json.dump(found, sys.stdout, default=lambda value: value.tolist(), indent=None)


if __name__ == "__main__":
    main()
