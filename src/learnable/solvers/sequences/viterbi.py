"""The most probable path of states of every sequence."""

import numpy as np

from learnable._jit.sequences import hmm_viterbi
from learnable.solvers.sequences.forward_backward import HiddenMarkov
from learnable.solvers.sequences.sequence_blocks import SequenceBlock


def best_paths(model: HiddenMarkov, block: SequenceBlock) -> tuple[np.ndarray, np.ndarray]:
    """(log P(q*, O) of each sequence, the path of every row); −inf and zeros for a sequence that cannot happen."""
    log_B = np.ascontiguousarray(model.emission.log_density(block.rows, block.states))
    path = np.zeros(len(log_B), dtype=np.int64)
    values = np.empty(len(block.ends))
    with np.errstate(divide="ignore"):
        log_start, log_A = np.log(model.start), np.log(np.ascontiguousarray(model.transition))
    first = 0
    for s, end in enumerate(block.ends):
        # δ takes the place of the densities, each row after it has been read.
        values[s] = hmm_viterbi.viterbi(log_start, log_A, log_B[first:end], log_B[first:end], path[first:end])
        first = end
    return values, path
