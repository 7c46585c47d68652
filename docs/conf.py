"""Configuration of the documentation. Pages load nothing from elsewhere: they read offline."""

import re
import sys
from pathlib import Path

import learnable

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "_ext")]

project = "learnable"
author = "The learnable developers"
project_copyright = author
version = release = learnable.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "plain_math",
    "real_output",
    "room",
    "syllabus_table",
]
exclude_patterns = ["_build", "examples", "sg_execution_times.rst"]
default_role = "literal"  # docstrings mark code with single backticks
suppress_warnings = ["ref.python"]  # fields called `low` exist in several classes; none is linked to
html_math_renderer = "plain"

html_theme = "furo"
html_title = f"learnable {release}"
html_static_path = ["_static"]
html_css_files = ["learnable.css"]
html_copy_source = False
html_show_sphinx = False

autosummary_generate = False  # the tables of a room lead to the same page
autodoc_typehints = "none"  # the docstrings say it in words
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes every fit leaves behind", "params_style")]

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": float("inf"),
    "abort_on_example_error": True,
    "thumbnail_size": (400, 280),
}


def setup(app):
    app.connect("autodoc-skip-member", skip_what_is_not_ours)
    app.connect("autodoc-process-docstring", write_plainly, priority=900)  # after napoleon


def skip_what_is_not_ours(app, what, name, obj, skip, options):
    """Leave out members that come from elsewhere (tuple.count, BaseEstimator.get_params) and bare tuple fields."""
    if skip or what != "class":
        return skip
    target = obj.fget if isinstance(obj, property) else getattr(obj, "__func__", obj)
    home = getattr(target, "__module__", None) or ""
    return None if home.startswith("learnable") else True


def write_plainly(app, what, name, obj, options, lines):
    """Outside code and doctests the bars of |x| are not a substitution, nor is the end of `coef_` a reference."""
    in_doctest = False
    for number, line in enumerate(lines):
        in_doctest = bool(line.strip()) and (in_doctest or line.lstrip().startswith(">>>"))
        if not in_doctest:
            parts = re.split(r"(`[^`]*`)", line)
            parts[::2] = [re.sub(r"(\w)_(?!\w)", r"\1\\_", part.replace("|", "∣")) for part in parts[::2]]
            lines[number] = "".join(parts)
