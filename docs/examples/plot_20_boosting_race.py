"""
Boosting against LightGBM
=========================

The same trees, histograms and learning rate on the same rows: the test losses run side by side, since all of them
minimise the same thing. What differs is the time of a fit, and what comes with it: here a certificate, which the timed
fit includes. LightGBM is the one to beat for speed; ``python -m benchmarks trees`` says how the two stand on larger
tables and on the machine at hand.
"""

import time
from importlib.util import find_spec
from itertools import islice

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_hastie_10_2
from sklearn.ensemble import HistGradientBoostingClassifier as OfScikitLearn
from sklearn.metrics import log_loss

from learnable.ensembles import HistGradientBoostingClassifier

X, y = make_hastie_10_2(n_samples=9_000, random_state=0)
train, test = slice(0, 4_000), slice(4_000, None)
rounds = 100
looked_at = np.arange(5, rounds + 1, 5)
settings = {"max_iter": rounds, "learning_rate": 0.1, "max_leaf_nodes": 31, "early_stopping": False}
contenders = {
    "learnable": HistGradientBoostingClassifier(**settings),
    "scikit-learn": OfScikitLearn(**settings),
}
if find_spec("lightgbm"):
    from lightgbm import LGBMClassifier

    contenders["LightGBM"] = LGBMClassifier(n_estimators=rounds, learning_rate=0.1, num_leaves=31, verbose=-1)


def staged_losses(model):
    """The test log-loss after every fifth round."""
    if hasattr(model, "staged_predict_proba"):
        return [log_loss(y[test], p) for p in islice(model.staged_predict_proba(X[test]), 4, None, 5)]
    return [log_loss(y[test], model.predict_proba(X[test], num_iteration=k)) for k in looked_at]


def seconds(model):
    """The fastest of three fits, the first of which compiles kernels or wakes threads."""
    found = []
    for _ in range(3):
        begin = time.perf_counter()
        model.fit(X[train], y[train])
        found.append(time.perf_counter() - begin)
    return min(found)


# %%
# Losses on 5,000 rows that took no part, every fifth round, and the seconds of a fit on 4,000.

times = {name: seconds(model) for name, model in contenders.items()}
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
for name, model in contenders.items():
    losses = staged_losses(model)
    left.plot(looked_at, losses, label=f"{name}: {losses[-1]:.4f}")
left.set(xlabel="rounds", ylabel="test log-loss")
left.legend(title="after the last round")
right.barh(list(times), list(times.values()), color="0.6")
right.set(xlabel="seconds of a fit (best of three, this machine)")
right.invert_yaxis()
figure.tight_layout()
plt.show()

# %%
# What the fit says of itself, and what a reader can have computed again from the rows alone.

print(contenders["learnable"].certificate_)
