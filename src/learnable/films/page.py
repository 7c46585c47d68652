"""One page: the player's modules in one script, the film as data, and a policy that forbids everything else."""

import base64
import hashlib
import json
import re
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

# In the order in which they import each other.
MODULES = ("draw", "frames", "ground", "plane", "bars", "history", "graph", "cells", "table", "claims", "player")

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (function|const) (\w+)", re.MULTILINE)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main id="film"><noscript>This film needs JavaScript; it loads nothing from elsewhere.</noscript></main>
<script type="application/json" id="data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def page(film: dict[str, Any]) -> str:
    """The film as HTML."""
    script, style = bundle(), _part("player.css")
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    # Within a script element only "<" can end it.
    data = json.dumps(film, separators=(",", ":"), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    title = escape(f"{film['title']}: film of a fit")
    return _PAGE.format(policy=escape(policy), title=title, style=style, data=data, script=script)


@cache
def bundle() -> str:
    """The modules of the player as one script, each in a function of its own.

    A page on disk cannot import modules from beside it, so `import` and `export` become plain objects.
    """
    parts = []
    for name in MODULES:
        source = _part(f"{name}.js")
        exported = ", ".join(match[1] for match in _EXPORT.findall(source))
        body = _IMPORT.sub(lambda match: f"const {{{match[1]}}} = {match[2]}_js;\n", source)
        body = _EXPORT.sub(r"\1 \2", body)
        parts.append(f"const {name}_js = (() => {{\n{body}\nreturn {{{exported}}};\n}})();\n")
    start = (
        'player_js.mount(document.getElementById("film"), JSON.parse(document.getElementById("data").textContent));\n'
    )
    return "\n".join(parts) + start


def _part(name: str) -> str:
    return files("learnable.films").joinpath("player", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
