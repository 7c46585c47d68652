"""The state that a fit has reached, on disk: the same fit goes on from it."""

import pickle
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from learnable.rows import as_rows, is_streamed
from learnable.rows.checkpoint import DIGEST_BYTES, digest, digest_of, write_whole
from learnable.rows.fingerprint import Unknown, fingerprint

# Writing takes no more than this share of the time of a fit.
SHARE = 0.05


class Reached(NamedTuple):
    """A state, its number, and the seed of the fit where it was drawn."""

    number: int
    state: Any
    seed: Any


class StateFile:
    """A watcher that writes states to the file of one fit: of its class, parameters and data.

    Attributes
    ----------
    reached : what the file held when the fit began, `Reached` or None.
    seed : to be written with every state.

    Examples
    --------
    >>> import tempfile
    >>> from typing import NamedTuple
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     StateFile(Path(folder), "Halving", "7f")(3, 0.125)
    ...     StateFile(Path(folder), "Halving", "7f").reached
    Reached(number=3, state=0.125, seed=None)
    """

    def __init__(self, folder: Path, owner: str, key: str) -> None:
        self.path, self._key = folder / f"{owner}-{key}.state", key
        self.seed: Any = None
        self.reached = self._read()
        self._next = 0.0

    def __call__(self, number: int, state: Any) -> None:
        begun = time.perf_counter()
        if begun < self._next:
            return
        content = pickle.dumps((self._key, Reached(number, state, self.seed)))
        write_whole(self.path, digest(content) + content)
        now = time.perf_counter()
        self._next = now + (now - begun) / SHARE

    def _read(self) -> Reached | None:
        try:
            written = self.path.read_bytes()
        except FileNotFoundError:
            return None
        content = written[DIGEST_BYTES:]
        if written[:DIGEST_BYTES] == digest(content):
            key, reached = pickle.loads(content)
            if key == self._key:
                return reached
            what = "is of another fit"
        else:
            what = "is damaged"
        warnings.warn(f"{self.path}: the state kept there {what}; the fit begins anew", RuntimeWarning, stacklevel=2)
        return None


def state_file(folder: Any, model: Any, data: tuple, fit_params: dict[str, Any]) -> StateFile:
    """The file of this fit in a folder. All data are read once, to know them again."""
    from learnable import __version__

    owner, told = type(model).__name__, dict(fit_params)
    if data and is_streamed(data[0]):
        X, y, *_ = (*data, None)
        data = (digest_of(as_rows(X, y, told.pop("sample_weight", None))),)
    try:
        key = fingerprint(__version__, type(model), model.get_params(), data, told)
    except Unknown as error:
        raise TypeError(
            f"{owner}: a fit with {error} cannot be known again, so that no state of it is kept; fit it with "
            "`config_context(checkpoint=None)`"
        ) from None
    return StateFile(Path(folder), owner, key)
