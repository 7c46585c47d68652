"""Where arrays live: the only room that imports torch. Tensors in, NumPy arrays out."""

from learnable.device.agreement import agreement
from learnable.device.blocks import DeviceRows
from learnable.device.devices import Place, place_for
from learnable.device.products import (
    gram,
    kernel_product,
    lloyd_pass,
    mixture_pass,
    moments,
    multinomial_hessian_product,
    multinomial_newton,
    rbf_block,
    rbf_table,
)

__all__ = [
    "DeviceRows", "Place", "agreement", "gram", "kernel_product", "lloyd_pass", "mixture_pass", "moments",
    "multinomial_hessian_product", "multinomial_newton", "place_for", "rbf_block",
    "rbf_table",
]  # fmt: skip
