"""Writes decision_processes_quantecon.json: optimal values and policies of random processes by quantecon."""

import json
from pathlib import Path

import numpy as np

CASES = [(0, 6, 3, 0.9), (1, 10, 4, 0.95), (2, 25, 5, 0.99), (3, 8, 2, 0.5)]


def main():
    import quantecon
    from tests.reinforcement.random_processes import random_mdp

    cases = []
    for seed, n, m, discount in CASES:
        mdp = random_mdp(seed, n, m, discount)
        rewards = mdp.rewards.reshape(n, m)
        found = quantecon.markov.DiscreteDP(rewards, mdp.transitions.reshape(n, m, n), discount).solve(
            "policy_iteration"
        )
        cases.append(
            {
                "seed": seed,
                "n_states": n,
                "n_actions": m,
                "discount": discount,
                "rewards": rewards.tolist(),
                "values": found.v.tolist(),
                "policy": found.sigma.tolist(),
            }
        )
    content = {"source": f"quantecon {quantecon.__version__}, policy_iteration; numpy {np.__version__}", "cases": cases}
    Path(__file__).with_suffix(".json").write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
