"""Called while a wheel is built: one that holds compiled kernels is for one Python on one kind of machine."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Kernels(BuildHookInterface):
    """Name the platform in the name of the wheel where `make wheel` has compiled kernels."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard" and Path(self.root, "src/learnable/_jit/ready").is_dir():
            build_data |= {"pure_python": False, "infer_tag": True}
