"""
Digits: a logistic classifier, and a network with one hidden layer
==================================================================

The classifier of the notes, softmax scores by batch gradient descent, is a network without a hidden layer. One hidden
layer learns what it cannot. Rows set aside stop the training; the certificate says what is proved of the rest.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from learnable import certify
from learnable.neural import MLPClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16.0, y, random_state=0, stratify=y)

# Gradient descent: all rows in one batch, no momentum.
logistic = MLPClassifier(
    (),
    solver="sgd",
    batch_size=len(X_train),
    momentum=0.0,
    learning_rate_init=0.5,
    max_iter=400,
    tol=1e-3,
    random_state=0,
).fit(X_train, y_train)
network = MLPClassifier(
    (60,), dropout=0.2, learning_rate_init=0.01, early_stopping=True, n_iter_no_change=20, max_iter=300, random_state=0
).fit(X_train, y_train)
for name, model in (("logistic", logistic), ("network", network)):
    print(f"{name:9s} accuracy on new rows {model.score(X_test, y_test):.3f}, {model.n_iter_} epochs, {model.status_}")
print(certify(network, X_train, y_train))

# %%
# What the logistic classifier looks for: one picture of weights a digit.

figure, axes = plt.subplots(2, 5, figsize=(7, 3), layout="constrained")
size = np.abs(logistic.coefs_[0]).max()
for digit, ax in enumerate(axes.flat):
    ax.imshow(logistic.coefs_[0][:, digit].reshape(8, 8), cmap="RdBu_r", vmin=-size, vmax=size)
    ax.set(title=str(digit), xticks=[], yticks=[])
plt.show()

# %%
# The negative log-likelihood as the batches met it.

figure, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.semilogy(logistic.loss_curve_, label="logistic, gradient descent")
ax.semilogy(network.loss_curve_, label="network, Adam in batches of 200")
ax.set(xlabel="epoch", ylabel="negative log-likelihood")
ax.legend(fontsize=8)
plt.show()
