"""Where arrays live: the only room that imports torch. Tensors in, NumPy arrays out."""

from learnable.device.devices import Place, place_for

__all__ = ["Place", "place_for"]
