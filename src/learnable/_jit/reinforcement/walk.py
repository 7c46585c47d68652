"""Walks through a decision process: uniform numbers in, states and rewards out."""

from learnable._jit.core.compile import kernel


@kernel
def drawn(cumulative, begin, end, u):
    """The first place in [begin, end) whose cumulative probability exceeds u; `end` if there is none."""
    while begin < end:
        middle = (begin + end) // 2
        if cumulative[middle] > u:
            end = middle
        else:
            begin = middle + 1
    return begin


@kernel
def walk(cumulative, places, starts, first, policy, time, state, uniforms, states, pairs, entries):
    """Let many episodes run for a few steps, each in its state.

    Parameters
    ----------
    cumulative, places, starts : cumulative probabilities of the next states of each pair; the last of a row exceeds
        every u when the pair cannot end.
    policy : (T, K) cumulative probabilities of the pairs of each state, or (1, K).
    time : number of steps made before.
    state : (n,) the present states, −1 for an episode that is over; updated in place.
    uniforms : (n, B, 2).
    states, pairs, entries : (n, B), receive the state, the pair taken and the place drawn; −1 after the end, and for
        the place of a step that ends the episode.
    """
    n, B = states.shape
    for i in range(n):
        s = state[i]
        for t in range(B):
            states[i, t], pairs[i, t], entries[i, t] = s, -1, -1
            if s < 0:
                continue
            if first[s] == first[s + 1]:
                s = -1
                continue
            rule = policy[min(time + t, policy.shape[0] - 1)]
            k = min(drawn(rule, first[s], first[s + 1], uniforms[i, t, 0]), first[s + 1] - 1)
            place = drawn(cumulative, starts[k], starts[k + 1], uniforms[i, t, 1])
            pairs[i, t] = k
            if place < starts[k + 1]:
                entries[i, t] = place
                s = places[place]
            else:
                s = -1
        state[i] = s
