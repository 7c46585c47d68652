"""`learnable learn` on a table larger than its memory: peak memory and time of the command, rows it was fitted on.

    python -m benchmarks.large_table                       # 10,000,000 rows x 20 columns, at most 2 GB
    python -m benchmarks.large_table --rows 1000000 --format parquet

The command runs as a process of its own and is told the ceiling (`--memory`). The most memory it ever held is measured;
the exit code is 1 when that is above the ceiling.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

BLOCK = 250_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--ceiling", type=float, default=2.0, help="GB")
    parser.add_argument("--format", choices=["csv", "parquet"], default="csv")
    parser.add_argument("--time-limit", type=float, default=None, help="seconds, as of `learnable learn`")
    parser.add_argument("--folder", type=Path, default=None, help="where the table is written; removed afterwards")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        path = Path(folder) / f"table.{asked.format}"
        write(path, asked.rows, asked.columns)
        print(f"{asked.rows:,} rows x {asked.columns} columns, {path.stat().st_size / 1e9:.2f} GB of {asked.format}")
        return learn(path, asked.ceiling, asked.time_limit)


def write(path: Path, rows: int, columns: int) -> None:
    """Normal columns, a category, and a target of two classes whose log odds are linear; block by block."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    rng = np.random.default_rng(0)
    beta = rng.normal(size=columns - 2) / np.sqrt(columns)
    words = np.array(["north", "south", "east", "west"])
    writer = None
    for start in range(0, rows, BLOCK):
        n = min(BLOCK, rows - start)
        X = np.round(rng.normal(size=(n, columns - 2)), 4)
        region = rng.integers(4, size=n)
        odds = X @ beta + 0.5 * (region == 0)
        y = np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "yes", "no")
        table = pa.table({**{f"x{j}": X[:, j] for j in range(columns - 2)}, "region": words[region], "bought": y})
        if writer is None:
            kind = csv.CSVWriter if path.suffix == ".csv" else parquet.ParquetWriter
            writer = kind(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def learn(path: Path, ceiling: float, time_limit: float | None) -> int:
    """Run the command under the ceiling and print what it took."""
    command = [sys.executable, "-m", "learnable", "learn", str(path), "--target", "bought", "--json"]
    command += ["--out", str(path.parent), "--memory", str(ceiling * 1e9 / 2**30), "--jobs", "2"]
    command += [] if time_limit is None else ["--time-limit", str(time_limit)]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall = time.monotonic() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1) or not done.stdout:
        print(done.stderr or done.stdout)
        return 2
    found = json.loads(done.stdout)
    peak = used.ru_maxrss * 1024 / 1e9
    print(f"{found['verdict']}")
    print(f"{found['warnings'][0]}")
    print(f"chosen: {found['chosen']}; fitted on {found['fitted_rows']:,} of {found['file_rows']:,} rows")
    print(f"peak memory {peak:.2f} GB (ceiling {ceiling:g} GB); {wall:.0f} s, {used.ru_utime:.0f} s of processor time")
    return int(peak > ceiling)


if __name__ == "__main__":
    raise SystemExit(main())
