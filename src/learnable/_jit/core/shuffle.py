"""Shuffle the rows, every order as likely as any other: the algorithm of Fisher and Yates.

A place among m is drawn as the upper half of m times a random number of 32 bits: no division but when a number falls
on the few that do not share out evenly (Lemire 2019). The numbers are those of SplitMix64 (Steele, Lea and Flood 2014).
"""

import numpy as np

from learnable._jit.core.compile import kernel

# Constants of splitmix64 (Steele, Lea, Flood 2014).
STEP, FIRST, SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
ONE, HALF, NUMBERS = np.uint64(1), np.uint64(32), np.uint64(2**32)
LOWER = NUMBERS - ONE


@kernel
def mixed(state):
    """The random number of 64 bits that belongs to a state; states follow each other by `STEP`."""
    bits = (state ^ (state >> np.uint64(30))) * FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND
    return bits ^ (bits >> np.uint64(31))


@kernel
def shuffle(state, order):
    """Shuffle the entries of `order` in place, fewer than 2³² of them, by the random numbers that follow `state`."""
    places = np.uint64(order.shape[0])
    while places > ONE:
        state += STEP
        drawn = (mixed(state) >> HALF) * places
        # Each place has ⌊2³² / places⌋ numbers; those left over are drawn again. They are fewer than the places.
        while drawn & LOWER < places and drawn & LOWER < NUMBERS % places:
            state += STEP
            drawn = (mixed(state) >> HALF) * places
        places -= ONE
        order[places], order[drawn >> HALF] = order[drawn >> HALF], order[places]


@kernel
def shuffled(states, orders):
    """Write to each row of `orders` the numbers 0, 1, …, shuffled by the random numbers that follow its state."""
    for k in range(orders.shape[0]):
        for i in range(orders.shape[1]):
            orders[k, i] = i
        shuffle(states[k], orders[k])
