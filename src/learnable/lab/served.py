"""The files of the page: the lab's own modules and the player of the films, compressed once, named by their content."""

import gzip
import hashlib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

KINDS = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}
_ROOMS = {"lab": ("learnable.lab", "page"), "player": ("learnable.films", "player")}


class File(NamedTuple):
    """A file as it is sent."""

    kind: str
    plain: bytes
    packed: bytes


@cache
def shelf() -> dict[str, File]:
    """Path below the version -> file."""
    found = {}
    for room, (package, folder) in _ROOMS.items():
        for entry in files(package).joinpath(folder).iterdir():
            kind = KINDS.get(entry.name.rpartition(".")[2])
            if kind is not None:
                content = entry.read_bytes()
                found[f"{room}/{entry.name}"] = File(kind, content, gzip.compress(content, 9, mtime=0))
    return found


@cache
def version() -> str:
    """A digest of all files: a browser may keep what has this name for ever."""
    digest = hashlib.sha256()
    for name, file in sorted(shelf().items()):
        digest.update(name.encode() + b"\0" + file.plain)
    return digest.hexdigest()[:16]


def page() -> bytes:
    """The page itself, which names the version of everything it loads."""
    text = files("learnable.lab").joinpath("page", "index.html").read_text(encoding="utf-8")
    return text.replace("{version}", version()).encode()
