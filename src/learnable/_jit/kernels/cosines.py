"""Random Fourier features from products of rows and frequencies.

The cosine of the C library cannot be vectorised; this one has no branches and no calls. It takes a sixth of the time
(`python -m benchmarks small --only RBFSampler`).
"""

import math

import numpy as np

from learnable._jit.core.compile import exact_kernel

# 1/π, and π in three parts: k times each of the first two is exact for |k| < 2²¹, so that the reduction loses nothing.
_PER_PI = 0.3183098861837907
_PI_HIGH, _PI_MIDDLE, _PI_LOW = 3.1415926534682512, 1.2154201012607932e-10, 4.044532497591901e-21
# Phases beyond are left to the C library.
_FAR = 1e6


@exact_kernel
def cosines(phases, offset, size):
    """phases[i, j] ← size · cos(phases[i, j] + offset[j]), in place."""
    m, n = phases.shape
    for i in range(m):
        row, largest = phases[i], 0.0
        for j in range(n):
            row[j] += offset[j]
            largest = max(largest, abs(row[j]))
        if not largest < _FAR:
            for j in range(n):
                row[j] = size * math.cos(row[j])
            continue
        # t = kπ + r with |r| ≤ π/2, and cos t = (−1)ᵏ cos r by its Taylor series, the first term left out below 1e-19.
        for j in range(n):
            k = np.floor(row[j] * _PER_PI + 0.5)
            r = ((row[j] - k * _PI_HIGH) - k * _PI_MIDDLE) - k * _PI_LOW
            sign = 1.0 - 2.0 * (k - 2.0 * np.floor(0.5 * k))
            z = r * r
            p = -1.0 / 1124000727777607680000.0
            p = p * z + 1.0 / 2432902008176640000.0
            p = p * z - 1.0 / 6402373705728000.0
            p = p * z + 1.0 / 20922789888000.0
            p = p * z - 1.0 / 87178291200.0
            p = p * z + 1.0 / 479001600.0
            p = p * z - 1.0 / 3628800.0
            p = p * z + 1.0 / 40320.0
            p = p * z - 1.0 / 720.0
            p = p * z + 1.0 / 24.0
            p = p * z - 0.5
            row[j] = size * (sign * (p * z + 1.0))
