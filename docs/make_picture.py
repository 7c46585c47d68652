"""Draw the picture of the README: two figures of the report that `learnable learn` writes on its embedded table.

`python docs/make_picture.py` writes docs/_static/report.svg. The figures are those of the report itself, with the
colours of its style sheet for the light and the dark scheme.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

PICTURE = Path(__file__).parent / "_static" / "report.svg"
WIDTH, GAP, TITLE = 390, 40, 34
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"


def report() -> str:
    """The report of a real run, with the default seed."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", "from learnable.app.cli import main; main()", "learn", "--out", folder]
        subprocess.run(command, check=True, capture_output=True)
        return (Path(folder) / "report.html").read_text(encoding="utf-8")


def variables(html: str) -> tuple[str, str]:
    """The colours of the light and of the dark scheme, as the style sheet of the report declares them."""
    blocks = re.findall(r":root\s*{([^}]*)}", html)
    light, dark = (" ".join(re.findall(r"--[\w-]+:\s*[^;]+;", block)) for block in blocks[:2])
    return light, dark


def picture(html: str) -> str:
    """The leaderboard and the importance of the columns side by side, each under the heading it stands under."""
    drawn = re.compile(rf'<svg viewBox="0 0 ({WIDTH}) ([\d.]+)" class="picture"[^>]*>(.*?)</svg>', flags=re.DOTALL)
    found = list(drawn.finditer(html))[:2]
    figures = [one.groups() for one in found]
    headings = [re.findall(r"<h2>(.*?)</h2>", html[: one.start()])[-1] for one in found]
    light, dark = variables(html)
    height = TITLE + max(round(float(tall)) for _, tall, _ in figures) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="0 0 {2 * WIDTH + GAP + 32} {height + 24}" role="img" font-family="{FONT}">',
        "<title>Leaderboard and importance of the columns, from a run of learnable learn</title>",
        f"<style>:root {{ {light} }} @media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"
        " .heading { fill: var(--ink); font-size: 17px; font-weight: 600; }</style>",
        f'<rect width="{2 * WIDTH + GAP + 32}" height="{height + 24}" rx="10" fill="var(--paper)"/>',
    ]
    for place, ((wide, tall, drawing), heading) in enumerate(zip(figures, headings, strict=True)):
        left = 16 + place * (WIDTH + GAP)
        parts += [
            f'<text class="heading" x="{left}" y="34">{heading}</text>',
            f'<svg x="{left}" y="{TITLE + 16}" width="{wide}" height="{tall}" viewBox="0 0 {wide} {tall}">',
            f"{drawing}</svg>",
        ]
    return "\n".join([*parts, "</svg>\n"])


if __name__ == "__main__":
    PICTURE.write_text(picture(report()), encoding="utf-8")
