"""Writing without half files: everything goes to temporary files first, which then take the place of the old ones."""

import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from learnable.app.errors import UserError


def check_writable(folder: Path) -> None:
    """Refuse, before any work is done, a folder that cannot be written.

    >>> import tempfile
    >>> check_writable(Path(tempfile.gettempdir()) / "not" / "yet" / "there")
    """
    standing = folder.absolute()
    while not standing.exists():
        standing = standing.parent
    if not standing.is_dir():
        raise UserError(f"cannot write to {folder}: {standing} is not a folder; choose another with --out")
    try:
        # The only reliable test: permissions, read-only mounts and full quotas all show here.
        with tempfile.TemporaryFile(dir=standing):
            pass
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror}; choose another with --out") from error


Content = bytes | Iterable[bytes]


def write_all(contents: Mapping[Path, Content]) -> None:
    """Write every file or none: on any failure the files that were there before are left as they were.

    A content may be pieces that are made one after the other, so that it is never in memory as a whole.

    A device or a pipe, such as /dev/stdout, is written to at the end; it is never replaced by a file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_all({Path(folder) / "new" / "a.txt": b"one"})
    ...     (Path(folder) / "new" / "a.txt").read_bytes()
    b'one'
    """
    with ExitStack() as cleanup:
        ready: list[tuple[str, Path]] = []
        streams = [path for path in contents if path.exists() and not path.is_file() and not path.is_dir()]
        try:
            for path, content in contents.items():
                if path in streams:
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                if path.is_dir():
                    raise UserError(f"cannot write {path}: there is a folder of that name; choose another with --out")
                handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
                cleanup.callback(_remove, temporary)
                with os.fdopen(handle, "wb") as file:
                    for piece in _pieces(content):
                        file.write(piece)
                    file.flush()
                    os.fsync(file.fileno())
                os.chmod(temporary, _usual_mode(path))
                ready.append((temporary, path))
            for temporary, path in ready:
                os.replace(temporary, path)
            for path in streams:
                with open(path, "wb", buffering=0) as stream:
                    for piece in _pieces(contents[path]):
                        _write_through(stream.fileno(), piece)
        except OSError as error:
            raise UserError(f"cannot write {path}: {error.strerror}; choose another place with --out") from error


def refuse_overwriting(out: Path, inputs: Mapping[str, Path]) -> None:
    """Refuse to write over a file that is being read; `inputs` maps what it is to where it is."""
    for what, path in inputs.items():
        if out.exists() and path.exists() and out.samefile(path):
            raise UserError(f"--out {out} is {what} itself, which would be lost; choose another file")


def _pieces(content: Content) -> Iterable[bytes]:
    return (content,) if isinstance(content, bytes) else content


def _write_through(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _remove(temporary: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(temporary)


def _usual_mode(path: Path) -> int:
    """The mode of the file it replaces, else what the umask gives (mkstemp's own is private to the user)."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
