"""The pictures of a report: matplotlib's SVG, embedded in the page as data.

matplotlib comes with the extra gru-mt[report]; without it every picture is empty. Series are told
apart by colours that colour-blind people can tell apart (Okabe and Ito 2008), and by dashes or
marks. They are drawn in dark ink on no ground; page.css inverts them on a dark page.
"""

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INSTALL = "pip install 'gru-mt[report]'"
COLOURS = ("#0072b2", "#d55e00", "#009e73")  # blue, vermilion, bluish green
DASHES = ("-", "--", ":")
MARKERS = ("o", "s", "^")
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "gru-mt",  # the same picture has the same bytes
    "font.family": "sans-serif",
    "font.sans-serif": ["system-ui", "DejaVu Sans"],
    "font.size": 9,
    "grid.alpha": 0.3,
    "axes.grid": True,
    "axes.spines.right": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "legend.fontsize": 8,
}


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its 95 % interval; None where a single sentence has none."""

    value: float
    low: float | None
    high: float | None


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def curves(
    title: str,
    unit: str,
    series: Mapping[str, Mapping[int, float]],
    minutes_at: Mapping[int, float],
) -> Markup:
    """Return lines of values by update, with the minutes above; those of dev are marked."""

    def draw(axes: "Axes") -> None:
        styles = zip(series.items(), cycle(COLOURS), cycle(DASHES), strict=False)
        for (name, value_at), colour, dash in styles:
            (line,) = axes.plot([*value_at], [*value_at.values()], dash, color=colour, label=name)
            if name == "dev":
                line.set(marker="o", markersize=3)
        axes.set(xlabel="updates", ylabel=unit)
        if len(series) > 1:
            axes.legend(frameon=False)
        if len(minutes_at) > 1:
            _add_minutes(axes, minutes_at)

    return _image(title, draw, height=2.6)


def _add_minutes(axes: "Axes", minutes_at: Mapping[int, float]) -> None:
    """Add an axis of minutes above."""
    from matplotlib.ticker import MaxNLocator

    update_N, minute_N = (np.array(column) for column in zip(*minutes_at.items(), strict=True))
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


def intervals(
    title: str, unit: str, names: Sequence[str], series: Mapping[str, Sequence[Interval]]
) -> Markup:
    """Return a point and a bar of its interval for each row of each series, the first row on top.

    `names` are those of the rows, which all series have.
    """
    step = 0.6 / len(series)

    def draw(axes: "Axes") -> None:
        styles = zip(series.items(), cycle(COLOURS), cycle(MARKERS), strict=False)
        for number, ((name, rows), colour, marker) in enumerate(styles):
            offset = (number - (len(series) - 1) / 2) * step
            heights = [row + offset for row in range(len(rows))]
            for height, row in zip(heights, rows, strict=True):
                if row.low is not None and row.high is not None:
                    axes.plot([row.low, row.high], [height, height], color=colour, linewidth=2)
            values = [row.value for row in rows]
            axes.plot(values, heights, marker, color=colour, markersize=5, label=name)
        axes.set_yticks(range(len(names)), names)
        axes.set(xlabel=unit, ylim=(len(names) - 0.5, -0.5))
        if len(series) > 1:
            axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0))

    height = 0.9 + (0.15 + 0.15 * len(series)) * len(names) + 0.25 * (len(series) - 1)
    return _image(title, draw, height=height)


def calibration(title: str, points: Sequence[tuple[float, Interval]]) -> Markup:
    """Return how often a translation was right, in %, over how confident the model was, in %."""

    def draw(axes: "Axes") -> None:
        axes.plot([0, 100], [0, 100], ":", color="black", linewidth=1)
        for confidence, row in points:
            at = 100 * confidence
            if row.low is not None and row.high is not None:
                axes.plot([at, at], [row.low, row.high], color=COLOURS[0], linewidth=2)
            axes.plot([at], [row.value], "o", color=COLOURS[0], markersize=5)
        axes.set(xlabel="confidence, %", ylabel="right, %", xlim=(0, 100), ylim=(0, 100))

    return _image(title, draw, height=3.2)


def _image(title: str, draw: Callable[["Axes"], None], *, height: float) -> Markup:
    """Return what `draw` puts into the axes of a figure, `height` inches high, as an element."""
    if not can_draw():
        return Markup("")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    file = BytesIO()
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(4.6, height), layout="constrained")
        draw(figure.subplots())
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    data = b64encode(file.getvalue()).decode()
    return Markup('<img alt="{}" src="data:image/svg+xml;base64,{}">').format(title, data)
