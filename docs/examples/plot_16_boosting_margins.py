"""
Margins go on rising
====================

AdaBoost soon makes no mistake on its training rows. Later rounds are not in vain: the margins y f(x)/‖α‖₁ keep
growing, and bounds on the test error that hang on margins keep falling.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable.ensembles import AdaBoostClassifier

rng = np.random.default_rng(0)
X = rng.uniform(-1.0, 1.0, (600, 2))
y = np.where(X[:, 0] ** 2 + X[:, 1] ** 2 < 0.6, 1, -1)
train, test = slice(0, 200), slice(200, None)
model = AdaBoostClassifier(n_estimators=300).fit(X[train], y[train])
print(model.certificate_)

# %%
# The training error, the bound Π Z on it, and the test error, round by round.

on_train = list(model.staged_margins(X[train], y[train]))
on_test = list(model.staged_margins(X[test], y[test]))
rounds = np.arange(1, len(on_train) + 1)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
left.plot(rounds, [np.mean(m <= 0) for m in on_train], label="training error")
left.plot(rounds, np.cumprod(model.normalizers_), label="bound Π Z")
left.plot(rounds, [np.mean(m <= 0) for m in on_test], label="test error")
left.set(xscale="log", xlabel="rounds", ylabel="share of rows", ylim=(0, 0.6))
left.legend()

# The distribution of the training margins after some of the rounds: it moves to the right as a whole.

for count in (5, 30, 300):
    margins = np.sort(on_train[min(count, len(on_train)) - 1])
    right.plot(margins, np.arange(1, len(margins) + 1) / len(margins), label=f"{count} rounds")
right.axvline(0.0, color="0.7")
right.set(xlabel="margin", ylabel="share of training rows below")
right.legend()
figure.tight_layout()
plt.show()
