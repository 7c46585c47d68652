"""Baum–Welch: expectation–maximisation for hidden Markov models, over many sequences. Syllabus: H8."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from learnable.solvers.core.em import em
from learnable.solvers.sequences.forward_backward import HiddenMarkov, log_likelihoods, smoothed
from learnable.solvers.sequences.probability_rows import RowRule
from learnable.solvers.sequences.sequence_blocks import SequenceBlock, Sequences
from learnable.trace import Status


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

    def impossible(model: HiddenMarkov) -> ValueError:
        values = np.concatenate(sequences.results(partial(log_likelihoods, model), n_jobs))
        return ValueError(
            f"sequence {int(np.argmin(values))} has probability 0 at the start of the fit: some observation cannot "
            "happen in any state that can be reached; make every start, transition and emission that is needed positive"
        )

    for step in em(start, expectation, partial(_maximised, rules), impossible):
        yield BaumWelchState(
            -step.value, step.expected.log_likelihood, step.gain, step.model, step.history, restart
        )  # fmt: skip


def _maximised(rules: Rules, model: HiddenMarkov, sums: Sums) -> HiddenMarkov:
    return maximised(model, sums, rules)
