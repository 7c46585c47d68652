"""Doctests of one file named alone, whose function has the file's name and is imported from the room."""

import subprocess
import sys
from pathlib import Path


def test_the_function_of_a_room_is_not_replaced_by_its_module():
    root = Path(__file__).parents[1]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "src/learnable/rows/moments.py"]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
