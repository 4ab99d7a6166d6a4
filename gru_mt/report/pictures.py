"""The pictures of a report: matplotlib's SVG as data in the page, or nothing without matplotlib.

Colours are for colour-blind people too (Okabe and Ito 2008). page.css inverts them when it is dark.
"""

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gru_mt.report.failures import CalibrationBin
    from gru_mt.report.tables import Bucket

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
        for (name, value_at), colour, dash in zip(series.items(), COLOURS, DASHES, strict=False):
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

    update_N, minute_N = np.array([*minutes_at]), np.array([*minutes_at.values()])
    to_minutes = partial(np.interp, xp=update_N, fp=minute_N)
    to_updates = partial(np.interp, xp=minute_N, fp=update_N)
    above = axes.secondary_xaxis("top", functions=(to_minutes, to_updates))
    ticks = MaxNLocator(6).tick_values(0, minute_N[-1])
    above.set_xticks([tick for tick in ticks if minute_N[0] <= tick <= minute_N[-1]])
    above.set_xlabel("minutes")


def scores(title: str, buckets: Mapping[str, Sequence["Bucket"]]) -> Markup:
    """Return the BLEU of the same buckets of each system, the first bucket on top.

    A point is a score, and a bar its interval.
    """
    names = [bucket.name for bucket in next(iter(buckets.values()))]
    step = 0.6 / len(buckets)

    def draw(axes: "Axes") -> None:
        styles = zip(buckets.items(), cycle(COLOURS), cycle(MARKERS), strict=False)
        for number, ((name, rows), colour, marker) in enumerate(styles):
            offset = (number - (len(buckets) - 1) / 2) * step
            heights = [row + offset for row in range(len(rows))]
            bleu = [row.bleu for row in rows]
            for height, found in zip(heights, bleu, strict=True):
                if found.low is not None and found.high is not None:
                    axes.plot([found.low, found.high], [height] * 2, color=colour, linewidth=2)
            values = [found.value for found in bleu]
            axes.plot(values, heights, marker, color=colour, markersize=5, label=name)
        axes.set_yticks(range(len(names)), names)
        axes.set(xlabel="BLEU", ylim=(len(names) - 0.5, -0.5))
        if len(buckets) > 1:
            axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0))

    height = 0.9 + (0.15 + 0.15 * len(buckets)) * len(names) + 0.25 * (len(buckets) - 1)
    return _image(title, draw, height=height)


def calibration(bins: Sequence["CalibrationBin"]) -> Markup:
    """Return how often a translation was right, in %, over how confident the model was, in %."""

    def draw(axes: "Axes") -> None:
        axes.plot([0, 100], [0, 100], ":", color="black", linewidth=1)
        for found in bins:
            at, (right, low, high) = 100 * found.confidence, found.right
            assert low is not None, "a share has an interval"
            assert high is not None, "a share has an interval"
            axes.plot([at, at], [low, high], color=COLOURS[0], linewidth=2)
            axes.plot([at], [right], "o", color=COLOURS[0], markersize=5)
        axes.set(xlabel="confidence, %", ylabel="right, %", xlim=(0, 100), ylim=(0, 100))

    return _image("Calibration", draw, height=3.2)


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
