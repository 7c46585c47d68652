"""The sdist and the wheel hold what is needed to install and run outside the checkout; nothing is fetched."""

import configparser
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

TRIAL = """
import os, sys, warnings
from pathlib import Path
site, folder = {places!r}
os.chdir(folder)
warnings.simplefilter("error")
import learnable
from importlib.metadata import version
assert Path(learnable.__file__).is_relative_to(site), learnable.__file__
assert version("learnable") == learnable.__version__
import numpy as np
from learnable.sparse import Lasso
X = np.random.default_rng(0).standard_normal((30, 5))
assert Lasso(alpha=0.1).fit(X, X[:, 0]).certificate_.holds
from learnable.lab.chapters import entries
assert entries()["L3"]["object"] == "learnable.sparse.Lasso"  # the syllabus came along
print("fitted")
from {module} import {function}
sys.argv = ["learnable", "learn", "--dry-run"]
{function}()
"""


def build(source: Path, target: str, out: Path) -> Path:
    """Build by the backend that pip would call, in this environment."""
    ran = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(out)],
        cwd=source, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    (made,) = out.iterdir()
    return made


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """(files of the sdist, files of the wheel, where it lies): checkout -> sdist -> wheel -> a folder, as pip does."""
    pytest.importorskip("hatchling")
    place = tmp_path_factory.mktemp("packages")
    with tarfile.open(build(ROOT, "sdist", place / "sdist")) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
        archive.extractall(place / "source", filter="data")
    (source,) = (place / "source").iterdir()
    with zipfile.ZipFile(build(source, "wheel", place / "wheel")) as archive:
        files = set(archive.namelist())
        archive.extractall(place / "site")
    return names, files, place / "site"


def test_every_file_of_the_package_is_in_both(installed):
    in_sdist, in_wheel, _ = installed
    package = ROOT / "src" / "learnable"
    files = {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}
    files = {name for name in files if "__pycache__" not in name and not name.endswith((".pyc", ".nbc", ".nbi"))}
    assert "py.typed" in files
    assert {f"learnable/{name}" for name in files} <= in_wheel
    assert {f"src/learnable/{name}" for name in files} <= in_sdist
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "tests/conftest.py", "Makefile"} <= in_sdist
    # Nothing but the package goes where all packages are installed.
    tops = {name.split("/")[0] for name in in_wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"learnable"}


def test_it_runs_outside_the_checkout(installed, tmp_path, said):
    _, _, site = installed
    (entries,) = site.glob("*.dist-info/entry_points.txt")
    scripts = configparser.ConfigParser()
    scripts.read(entries)
    module, function = scripts["console_scripts"]["learnable"].split(":")
    program = TRIAL.format(places=(str(site), str(tmp_path)), module=module, function=function)
    fitted, listed = said(program, [str(site)]).split("\n", 1)
    assert fitted == "fitted"
    assert listed
    assert not list(tmp_path.iterdir())


def test_a_wheel_with_compiled_kernels_is_for_one_python_on_one_kind_of_machine(tmp_path):
    source = tmp_path / "source"
    kernel = "learnable/_jit/ready/kernels/0123/one.nbc"
    for name in ("pyproject.toml", "README.md", "LICENSE", "scripts/wheel.py", "docs/syllabus.toml", ".gitignore"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    (source / "src" / kernel).parent.mkdir(parents=True)
    (source / "src" / kernel).write_bytes(b"machine code")
    (source / "src/learnable/__init__.py").write_bytes((ROOT / "src/learnable/__init__.py").read_bytes())
    wheel = build(source, "wheel", tmp_path / "wheel")
    assert f"-cp3{sys.version_info.minor}-" in wheel.name
    assert not wheel.name.endswith("-any.whl")
    assert kernel in zipfile.ZipFile(wheel).namelist()
