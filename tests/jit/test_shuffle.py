"""The shuffle is the one written plainly, and every order is as likely as any other."""

from itertools import permutations

import numpy as np
from scipy.stats import chisquare
from tests.cases import each

from learnable._jit.core.shuffle import STEP, mixed, shuffle

WORD = 2**64


def drawn(seed, n):
    order = np.arange(n, dtype=np.uint32)
    shuffle(np.uint64(seed), order)
    return order.tolist()


def numbers(seed):
    """SplitMix64 in whole numbers without bound."""
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) % WORD
        bits = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 % WORD
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB % WORD
        yield bits ^ bits >> 31


def shuffled(seed, n):
    """Each place among m has ⌊2³² / m⌋ of the numbers of 32 bits."""
    source, order = numbers(seed), list(range(n))
    for m in range(n, 1, -1):
        while True:
            place, rest = divmod((next(source) >> 32) * m, 2**32)
            if rest >= 2**32 % m:
                break
        order[place], order[m - 1] = order[m - 1], order[place]
    return order


def state_of(number):
    """The state whose number this is: the mixing of bits undone."""

    def unshifted(bits, by):
        found = bits
        for _ in range(64 // by):
            found = bits ^ found >> by
        return found

    bits = unshifted(number, 31) * pow(0x94D049BB133111EB, -1, WORD) % WORD
    bits = unshifted(bits, 27) * pow(0xBF58476D1CE4E5B9, -1, WORD) % WORD
    return unshifted(bits, 30)


def test_the_numbers_published_with_the_generator():
    state, found = 1234567, []
    for _ in range(5):
        state = (state + int(STEP)) % WORD
        found.append(int(mixed(np.uint64(state))))
    assert found == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@each("n", [0, 1, 2, 3, 10, 1000])
@each("seed", [0, 1, 2**63, WORD - 1])
def test_the_same_as_written_plainly(n, seed):
    assert drawn(seed, n) == shuffled(seed, n)
    assert sorted(drawn(seed, n)) == list(range(n))


@each(("m", "place", "left_over"), [(3, 0, True), (100, 23, True), (100, 24, False), (4, 0, False)])
def test_numbers_left_over_are_drawn_again(m, place, left_over):
    # Of the first numbers of the places, as many are left over as 2³² has too many for m places: of 100, 96.
    number = -(-place * 2**32 // m)
    assert (number * m % 2**32 < 2**32 % m) == left_over
    seed = (state_of(number << 32) - int(STEP)) % WORD
    assert next(numbers(seed)) == number << 32
    order = drawn(seed, m)
    assert order == shuffled(seed, m)
    assert (order[-1] == place) != left_over


def test_every_order_of_four_is_equally_likely():
    seeds = np.random.default_rng(0).integers(2**64, size=24_000, dtype=np.uint64)
    counts = dict.fromkeys(permutations(range(4)), 0)
    for seed in seeds:
        counts[tuple(drawn(seed, 4))] += 1
    assert chisquare(list(counts.values())).pvalue > 1e-3


def test_every_row_is_equally_likely_at_every_place():
    seeds = np.random.default_rng(1).integers(2**64, size=4000, dtype=np.uint64)
    orders = np.array([drawn(seed, 40) for seed in seeds])
    counts = np.array([np.bincount(place, minlength=40) for place in orders.T])
    # Rows and columns of the table have fixed sums, which leaves 39² numbers free.
    assert chisquare(counts.ravel(), ddof=2 * 40 - 2).pvalue > 1e-3
