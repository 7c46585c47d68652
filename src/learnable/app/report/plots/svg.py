"""Matplotlib figures as inline SVG for the report.

The displays of `learnable.evaluation` draw with one colour per *role* (ink, accent, ...); here each becomes a CSS
variable, so the same picture serves the light and the dark scheme. The text stays text, in the font of the page.
"""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from markupsafe import Markup

from learnable.evaluation.displays import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LONG_NUMBER = re.compile(r"\d+\.\d{3,}")
INK, MUTED, LINE = style.INK, style.MUTED, style.FAINT
ACCENT, SECOND = style.BLUE, style.ORANGE
PAPER = "#ffffff"

ROLES = {
    color.lower(): f"var(--{role})"
    for color, role in {
        INK: "ink",
        "#000000": "ink",
        MUTED: "muted",
        LINE: "line",
        ACCENT: "accent",
        SECOND: "second",
        style.VERMILION: "second",
        PAPER: "paper",
    }.items()
}

_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "learnable",
    "text.parse_math": False,  # a column may be called "$\frac$"
    "axes.formatter.use_mathtext": False,
    "font.size": 12,
    "axes.titlesize": 12,
    "axes.labelsize": 11.5,
    "xtick.labelsize": 11.5,
    "ytick.labelsize": 11.5,
    "legend.fontsize": 11.5,
    "legend.frameon": False,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": LINE,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.grid": False,
    "axes.axisbelow": True,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "xtick.color": LINE,
    "xtick.labelcolor": MUTED,
    "ytick.color": LINE,
    "ytick.labelcolor": MUTED,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.major.pad": 5,
    "ytick.major.pad": 6,
    "figure.facecolor": "none",
    "figure.dpi": 72,
    "savefig.facecolor": "none",
    "lines.linewidth": 1.8,
    "patch.edgecolor": INK,
}


@contextmanager
def drawing() -> Iterator[None]:
    """The style of the report's pictures, whatever the user's own matplotlib settings are.

    >>> import matplotlib
    >>> with drawing():
    ...     matplotlib.rcParams["svg.fonttype"]
    'none'
    """
    import matplotlib
    from cycler import cycler

    plain = {key: value for key, value in matplotlib.rcParamsDefault.items() if key != "backend"}
    cycle = {"axes.prop_cycle": cycler(color=[ACCENT, SECOND, MUTED, INK])}
    settings: dict[Any, Any] = {**plain, **_STYLE, **cycle}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        # The reader's browser brings the font; matplotlib's own may lack a glyph, and only measures with it.
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .*missing from", category=UserWarning)
        warnings.filterwarnings("ignore", message=r"Matplotlib currently does not support", category=UserWarning)
        yield


def blank(width: float, height: float, left: float = 8, right: float = 8, top: float = 8, bottom: float = 40):
    """A figure and its axes; everything in points, the margins around the axes included.

    >>> with drawing():
    ...     figure, axes = blank(400, 200, left=100)
    >>> [float(round(edge, 3)) for edge in axes.get_position().extents]
    [0.25, 0.2, 0.98, 0.96]
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / 72, height / 72))
    axes = figure.add_axes(
        (left / width, bottom / height, 1 - (left + right) / width, 1 - (top + bottom) / height)  # type: ignore[arg-type]
    )
    return figure, axes


def settle(axes: "Axes", xlabel: str, ylabel: str = "") -> None:
    """What a display has drawn, in the style of the page: its labels, larger text, no legend (the caption explains)."""
    axes.set_xlabel(xlabel, color=MUTED, fontsize=11.5)
    axes.set_ylabel(ylabel, color=MUTED, fontsize=11.5)
    axes.tick_params(labelsize=11.5, color=LINE, labelcolor=MUTED)
    axes.spines[:].set_color(LINE)
    if ylabel:
        _make_room(axes)
    if legend := axes.get_legend():
        legend.remove()


def _make_room(axes: "Axes") -> None:
    """Move the left edge to the right where long figures on the upright axis would push its name off the picture."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    axes.yaxis.get_tightbbox()  # places its name beside the figures
    missing = 4 - axes.yaxis.label.get_window_extent().x0
    if missing > 0:
        box = axes.get_position()
        left = box.x0 + missing / figure.bbox.width
        axes.set_position((left, box.y0, box.x1 - left, box.height))


def inline(figure: "Figure", name: str, label: str) -> Markup:
    """The figure as one `<svg>` element that can stand in an HTML page beside others.

    Identifiers get `name` as prefix, `label` is what a screen reader says, and nothing in it depends on the time,
    the process or the order of drawing.

    >>> with drawing():
    ...     figure, axes = blank(200, 100)
    ...     _ = axes.set_title("a < b")
    ...     svg = inline(figure, "example", "An empty picture")
    >>> svg[:74]
    Markup('<svg viewBox="0 0 200 100" class="picture" role="img" aria-label="An empty')
    >>> "a &lt; b" in svg, "http" in svg
    (True, False)
    """
    page = StringIO()
    figure.savefig(page, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    root = ElementTree.fromstring(page.getvalue())
    for parent in list(root.iter()):
        for child in list(parent):
            if _local(child.tag) in {"metadata", "style"}:  # its style sheet would reach the whole page
                parent.remove(child)
    for element in root.iter():
        element.tag = _local(element.tag)
        element.tail = None
        if element.tag != "text":
            element.text = None
        attributes = {_local(key): value for key, value in element.attrib.items()}
        element.attrib.clear()
        for key, value in attributes.items():
            if key == "style":
                value = _restyle(value)
            elif key in {"d", "x", "y"}:
                value = _LONG_NUMBER.sub(lambda digits: f"{float(digits[0]):.2f}", " ".join(value.split()))
            elif key == "id":
                if element.tag == "g":  # only shapes are referred to, groups never
                    continue
                value = f"{name}-{value}"
            elif key == "href" and value.startswith("#"):
                value = f"#{name}-{value[1:]}"
            element.set(key, value.replace("url(#", f"url(#{name}-"))
    for group in root.iter("g"):
        _share_style(group)
    view = root.attrib["viewBox"]
    root.attrib.clear()
    root.attrib.update({"viewBox": view, "class": "picture", "role": "img", "aria-label": label})
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # escaped by ElementTree


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _share_style(group: ElementTree.Element) -> None:
    """The style that all marks of a group have in common is written once, on the group."""
    styles = {mark.get("style") for mark in group}
    if len(group) > 1 and len(styles) == 1 and all(mark.tag == "use" for mark in group) and None not in styles:
        group.set("style", styles.pop() or "")
        for mark in group:
            del mark.attrib["style"]


def _restyle(style: str) -> str:
    """Marker colours become roles; the font family is left to the page."""
    kept = []
    for declaration in style.split(";"):
        key, _, value = (part.strip() for part in declaration.partition(":"))
        if key and key != "font-family":
            kept.append(f"{key}:{ROLES.get(value, value)}")
    return ";".join(kept)
