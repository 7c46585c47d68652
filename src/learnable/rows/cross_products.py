"""Zᵀ Z of a block of rows, where the setting `device` says."""

import numpy as np


def cross_products(Z: np.ndarray, device: str = "cpu") -> np.ndarray:
    """Zᵀ Z in double precision, summed here or on a GPU.

    Parameters
    ----------
    Z : array (m, p)
        In the precision in which products are to be taken.
    device : str, default="cpu"
        As `learnable.device.place_for` takes it. Callers read it from `get_config` before they go over blocks: threads
        and workers of a cluster have settings of their own, and each works on the device that this name means there.

    Examples
    --------
    >>> cross_products(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[10., 14.],
           [14., 20.]])
    """
    if device != "cpu":
        from learnable.device import DeviceRows, gram, place_for

        place = place_for(device, 2.0 * len(Z) * Z.shape[1] ** 2, Z.nbytes)
        if place.is_device:
            return gram(DeviceRows(Z, place))
    return (Z.T @ Z).astype(float, copy=False)
