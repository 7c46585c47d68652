"""Configuration of the documentation. Pages hold no formulas that need a script: they read offline."""

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


]
exclude_patterns = ["_build", "_templates", "examples", "gallery/*.py", "sg_execution_times.rst"]
templates_path = ["_templates"]
default_role = "literal"  # docstrings mark code with single backticks
nitpicky = False

html_theme = "furo"
html_title = f"learnable {release}"
html_static_path = ["_static"]
html_css_files = ["learnable.css"]
html_copy_source = False
html_show_sphinx = False

autosummary_generate = True
autosummary_ignore_module_all = False  # the public names of a room are those of its __all__
autosummary_imported_members = True
autodoc_typehints = "none"  # the docstrings say it in words
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
napoleon_custom_sections = [("Claims", "params_style"), ("Attributes every fit leaves behind", "params_style")]

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 10**6,
    "abort_on_example_error": True,
    "plot_gallery": True,
    "thumbnail_size": (400, 280),
    "remove_config_comments": True,
    "copyfile_regex": "",
}


def setup(app):
    app.connect("autodoc-skip-member", _skip_what_is_not_ours)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _skip_what_is_not_ours(app, what, name, obj, skip, options):
    """Leave out members that come from elsewhere (tuple.count, BaseEstimator.get_params) and bare tuple fields."""
    if skip or what != "class":
        return skip
    target = obj.fget if isinstance(obj, property) else getattr(obj, "__func__", obj)
    home = getattr(target, "__module__", None) or ""
    return True if not home.startswith("learnable") else None
