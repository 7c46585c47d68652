"""A file that is tested alone is the module that its room imported.

pytest would load it a second time, and put the new module into the room in place of the function of the same name.
"""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

collect_ignore = [] if find_spec("triton") else ["learnable/device/fused.py"]


def pytest_collect_file(file_path: Path) -> None:
    ignored = str(file_path.relative_to(Path(__file__).parent)) in collect_ignore
    if (
        file_path.suffix == ".py"
        and not ignored
        and not file_path.stem.startswith("__")
        and file_path != Path(__file__)
    ):
        import_module(".".join(file_path.relative_to(Path(__file__).parent).with_suffix("").parts))
