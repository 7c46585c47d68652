"""Planning and learning in decision processes, against quantecon and against the bare environment.

Everyone in turn, warm, to the same distance from V*; seconds of the processor beside those of the clock, since a busy
machine lets nobody run alone.
"""

import multiprocessing
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.cases_mdp import large_grid, random_process
from benchmarks.clock import clocked
from benchmarks.field import OURS

TARGET = 1e-6


class Planned(NamedTuple):
    """One contender: medians in seconds and the distance from V*."""

    case: str
    contender: str
    wall: float
    processor: float
    error: float
    note: str = ""


class Rate(NamedTuple):
    """Steps a second of the processor."""

    what: str
    steps_per_second: float


def race(scale: float = 1.0, turns: int = 5, limit: float = 120.0) -> list[Planned]:
    """Value, modified policy and policy iteration on a random sparse process, all within 1e-6 of V*."""
    from benchmarks.rival_quantecon import discrete_dp, solve
    from learnable.reinforcement import MDP, ModifiedPolicyIteration, PolicyIteration, ValueIteration

    process = random_process(scale)
    mdp = MDP.from_pairs(process.states, process.actions, process.transitions, process.rewards, process.discount)
    ddp = discrete_dp(process)
    best = PolicyIteration(1e-10).fit(mdp).values_
    n = mdp.n_states
    # Its sparse LU fills in: on a large process quantecon's policy iteration gets one turn, and the limit of it.
    direct = n <= 3000
    contenders: dict[tuple[str, str], Callable[[], np.ndarray]] = {
        ("value iteration", OURS): lambda: ValueIteration(TARGET).fit(mdp).values_,
        ("value iteration", "quantecon"): lambda: solve(ddp, "vi", TARGET),
        ("modified policy iteration", OURS): lambda: ModifiedPolicyIteration(TARGET).fit(mdp).values_,
        ("modified policy iteration", "quantecon"): lambda: solve(ddp, "mpi", TARGET),
        ("policy iteration", OURS): lambda: PolicyIteration(TARGET).fit(mdp).values_,
    }
    if direct:
        contenders["policy iteration", "quantecon"] = lambda: solve(ddp, "pi", TARGET)
    wall: dict = {name: [] for name in contenders}
    spent: dict = {name: [] for name in contenders}
    errors = {}
    for _ in range(turns + 1):  # the first turn is cold and does not count
        for name, work in contenders.items():
            if sum(wall[name]) > limit:
                continue
            seconds, busy, values = clocked(work)
            wall[name].append(seconds)
            spent[name].append(busy)
            errors[name] = float(np.abs(values - best).max())
    size = f"{n} x {mdp.n_actions}, {mdp.transitions.nnz:.2g} entries"
    found = [
        Planned(
            f"{name[0]}, {size}", name[1], statistics.median(wall[name][1:] or wall[name]),
            statistics.median(spent[name][1:] or spent[name]), errors[name],
        )
        for name in contenders
    ]  # fmt: skip
    if not direct:
        found.append(_one_turn(f"policy iteration, {size}", lambda: solve(ddp, "pi", TARGET), best, limit))
    return found


def _one_turn(case: str, work: Callable[[], np.ndarray], best: np.ndarray, limit: float) -> Planned:
    """One cold turn of quantecon in a process of its own, ended when the limit is reached."""
    forked = multiprocessing.get_context("fork")
    here, there = forked.Pipe(duplex=False)

    def turn() -> None:
        start, busy = time.perf_counter(), time.process_time()
        values = work()
        there.send((time.perf_counter() - start, time.process_time() - busy, float(np.abs(values - best).max())))

    process = forked.Process(target=turn)
    process.start()
    there.close()
    try:
        if here.poll(limit):
            return Planned(case, "quantecon", *here.recv(), "one cold turn")
    except EOFError:
        return Planned(case, "quantecon", np.nan, np.nan, np.nan, "its process ended without an answer")
    finally:
        process.kill()
        process.join()
    return Planned(case, "quantecon", limit, np.nan, np.nan, f"not done within {limit:g} s")


def grid(scale: float = 1.0) -> Planned:
    """A sparse grid of 10⁶ cells, built before the clock starts."""
    from learnable.reinforcement import GaussSeidelValueIteration

    mdp = large_grid(scale).mdp
    GaussSeidelValueIteration().fit(large_grid(1e-4).mdp)
    start, busy = time.perf_counter(), time.process_time()
    plan = GaussSeidelValueIteration(TARGET).fit(mdp)
    seconds = time.perf_counter() - start, time.process_time() - busy
    held = "certificate holds" if plan.certificate_.holds else "certificate FAILS"
    return Planned(f"grid of {mdp.n_states} cells", OURS, *seconds, TARGET, f"{plan.n_iter_} rounds; {held}")


def learning(scale: float = 1.0) -> list[Rate]:
    """Steps a second of Q-learning: in a process, in FrozenLake, and of FrozenLake by itself."""
    from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

    from learnable.reinforcement import MDP, QLearning, uniform_exploration

    lake = FrozenLakeEnv()
    mdp = MDP.from_gymnasium(lake, 0.99)
    n_inside, n_outside = max(20_000, int(5_000_000 * scale)), max(5_000, int(100_000 * scale))

    def rate(work: Callable[[], object], steps: int) -> float:
        work()
        best = np.inf
        for _ in range(3):
            busy = time.process_time()
            work()
            best = min(best, time.process_time() - busy)
        return steps / best

    def bare():
        lake.reset(seed=0)
        for action in np.random.default_rng(0).integers(4, size=n_outside).tolist():
            _, _, ended, _, _ = lake.step(action)
            if ended:
                lake.reset()

    settings = {"exploration": uniform_exploration(), "random_state": 0}
    return [
        Rate("Q-learning in the MDP of FrozenLake", rate(lambda: QLearning(n_inside, **settings).fit(mdp), n_inside)),
        Rate("Q-learning in FrozenLake itself", rate(lambda: QLearning(n_outside, **settings).fit(lake), n_outside)),
        Rate("FrozenLake alone, random actions", rate(bare, n_outside)),
    ]


def planning_table(results: list[Planned]) -> Table:
    table = Table(title="Decision processes, all within 1e-6 of V*", title_justify="left")
    for heading in ("case", "contender"):
        table.add_column(heading, overflow="fold")
    for heading in ("wall s", "processor s", "ratio", "error"):
        table.add_column(heading, justify="right")
    table.add_column("note", overflow="fold")
    ours = {result.case: result.processor for result in results if result.contender == OURS}
    for result in results:
        timed = not np.isnan(result.wall)
        ratio = f"{result.processor / ours[result.case]:.2f}" if timed and result.contender != OURS else ""
        figures = (f"{result.wall:.3g}", f"{result.processor:.3g}", ratio, f"{result.error:.1e}")
        table.add_row(result.case, result.contender, *(figures if timed else ("",) * 4), result.note)
    return table


def learning_table(rates: list[Rate]) -> Table:
    table = Table(title="Learning", title_justify="left")
    table.add_column("what")
    table.add_column("steps/s", justify="right")
    for rate in rates:
        table.add_row(rate.what, f"{rate.steps_per_second:,.0f}")
    return table
