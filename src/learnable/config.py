"""Settings of the library, for a block of code or for good."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from os import PathLike
from typing import Any

_DEFAULTS: dict[str, Any] = {
    "certificates": True,
    "device": "cpu",
    "dask_persist": "fits",
    "dask_timeout": 60.0,
    "checkpoint": None,
}
_settings: ContextVar[dict[str, Any]] = ContextVar("learnable_settings", default=_DEFAULTS)


def get_config() -> dict[str, Any]:
    """The settings in force.

    >>> get_config()["certificates"]
    True
    """
    return dict(_settings.get())


def set_config(**settings: Any) -> None:
    """Change settings from here on; see `config_context` for what there is."""
    _settings.set(_checked(settings))


@contextmanager
def config_context(**settings: Any) -> Iterator[None]:
    """Change settings within a block.

    Parameters
    ----------
    certificates : bool, default=True
        Whether fits are certified. Off, `certificate_` asserts nothing: for the inner fits of cross-validation, whose
        certificates nobody reads. `certify(model, X, y)` judges any of them later.
    device : str, default="cpu"
        Where learners with a `device` parameter that is None compute; see `learnable.device.place_for`.
    dask_persist : "fits", True or False, default="fits"
        Whether chunks of dask arrays stay in the workers' memory between the passes of a fit: where they take no more
        than half of what is free there, always, or never, so that every pass computes them anew.
    dask_timeout : float, default=60
        Seconds without any worker after which a fit on a dask cluster gives up; infinity to wait for ever. A worker of
        which nothing was heard for as long (and ten of its heartbeats), as one whose process stands still, is struck
        off, and its work is done by others.
    checkpoint : path of a folder, or None, default=None
        Where fits write the state they have reached, as often as costs them no more than a twentieth of their time.
        The same fit (class, parameters, data) goes on from it, in another process too, and ends with the same bits:
        boosting, forests and stochastic gradient descent; others say that they cannot. For fits that are sums over
        rows there is `rows.checkpointed`. Nothing in the folder is deleted. It is read with `pickle`: name none that
        others write to.

    Examples
    --------
    >>> from learnable import config_context
    >>> from learnable.linear import Ridge
    >>> with config_context(certificates=False):
    ...     model = Ridge().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.5])
    >>> model.certificate_.verdict
    <Verdict.NOTHING_ASSERTED: 'nothing asserted'>
    """
    token = _settings.set(_checked(settings))
    try:
        yield
    finally:
        _settings.reset(token)


def _checked(settings: dict[str, Any]) -> dict[str, Any]:
    for name, value in settings.items():
        if name not in _DEFAULTS:
            raise ValueError(f"{name}={value!r}: there is no such setting; settings are {', '.join(_DEFAULTS)}")
    if not isinstance(settings.get("certificates", True), bool):
        raise TypeError(f"certificates={settings['certificates']!r}: give True or False")
    if not isinstance(settings.get("device", "cpu"), str):
        raise TypeError(f"device={settings['device']!r}: give a name, e.g. 'cpu', 'cuda' or 'auto'")
    if settings.get("dask_persist", "fits") not in ("fits", True, False):
        raise ValueError(f"dask_persist={settings['dask_persist']!r}: give 'fits', True or False")
    if not isinstance(patience := settings.get("dask_timeout", 1.0), int | float) or not patience > 0:
        raise ValueError(f"dask_timeout={patience!r}: give a number of seconds > 0")
    if not isinstance(settings.get("checkpoint"), str | PathLike | None):
        raise TypeError(f"checkpoint={settings['checkpoint']!r}: give the path of a folder, or None")
    return _settings.get() | settings
