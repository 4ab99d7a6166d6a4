"""The pictures of a report: SVG that takes its colours and type face from the page.

matplotlib draws them. It comes with the extra gru-mt[report]; without it there are no pictures.
Series are told apart by colours that colour-blind people can tell apart (Okabe and Ito 2008), and
by dashes or marks.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from itertools import cycle
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INSTALL = "pip install 'gru-mt[report]'"
COLOURS = ("#0072b2", "#d55e00", "#009e73")  # blue, vermilion, bluish green
DASHES = ("-", "--", ":")
MARKERS = ("o", "s", "^")
_INK = "#010203"  # stands for the page's text colour
_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_FONT_SIZE = re.compile(r"([\d.]+)px")


@dataclass(frozen=True, slots=True)
class Line:
    """A series of a picture: y over x."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    points: bool = False  # few points, so each is marked


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its interval, if it has one."""

    name: str
    value: float
    low: float | None
    high: float | None


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def curves(
    title: str, unit: str, lines: Sequence[Line], minutes_at: Sequence[tuple[float, float]]
) -> str:
    """Return lines over updates, with the minutes above; `minutes_at` has updates and minutes."""

    def draw(axes: "Axes") -> None:
        for line, colour, dash in zip(lines, cycle(COLOURS), cycle(DASHES), strict=False):
            marker = {"marker": "o", "markersize": 3} if line.points else {}
            axes.plot(line.x, line.y, dash, color=colour, label=line.name, linewidth=1.5, **marker)  # type: ignore[arg-type]
        axes.set(xlabel="updates", ylabel=unit)
        if len(lines) > 1:
            axes.legend(frameon=False)
        if len(minutes_at) > 1:
            _add_minutes(axes, minutes_at)

    return _drawn(title, draw, height=2.6, salt=f"{title}{lines}")


def _add_minutes(axes: "Axes", minutes_at: Sequence[tuple[float, float]]) -> None:
    """Add an axis of minutes above."""
    from matplotlib.ticker import MaxNLocator

    update_N, minute_N = (np.array(column) for column in zip(*minutes_at, strict=True))
    above = axes.secondary_xaxis(
        "top",
        functions=(
            lambda update: np.interp(np.asarray(update), update_N, minute_N),
            lambda minute: np.interp(np.asarray(minute), minute_N, update_N),
        ),
    )
    ticks = MaxNLocator(6).tick_values(0, minute_N[-1])
    above.set_xticks([tick for tick in ticks if minute_N[0] <= tick <= minute_N[-1]])
    above.set_xlabel("minutes")


def intervals(title: str, unit: str, series: Mapping[str, Sequence[Interval]]) -> str:
    """Return a point and a bar of its interval for each row of each series, the first row on top.

    Every series has the same rows.
    """
    first = next(iter(series.values()))
    step = 0.6 / len(series)

    def draw(axes: "Axes") -> None:
        styles = zip(series.items(), cycle(COLOURS), cycle(MARKERS), strict=False)
        for number, ((name, rows), colour, marker) in enumerate(styles):
            offset = (number - (len(series) - 1) / 2) * step
            places = [place + offset for place in range(len(rows))]
            for place, row in zip(places, rows, strict=True):
                if row.low is not None and row.high is not None:
                    axes.plot([row.low, row.high], [place, place], color=colour, linewidth=2)
            values = [row.value for row in rows]
            axes.plot(values, places, marker, color=colour, markersize=5, label=name)
        axes.set_yticks(range(len(first)), [row.name for row in first])
        axes.set(xlabel=unit, ylim=(len(first) - 0.5, -0.5))
        if len(series) > 1:
            axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0))

    height = 0.9 + (0.15 + 0.15 * len(series)) * len(first) + 0.25 * (len(series) - 1)
    return _drawn(title, draw, height=height, salt=f"{title}{series}")


def calibration(title: str, points: Sequence[tuple[float, Interval]]) -> str:
    """Return how often a translation was right, in %, over how confident the model was, in %."""

    def draw(axes: "Axes") -> None:
        axes.plot([0, 100], [0, 100], ":", color=_INK, linewidth=1)
        for confidence, row in points:
            if row.low is not None and row.high is not None:
                axes.plot(
                    [100 * confidence] * 2, [row.low, row.high], color=COLOURS[0], linewidth=2
                )
            axes.plot([100 * confidence], [row.value], "o", color=COLOURS[0], markersize=5)
        axes.set(xlabel="confidence, %", ylabel="right, %", xlim=(0, 100), ylim=(0, 100))

    return _drawn(title, draw, height=3.2, salt=f"{title}{points}")


def _drawn(title: str, draw: Callable[["Axes"], None], *, height: float, salt: str) -> str:
    """Return the SVG of what `draw` puts into the axes of a figure, `height` inches high.

    Its ids depend on `salt`, so that no two pictures of a page have the same.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    settings: dict[Any, Any] = {
        "svg.fonttype": "none",  # text stays text
        "svg.hashsalt": salt,
        "font.size": 9,
        **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor"), _INK),
        **dict.fromkeys(("xtick.color", "ytick.color", "grid.color"), _INK),
        "grid.alpha": 0.15,
        "axes.grid": True,
        "axes.spines.right": False,
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "legend.fontsize": 8,
    }
    file = BytesIO()
    with mpl.rc_context(settings):
        figure = Figure(figsize=(4.6, height), layout="constrained")
        draw(figure.subplots())
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return _for_page(file.getvalue(), title)


def _for_page(svg: bytes, title: str) -> str:
    """Return an SVG as part of a page whose policy allows no style inside elements."""
    root = ElementTree.fromstring(svg)
    for parent in root.iter():
        for child in [*parent]:
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style") or (
                child.tag == f"{{{_SVG}}}defs"
                and len(child) == 1
                and child[0].tag.endswith("style")
            ):
                parent.remove(child)
    for element in root.iter():
        for name, value in _declarations(element.attrib.pop("style", "")):
            element.set(name, value)
        if element.tag == f"{{{_SVG}}}g":
            element.attrib.pop("id", None)  # the pictures of a page would share them
        element.attrib.pop("font-family", None)
        for name, value in element.attrib.items():
            if value == _INK:
                element.set(name, "currentColor")
    for size in ("width", "height", "version"):
        root.attrib.pop(size, None)
    root.set("role", "img")
    root.set("aria-label", title)
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return ElementTree.tostring(root, encoding="unicode")


def _declarations(style: str) -> list[tuple[str, str]]:
    """Return a style's declarations as attributes; of a font only its size stays."""
    found = []
    for declaration in filter(None, map(str.strip, style.split(";"))):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if name == "font":
            name, value = "font-size", _FONT_SIZE.search(value)[1]  # type: ignore[index]
        found.append((name, value))
    return found
