"""The share of lines and branches that the tests ran, one line a room and one for the house."""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "coverage.json")
        subprocess.run([sys.executable, "-m", "coverage", "json", "--quiet", "-o", str(report)], check=True)
        files = json.loads(report.read_text())["files"]
    ran, there = Counter[str](), Counter[str]()
    for file, found in files.items():
        parts = Path(file).parts[::-1]  # from the end: the checkout may lie in a folder of the same name
        counts = found["summary"]
        for room in (parts[parts.index("learnable") - 1].removesuffix(".py"), "all"):
            ran[room] += counts["covered_lines"] + counts["covered_branches"]
            there[room] += counts["num_statements"] + counts["num_branches"]
    for room in sorted(there, key=lambda room: (room == "all", room)):
        print(f"{room:14} {ran[room]:6} of {there[room]:6}  {100.0 * ran[room] / max(there[room], 1):5.1f} %")


if __name__ == "__main__":
    main()
