"""A file that is tested alone is the module that its room imported.

pytest would load it a second time, and put the new module into the room in place of the function of the same name.
"""

from importlib import import_module
from pathlib import Path


def pytest_collect_file(file_path: Path) -> None:
    if file_path.suffix == ".py" and not file_path.stem.startswith("__") and file_path != Path(__file__):
        import_module(".".join(file_path.relative_to(Path(__file__).parent).with_suffix("").parts))
