"""
Back-propagation by hand
========================

A chain of two units, o = w₂ h₁ + b₂ with h₁ = tanh(u₁) and u₁ = w₁ x + b₁, judged by L = ½ (y − o)². The chain rule
goes back from the loss, one factor a step; ∂L/∂w₂ is the error times h₁, what came out of the first unit.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable import watch
from learnable.neural import MLPRegressor
from learnable.problems.neural.network import Architecture, Parameters, evaluate

x, y, w1, b1, w2, b2 = 0.7, -0.4, 1.3, 0.2, -0.8, 0.5
h1 = np.tanh(w1 * x + b1)
error = w2 * h1 + b2 - y
by_hand = {
    "∂L/∂w₂": error * h1,
    "∂L/∂b₂": error,
    "∂L/∂w₁": error * w2 * (1 - h1**2) * x,
    "∂L/∂b₁": error * w2 * (1 - h1**2),
}
theta = Parameters([np.array([[w1]]), np.array([[w2]])], [np.array([b1]), np.array([b2])])
gradient = evaluate(Architecture("tanh", "identity"), theta, np.array([[x]]), np.array([[y]])).gradient
by_the_core = [gradient.coefs[1], gradient.intercepts[1], gradient.coefs[0], gradient.intercepts[0]]
for (name, value), core in zip(by_hand.items(), by_the_core):
    print(f"{name} = {value: .6f} by hand, {core.item(): .6f} by the core")

# %%
# The same rule trains a network of any size. Here one hidden layer bends itself around a curve, watched as it goes.

random = np.random.default_rng(0)
X = np.sort(random.uniform(-3.0, 3.0, 80))[:, None]
target = np.sin(X[:, 0]) + 0.1 * random.standard_normal(80)
model = MLPRegressor(hidden_layer_sizes=(12,), activation="tanh", solver="lbfgs", max_iter=400, random_state=0)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
left.plot(X, target, ".", color="0.6")
losses = []
for step in watch(model, X, target):
    losses.append(step.state.objective)
    if step.number in (1, 5, 40):
        W1, W2, c1, c2 = np.split(step.state.point, [12, 24, 36])
        left.plot(X, np.tanh(X @ W1[None] + c1) @ W2 + c2, label=f"step {step.number}")
left.legend(fontsize=8)
left.set(xlabel="x", title="what the network says")
right.semilogy(losses, color="#0072B2")
right.set(xlabel="step", title="objective")
plt.show()
