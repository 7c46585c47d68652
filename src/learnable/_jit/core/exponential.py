"""exp(−x) and log(1 + e) over arrays, written so that the compiler can use vector instructions.

The scalar routines of the C library cannot be vectorised; these can, since they have no branches and no calls: not
even the question whether a divisor is zero, which `np.divide` leaves out. Errors are below 4 units in the last place on
the ranges stated, which the tests check against the C library.

Paid for by `python -m benchmarks race --only logistic`: log(1 + e) takes 2.4 times less than by the C library and
exp(−x) 1.2 times less (provisional, aarch64, processor seconds; more where vectors are wider).
"""

import numpy as np

from learnable._jit.core.bits import double_of
from learnable._jit.core.compile import exact_inner_kernel

# 1 / log 2.
_LOG2E = 1.4426950408889634
# ln 2 in two parts: k · _LN2_HIGH is exact for |k| < 2¹¹, so that the reduction loses nothing.
_LN2_HIGH = 0.693147180369123816490
_LN2_LOW = 1.90821492927058770002e-10


@exact_inner_kernel
def exp_negative(x, out, bits):
    """out ← e^{−x}, element by element; beyond |x| = 708, where doubles end, as at 708.

    `bits` is an int64 scratch array of the same length.
    """
    n = x.shape[0]
    for i in range(n):
        t = -max(min(x[i], 708.0), -708.0)
        k = np.floor(t * _LOG2E + 0.5)
        r = (t - k * _LN2_HIGH) - k * _LN2_LOW
        # Taylor series of e^r on |r| ≤ ln(2)/2: the first term left out is below 1e-17.
        p = 1.0 / 6227020800.0
        p = p * r + 1.0 / 479001600.0
        p = p * r + 1.0 / 39916800.0
        p = p * r + 1.0 / 3628800.0
        p = p * r + 1.0 / 362880.0
        p = p * r + 1.0 / 40320.0
        p = p * r + 1.0 / 5040.0
        p = p * r + 1.0 / 720.0
        p = p * r + 1.0 / 120.0
        p = p * r + 1.0 / 24.0
        p = p * r + 1.0 / 6.0
        p = p * r + 0.5
        p = p * r + 1.0
        out[i] = p * r + 1.0
        # 2ᵏ by its bits: the exponent field of a double.
        bits[i] = (np.int64(k) + 1023) << 52
    for i in range(n):
        out[i] *= double_of(bits[i])


@exact_inner_kernel
def log_one_plus(e, out):
    """out ← log(1 + e) for 0 ≤ e ≤ 1, element by element: 2 artanh(s), s = e / (2 + e) ≤ 1/3."""
    for i in range(e.shape[0]):
        s = np.divide(e[i], 2.0 + e[i])
        z = s * s
        p = 1.0 / 35.0
        p = p * z + 1.0 / 33.0
        p = p * z + 1.0 / 31.0
        p = p * z + 1.0 / 29.0
        p = p * z + 1.0 / 27.0
        p = p * z + 1.0 / 25.0
        p = p * z + 1.0 / 23.0
        p = p * z + 1.0 / 21.0
        p = p * z + 1.0 / 19.0
        p = p * z + 1.0 / 17.0
        p = p * z + 1.0 / 15.0
        p = p * z + 1.0 / 13.0
        p = p * z + 1.0 / 11.0
        p = p * z + 1.0 / 9.0
        p = p * z + 1.0 / 7.0
        p = p * z + 1.0 / 5.0
        p = p * z + 1.0 / 3.0
        out[i] = 2.0 * s * (p * z + 1.0)
