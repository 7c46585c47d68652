"""Baum–Welch: expectation–maximisation for hidden Markov models, over many sequences. Syllabus: H8."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from learnable.solvers.sequences.forward_backward import HiddenMarkov, log_likelihoods, smoothed
from learnable.solvers.sequences.probability_rows import RowRule
from learnable.solvers.sequences.sequence_blocks import SequenceBlock, Sequences
from learnable.trace import Status, StopRule, steps


class BaumWelchState(NamedTuple):
    """After an EM step.

    Attributes
    ----------
    objective : minus the penalised log-likelihood.
    log_likelihood : Σ w_s log P(O_s), without the prior.
    gain : what one more EM step adds to the penalised log-likelihood.
    model : λ.
    history : penalised log-likelihood of the start and after each step of this run.
    restart : number of the run.
    verdict : how the last run ended; None while something is still running.
    """

    objective: float
    log_likelihood: float
    gain: float
    model: HiddenMarkov
    history: np.ndarray
    restart: int = 0
    verdict: Status | None = None


class Sums(NamedTuple):
    """Σ w log P(O) and the expected counts, summed over sequences."""

    log_likelihood: float
    start: np.ndarray
    transition: np.ndarray
    emission: tuple


class Rules(NamedTuple):
    """How the initial distribution and the transitions are learned; the emission carries its own rule."""

    start: RowRule
    transition: RowRule


def expected(model: HiddenMarkov, block: SequenceBlock) -> Sums:
    """The E-step on one block."""
    found = smoothed(model, block)
    counted = block.weights > 0.0
    return Sums(
        float(block.weights[counted] @ found.log_likelihoods[counted]),
        found.start,
        found.transition,
        model.emission.sums(block.rows, found.gamma),
    )


def maximised(model: HiddenMarkov, sums: Sums, rules: Rules) -> HiddenMarkov:
    """The M-step."""
    return HiddenMarkov(
        rules.start.maximised(sums.start, model.start),
        rules.transition.maximised(sums.transition, model.transition),
        model.emission.maximised(sums.emission),
    )


def log_prior(model: HiddenMarkov, rules: Rules) -> float:
    """Logarithm of the prior density, up to a constant."""
    return (
        rules.start.log_prior(model.start)
        + rules.transition.log_prior(model.transition)
        + model.emission.log_prior()
    )  # fmt: skip


def iterates(
    sequences: Sequences, start: HiddenMarkov, rules: Rules, n_jobs: int | None = None, restart: int = 0
) -> Iterator[BaumWelchState]:
    """λ after 1, 2, … EM steps. Each state waits for the step after it, so that its gain is known and not guessed."""

    def expectation(model: HiddenMarkov) -> tuple[Sums, float]:
        sums = sequences.total(partial(expected, model), n_jobs)
        return sums, sums.log_likelihood + log_prior(model, rules)

    sums, value = expectation(start)
    if value == -np.inf:
        values = np.concatenate(sequences.results(partial(log_likelihoods, start), n_jobs))
        raise ValueError(
            f"sequence {int(np.argmin(values))} has probability 0 at the start of the fit: some observation cannot "
            "happen in any state that can be reached; make every start, transition and emission that is needed positive"
        )
    history = [value]
    model = maximised(start, sums, rules)
    sums, value = expectation(model)
    while True:
        history.append(value)
        log_likelihood, following = sums.log_likelihood, maximised(model, sums, rules)
        sums, after = expectation(following)
        yield BaumWelchState(-value, log_likelihood, after - value, model, np.array(history), restart)
        model, value = following, after


def best_of(runs: Iterator[Iterator[BaumWelchState]], stop: Callable[[], StopRule]) -> Iterator[BaumWelchState]:
    """Every state of every run, each run stopped by a rule of its own; the last state is the best run's answer."""
    best: BaumWelchState | None = None
    waiting: BaumWelchState | None = None
    for run in runs:
        if waiting is not None:
            yield waiting
        for step in steps(run, stop()):
            if step.status is None:
                yield step.state
            else:
                waiting = step.state._replace(verdict=step.status)
                if best is None or waiting.objective < best.objective:
                    best = waiting
                waiting = step.state
    if best is not None:
        yield best
