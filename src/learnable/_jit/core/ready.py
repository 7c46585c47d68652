"""Kernels that came with the package: compiled where it was built, for every processor that has some instructions.

They are files of the cache in a folder of this room, and held to the same: the digest of the sources, of Python and of
the compiler is in their path, the signature and the processor are in their key. Where one of these differs nothing is
found, and the kernel is compiled here. They are read where the user's own cache has none, and never written.
"""

import os
from pathlib import Path

Processor = tuple[str, str, str]

# (name to the compiler, instructions): what nearly all processors of the last ten years have.
_ARM = "generic", "+fp-armv8,+lse,+neon"
_INTEL = "x86-64-v3", "+avx,+avx2,+bmi,+bmi2,+cx16,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sse4.2,+ssse3,+xsave"
SHARED = {"aarch64": _ARM, "arm64": _ARM, "x86_64": _INTEL}


def ready_root() -> Path:
    """Where they lie; `LEARNABLE_READY_DIR` names another folder, or none if it is empty."""
    given = os.environ.get("LEARNABLE_READY_DIR")
    root = Path(__file__).parents[1] / "ready" if given is None else Path(given or os.devnull)
    return root / "kernels"


def shared(processor: Processor) -> Processor | None:
    """The processor that ready kernels are compiled for, if this one (target, name, instructions) runs what it runs.

    >>> shared(("aarch64-unknown-linux-gnu", "neoverse-n1", "+crc,+fp-armv8,+lse,+neon,-sve"))
    ('aarch64-unknown-linux-gnu', 'generic', '+fp-armv8,+lse,+neon')
    >>> shared(("aarch64-unknown-linux-gnu", "cortex-a72", "+crc,+fp-armv8,-lse,+neon,-sve"))
    """
    target, _, instructions = processor
    name, needed = SHARED.get(target.split("-")[0], ("", "none"))
    return (target, name, needed) if set(needed.split(",")) <= set(instructions.split(",")) else None


def shared_settings(target: str) -> dict[str, str]:
    """Environment of a process that compiles what every such processor runs; empty where none is named.

    >>> shared_settings("aarch64-unknown-linux-gnu")["NUMBA_CPU_NAME"]
    'generic'
    """
    name, needed = SHARED.get(target.split("-")[0], ("", ""))
    return {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": needed} if name else {}
