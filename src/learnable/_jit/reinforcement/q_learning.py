"""Tabular Q-learning over the pairs of a decision process; the pairs of state s are first[s], …, first[s + 1] − 1."""

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel
from learnable._jit.reinforcement.walk import drawn


@kernel
def choose(q, visits, seen, first, s, exploration, u, w):
    """A pair of state s: at random with probability ε, else by softmax of temperature τ, else the best one.

    ε and τ shrink as (1 + visits of s)^−decay. The best one is that of largest q + bonus·√(log(1 + visits of s) /
    visits of the pair), with equal chances among equals; with a bonus, pairs never tried come first.

    Parameters
    ----------
    exploration : (epsilon, temperature, bonus, decay).
    u, w : uniform numbers.
    """
    epsilon, temperature, bonus, decay = exploration
    begin, end = first[s], first[s + 1]
    shrink = (1.0 + seen[s]) ** -decay if decay > 0.0 else 1.0
    if u < epsilon * shrink:
        return begin + int(w * (end - begin))
    if temperature > 0.0:
        tau = temperature * shrink
        top = q[begin:end].max()
        total = 0.0
        for k in range(begin, end):
            total += np.exp((q[k] - top) / tau)
        left = w * total
        for k in range(begin, end):
            left -= np.exp((q[k] - top) / tau)
            if left < 0.0:
                return k
        return end - 1
    log_seen = np.log(1.0 + seen[s]) if bonus > 0.0 else 0.0
    best, equals = -np.inf, 0
    for k in range(begin, end):
        score = q[k]
        if bonus > 0.0:
            score = score + bonus * np.sqrt(log_seen / visits[k]) if visits[k] > 0 else np.inf
        if score > best:
            best, equals, chosen = score, 1, k
        elif score == best:
            equals += 1
    pick = int(w * equals)
    if pick == 0:
        return chosen
    for k in range(chosen + 1, end):
        score = q[k]
        if bonus > 0.0:
            score = score + bonus * np.sqrt(log_seen / visits[k]) if visits[k] > 0 else np.inf
        if score == best:
            pick -= 1
            if pick == 0:
                return k
    return chosen


@inner_kernel
def update(q, visits, seen, first, s, k, reward, after, ended, discount, step):
    """Q(s, a) ← Q(s, a) + α (r + γ max Q(s′, ·) − Q(s, a)) with α = min(1, scale / (offset + visits)^power).

    Parameters
    ----------
    step : (scale, offset, power).
    """
    target = reward
    if not ended and first[after] < first[after + 1]:
        target += discount * q[first[after] : first[after + 1]].max()
    scale, offset, power = step
    alpha = min(1.0, scale * (offset + visits[k]) ** -power)
    q[k] += alpha * (target - q[k])
    visits[k] += 1
    seen[s] += 1


@kernel
def respond(q, visits, seen, first, s, k, reward, after, ended, discount, step, exploration, u, w):
    """Learn from a step and choose the next pair; −1 when the episode is over."""
    update(q, visits, seen, first, s, k, reward, after, ended, discount, step)
    if ended or first[after] == first[after + 1]:
        return -1
    return choose(q, visits, seen, first, after, exploration, u, w)


@kernel
def learn(
    cumulative, places, starts, outcome_rewards, ending_rewards, first, begin_cumulative, gaps, discount, horizon,
    step, exploration, uniforms, now, tally, q, visits, seen, returns, lengths,
):  # fmt: skip
    """One step of learning for each row of `uniforms` (n, 4).

    Parameters
    ----------
    begin_cumulative : (S,) cumulative start probabilities.
    gaps : (K,) what each pair loses against the best: their sum is the regret.
    horizon : steps after which an episode is cut off and begun anew.
    now : (2,) present state (−1 before an episode) and steps made in it; tally : (2,) its return so far and the
        discount reached. Updated in place, as q, visits and seen.
    returns, lengths : receive the return and the number of steps of every episode that was completed.

    Returns
    -------
    (number of completed episodes, regret)
    """
    done, regret = 0, 0.0
    for i in range(uniforms.shape[0]):
        if now[0] < 0:
            place = drawn(begin_cumulative, 0, begin_cumulative.shape[0], uniforms[i, 3])
            now[0], now[1] = place, 0
            tally[0], tally[1] = 0.0, 1.0
        s = now[0]
        k = choose(q, visits, seen, first, s, exploration, uniforms[i, 0], uniforms[i, 1])
        place = drawn(cumulative, starts[k], starts[k + 1], uniforms[i, 2])
        ended = place == starts[k + 1]
        reward = ending_rewards[k] if ended else outcome_rewards[place]
        after = s if ended else places[place]
        update(q, visits, seen, first, s, k, reward, after, ended, discount, step)
        regret += gaps[k]
        tally[0] += tally[1] * reward
        tally[1] *= discount
        now[0], now[1] = after, now[1] + 1
        if ended or first[after] == first[after + 1] or now[1] >= horizon:
            returns[done], lengths[done] = tally[0], now[1]
            done += 1
            now[0] = -1
    return done, regret
