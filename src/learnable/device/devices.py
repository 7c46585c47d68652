"""Choosing a device, moving arrays there and back, and saying plainly why it cannot be done.

"cpu" is NumPy. "cuda" (or "cuda:1", …) is a GPU through torch. "torch" is torch on the CPU: slower than NumPy, and
there to test what runs on a GPU where there is none. "auto" takes a GPU if there is one, the work is worth the way
there, and the memory suffices; else NumPy.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

# Operations in one pass over the data below which the way to a GPU and back costs more than it saves; a rough figure.
# `python -m benchmarks device`, H200 beside 16 cores: small batches of a 100-100-10 network run at 0.7 of the CPU's
# speed, larger ones of a 100-256-256-10 network at 24 times.
WORTH_IT = 2e9
# Part of the free memory that a run may take: the rest is for the allocator and for what others do.
USABLE = 0.9


class Place:
    """Where arrays of a run live.

    >>> here = Place("cpu")
    >>> here.is_device, here.get(here.put([1, 2], float))
    (False, array([1., 2.]))
    """

    def __init__(self, name: str):
        self.name = name
        self.is_device = name != "cpu"

    def put(self, array: Any, dtype: Any = None) -> Any:
        """The array here, of this type of number."""
        array = np.ascontiguousarray(array, dtype=dtype)
        if not self.is_device:
            return array
        import torch

        # A tensor shares the memory of a NumPy array on the CPU; the caller's data are not ours to change.
        given = torch.from_numpy(array if array.flags.writeable else array.copy())
        return given.clone() if self.name == "torch" else given.to(self.name)

    def put_index(self, order: np.ndarray) -> Any:
        """Row numbers, to index arrays that live here."""
        return self.put(order, np.int64)

    def get(self, array: Any) -> np.ndarray:
        """A NumPy array of the same numbers."""
        return array.detach().cpu().numpy() if self.is_device else np.asarray(array)

    def get_into(self, out: np.ndarray, array: Any) -> None:
        """Write the numbers into a NumPy array, without a second copy of them on the way."""
        if not self.is_device:
            out[...] = array
            return
        import torch

        torch.from_numpy(out).copy_(array)

    def uniform(self, seed: int, dtype: Any) -> Callable[[tuple[int, ...]], Any]:
        """shape -> numbers drawn uniformly from [0, 1), here."""
        if not self.is_device:
            random = np.random.default_rng(seed)
            return lambda shape: random.random(shape, dtype=np.dtype(dtype).type)
        import torch

        where = "cpu" if self.name == "torch" else self.name
        generator = torch.Generator(where).manual_seed(seed)
        kind = getattr(torch, np.dtype(dtype).name)
        return lambda shape: torch.rand(shape, generator=generator, device=where, dtype=kind)

    def wait(self) -> None:
        """Return when all that was asked of the device is done."""
        if self.is_device and self.name != "torch":
            import torch

            torch.cuda.synchronize(self.name)

    def free_bytes(self) -> int | None:
        """Memory that is free, or None where it is the machine's own."""
        if not self.is_device or self.name == "torch":
            return None
        import torch

        return torch.cuda.mem_get_info(self.name)[0]

    def __repr__(self) -> str:
        return f"Place({self.name!r})"


def place_for(device: str, operations: float = np.inf, n_bytes: int = 0, fallback: bool = False) -> Place:
    """The place that `device` names, or an error that says what is missing.

    Parameters
    ----------
    device : "cpu", "cuda", "cuda:<number>", "torch" or "auto".
    operations : of one pass over the data; "auto" takes a GPU from `WORTH_IT` on.
    n_bytes : memory that is needed there.
    fallback : take the CPU where the memory does not suffice, as "auto" does, instead of raising MemoryError.

    Examples
    --------
    >>> place_for("auto", operations=1e6)
    Place('cpu')
    >>> place_for("tpu")
    Traceback (most recent call last):
    ValueError: device='tpu' is not known; give 'cpu', 'cuda', 'cuda:<number>', 'torch' or 'auto'
    """
    kind, _, number = device.partition(":")
    if kind not in ("cpu", "cuda", "torch", "auto") or (number and not (kind == "cuda" and number.isdigit())):
        raise ValueError(f"device={device!r} is not known; give 'cpu', 'cuda', 'cuda:<number>', 'torch' or 'auto'")
    if kind == "cpu" or (kind == "auto" and (operations < WORTH_IT or n_cuda() == 0)):
        return Place("cpu")
    if find_spec("torch") is None:
        raise ImportError(f"device={device!r} needs torch, which is not installed; install it or take device='cpu'")
    if kind == "torch":
        return Place("torch")
    there = int(number or 0)
    if there >= n_cuda():
        raise RuntimeError(f"device={device!r}: torch sees {n_cuda()} CUDA devices; take device='cpu' or 'auto'")
    place = Place(f"cuda:{there}")
    free = int(USABLE * (place.free_bytes() or 0))
    if n_bytes > free:
        if fallback or kind == "auto":
            return Place("cpu")
        raise MemoryError(
            f"device={device!r}: {n_bytes:,} bytes are needed and {free:,} are free there; take fewer rows or units, "
            "dtype='float32', device='cpu', or 'auto', which falls back to the CPU"
        )
    return place


def n_cuda() -> int:
    """How many CUDA devices torch sees; 0 without torch."""
    if find_spec("torch") is None:
        return 0
    import torch

    return torch.cuda.device_count() if torch.cuda.is_available() else 0
