"""
A grid world, planned and learned
=================================

The 4×3 world of Russell and Norvig: an agent starts at the lower left, +1 and −1 end the episode, every move costs
0.04 and one in five slips sideways. Policy iteration needs a handful of policies; its certificate says how far any
value can be from the best, from the process and the answer alone.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable import watch
from learnable.reinforcement import (
    PolicyIteration,
    QLearning,
    ValueIteration,
    epsilon_greedy,
    russell_norvig_world,
    uniform_exploration,
    upper_confidence,
)

world = russell_norvig_world()
plan = PolicyIteration().fit(world.mdp)
print(world.table(plan.values_, "{:.3f}"))
print(world.arrows(plan.policy_))
print(plan.certificate_)

# %%
# In a notebook the world draws itself; ``world.svg(plan)`` is the same picture as text. Here it is drawn with
# Matplotlib, next to value iteration on its way: with a discount every sweep shrinks the distance to the best values
# by γ at least, and the enclosure that each sweep gives is never wrong.

discounted = world.mdp.with_discount(0.95)
best = PolicyIteration(1e-12).fit(discounted).values_
sweeps = [step.state for step in watch(ValueIteration(1e-8, stop="norm"), discounted)]
true_error = np.array([np.abs(state.values - best).max() for state in sweeps])
promised = np.array([state.error for state in sweeps])

figure, (grid, speed, lost) = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
rows, columns = world.shape
picture = np.full(world.shape, np.nan)
for cell, value in zip(world.mdp.states, plan.values_):
    picture[cell] = world.goals.get(cell, value)
grid.imshow(picture, cmap="RdBu", vmin=-1, vmax=1)
steps = [(0, -1), (1, 0), (0, 1), (-1, 0)]
for (i, j), value, action in zip(world.mdp.states, plan.values_, plan.policy_):
    shown = world.goals.get((i, j), value)
    ink = "white" if abs(shown) > 0.6 else "#222222"
    grid.text(j, i + 0.38, f"{shown:+.3f}", ha="center", color=ink, fontsize=9)
    if action >= 0:
        right, down = steps[action]
        arrow = {"arrowstyle": "->", "color": ink, "linewidth": 1.5}
        grid.annotate(
            "", (j + 0.3 * right, i - 0.08 + 0.25 * down), (j - 0.3 * right, i - 0.08 - 0.25 * down), arrowprops=arrow
        )
grid.set(xticks=[], yticks=[], title="V* and the best policy")

speed.semilogy(true_error, color="#0072B2", label="‖V − V*‖")
speed.semilogy(promised, "--", color="#E69F00", label="what the sweep proves")
speed.set(xlabel="sweep", title="Value iteration, γ = 0.95", ylim=(1e-9, None))
speed.legend(fontsize=8)

# Q-learning knows nothing of the world but the steps it makes. How it explores decides what it loses on the way: the
# regret adds up V*(s) − Q*(s, a) over all steps.

for name, exploration, colour in (
    ("random", uniform_exploration(), "#9CA3AF"),
    ("ε = 0.1", epsilon_greedy(0.1), "#E69F00"),
    ("ε falls", epsilon_greedy(1.0, decay=0.5), "#0072B2"),
    ("upper confidence", upper_confidence(0.5), "#009E73"),
):
    model = QLearning(100_000, exploration=exploration, regret=True, random_state=0).fit(discounted)
    lost.loglog(model.steps_, model.regret_, color=colour, label=name)
    print(
        f"{name}: regret {model.regret_[-1]:.0f}, start is worth {model.values_[discounted.state_number((2, 0))]:.3f}"
    )
lost.set(xlabel="steps", title="Regret of Q-learning")
lost.legend(fontsize=8)
plt.show()
