"""Values from outside: textbooks, gymnasium, other libraries."""

import json
from pathlib import Path

import numpy as np
import pytest
from gymnasium.envs.toy_text.cliffwalking import CliffWalkingEnv
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv
from gymnasium.envs.toy_text.taxi import TaxiEnv
from tests.cases import each

from learnable.certificates import Verdict
from learnable.reinforcement import (
    MDP,
    GaussSeidelValueIteration,
    LinearProgrammingPlanner,
    ModifiedPolicyIteration,
    PolicyEvaluation,
    PolicyIteration,
    QLearning,
    ValueIteration,
    epsilon_greedy,
    grid_world,
    russell_norvig_world,
    sutton_barto_corners,
    sutton_barto_world,
    uniform_policy,
    visit_count_steps,
)

from .random_processes import random_mdp

RECORDED = json.loads((Path(__file__).parents[1] / "reference" / "decision_processes_quantecon.json").read_text())
EVERY = [
    ValueIteration(1e-9),
    GaussSeidelValueIteration(1e-9),
    ModifiedPolicyIteration(1e-9),
    PolicyIteration(1e-9),
    LinearProgrammingPlanner(1e-9),
]


@each("planner", EVERY, ids=lambda p: type(p).__name__)
def test_russell_norvig(planner):
    # Figure 17.3 of "Artificial Intelligence: A Modern Approach".
    world = russell_norvig_world()
    plan = planner.fit(world.mdp)
    assert plan.certificate_.holds, plan.certificate_
    values = dict(zip(world.mdp.states, plan.values_.round(3)))
    book = [[0.812, 0.868, 0.918], [0.762, None, 0.660], [0.705, 0.655, 0.611, 0.388]]
    for i, row in enumerate(book):
        for j, value in enumerate(row):
            if value is not None:
                assert values[i, j] == value
    assert world.arrows(plan.policy_) == "→ → → +\n↑ # ↑ -\n↑ ← ← ←"


def test_russell_norvig_policies_change_with_the_living_reward():
    # Figure 17.2: life so painful that the agent heads for the nearest exit, even the bad one.
    painful = russell_norvig_world(living_reward=-1.7)
    assert painful.arrows(PolicyIteration().fit(painful.mdp).policy_) == "→ → → +\n↑ # → -\n→ → → ↑"
    # −0.4: the shortest way to +1, at the risk of −1.
    hurried = russell_norvig_world(living_reward=-0.4)
    assert hurried.arrows(PolicyIteration().fit(hurried.mdp).policy_) == "→ → → +\n↑ # ↑ -\n↑ → ↑ ←"
    # −0.02 (above −0.0221): no risk at all; next to −1 the agent runs into the wall.
    careful = russell_norvig_world(living_reward=-0.02)
    assert careful.arrows(PolicyIteration().fit(careful.mdp).policy_) == "→ → → +\n↑ # ← -\n↑ ← ← ↓"


def test_sutton_barto_corners_by_two_routes():
    # Figure 4.1 of "Reinforcement Learning: An Introduction".
    world = sutton_barto_corners()
    value = PolicyEvaluation(uniform_policy(world.mdp)).fit(world.mdp)
    book = [0, -14, -20, -22, -14, -18, -20, -20, -20, -20, -18, -14, -22, -20, -14, 0]
    np.testing.assert_allclose(value.values_, book, atol=1e-10)
    assert value.certificate_.holds
    best = PolicyIteration().fit(world.mdp)
    assert best.values_.tolist() == [0, -1, -2, -3, -1, -2, -3, -2, -2, -3, -2, -1, -3, -2, -1, 0]


def test_sutton_barto_world():
    # Figures 3.2 and 3.5 of the same book, to the digit in print.
    world = sutton_barto_world()
    random_walk = PolicyEvaluation(uniform_policy(world.mdp)).fit(world.mdp).values_.reshape(5, 5)
    print_random = [
        [3.3, 8.8, 4.4, 5.3, 1.5],
        [1.5, 3.0, 2.3, 1.9, 0.5],
        [0.1, 0.7, 0.7, 0.4, -0.4],
        [-1.0, -0.4, -0.4, -0.6, -1.2],
        [-1.9, -1.3, -1.2, -1.4, -2.0],
    ]
    np.testing.assert_allclose(random_walk, print_random, atol=0.05)
    print_best = [
        [22.0, 24.4, 22.0, 19.4, 17.5],
        [19.8, 22.0, 19.8, 17.8, 16.0],
        [17.8, 19.8, 17.8, 16.0, 14.4],
        [16.0, 17.8, 16.0, 14.4, 13.0],
        [14.4, 16.0, 14.4, 13.0, 11.7],
    ]
    for planner in EVERY:
        np.testing.assert_allclose(planner.fit(world.mdp).values_.reshape(5, 5), print_best, atol=0.0501)


def test_frozen_lake():
    # The chance to reach the goal on the slippery 4×4 lake tends to 14/17 as γ tends to 1.
    mdp = MDP.from_gymnasium(FrozenLakeEnv(), discount=0.99)
    plan = PolicyIteration().fit(mdp)
    assert plan.values_[0] == pytest.approx(0.5420259303994635, abs=1e-8)
    patient = PolicyIteration().fit(mdp.with_discount(1 - 1e-8))
    assert patient.values_[0] == pytest.approx(14 / 17, abs=1e-5)
    dry = MDP.from_gymnasium(FrozenLakeEnv(is_slippery=False), discount=0.9)
    assert ValueIteration(1e-9).fit(dry).values_[0] == pytest.approx(0.9**5, abs=1e-9)


def test_cliff_and_taxi():
    cliff = MDP.from_gymnasium(CliffWalkingEnv(), discount=1.0)
    plan = PolicyIteration().fit(cliff)
    assert plan.values_[36] == pytest.approx(-13.0)  # thirteen moves along the edge
    assert plan.certificate_.holds
    environment = TaxiEnv()
    taxi = MDP.from_gymnasium(environment, discount=0.99)
    plan = ModifiedPolicyIteration(1e-9).fit(taxi)
    state, _ = environment.reset(seed=4)
    expected, gain, weight, ended = plan.values_[state], 0.0, 1.0, False
    while not ended:
        state, reward, ended, cut, _ = environment.step(int(plan.policy_[state]))
        assert not cut
        gain, weight = gain + weight * reward, weight * 0.99
    assert gain == pytest.approx(expected, abs=1e-8)


@each("case", range(len(RECORDED["cases"])))
def test_recorded_values_of_quantecon(case):
    recorded = RECORDED["cases"][case]
    mdp = random_mdp(recorded["seed"], recorded["n_states"], recorded["n_actions"], recorded["discount"])
    np.testing.assert_allclose(mdp.rewards, np.ravel(recorded["rewards"]), rtol=1e-12)  # the same process
    for planner in EVERY:
        plan = planner.fit(mdp)
        np.testing.assert_allclose(plan.values_, recorded["values"], atol=1e-8)
        assert plan.policy_.tolist() == recorded["policy"]


def test_learning_on_frozen_lake_finds_the_way():
    environment = FrozenLakeEnv(is_slippery=False)
    model = QLearning(
        20_000, exploration=epsilon_greedy(0.3), steps=visit_count_steps(0.6), discount=0.9, random_state=0
    ).fit(environment)
    assert model.values_[0] == pytest.approx(0.9**5, abs=1e-3)
    assert model.visits_.sum() == 20_000
    assert model.certificate_.verdict is Verdict.NOTHING_ASSERTED  # an environment does not show its process
    assert model.episode_lengths_.sum() <= 20_000
    state, ended = environment.reset()[0], False
    for _ in range(6):
        state, reward, ended, _, _ = environment.step(int(model.policy_[state]))
    assert ended
    assert reward == 1.0


def test_pictures_show_values_arrows_and_goals():
    from xml.etree import ElementTree

    world = russell_norvig_world()
    plan = PolicyIteration().fit(world.mdp)
    picture = ElementTree.fromstring(world.svg(plan))
    name = "{http://www.w3.org/2000/svg}"
    texts = [text.text for text in picture.iter(f"{name}text")]
    assert texts.count("+1") == 1
    assert texts.count("-1") == 1
    assert "0.7053" in texts
    assert len(list(picture.iter(f"{name}path"))) == 9  # an arrow a cell
    turns = [path.get("transform").split("rotate")[1] for path in picture.iter(f"{name}path")]
    assert turns.count("(90)") == 3
    assert len(list(ElementTree.fromstring(world._repr_svg_()).iter(f"{name}rect"))) == 12 + 2
    both = ElementTree.fromstring(world.svg(policy=uniform_policy(world.mdp).probabilities))
    assert len(list(both.iter(f"{name}path"))) == 36


def test_a_grid_builder_refuses_what_lies_outside():
    with pytest.raises(ValueError, match=r"cell \(3, 0\) lies outside of 3 x 3"):
        grid_world(3, 3, goals={(3, 0): 1.0})
    with pytest.raises(ValueError, match=r"noise=1\.5"):
        grid_world(3, 3, noise=1.5)
    with pytest.raises(ValueError, match=r"values of shape \(3,\) for 11 cells"):
        russell_norvig_world().svg(values=[1.0, 2.0, 3.0])
