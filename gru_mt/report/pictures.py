"""The pictures of a report: SVG in the page, in its colours; a pointer on a mark shows the value.

page.css has the colours of systems, which colour-blind people tell apart (Okabe and Ito 2008).
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

if TYPE_CHECKING:
    from gru_mt.report.failures import CalibrationBin
    from gru_mt.report.tables import Bucket, Interval

WIDTH, LEFT, RIGHT, BOTTOM = 400, 66, 16, 40  # of a picture and its margins, in pixels at full size
LINE, LETTER = 15, 7  # height of a line of text, and width of a letter, about
TICKS = 5  # of an axis, about
MARKS = 150  # of a line, at most
STYLES = ("first", "second", "third")  # of systems
SHAPES = ("M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0", "M-3-3h6v6h-6z", "M0-4l4 7h-8z")
Range = tuple[float, float]  # of the values from one edge to the other


class _Plot:
    """A picture under construction. `x` and `y` give the place of a value, in pixels."""

    def __init__(
        self, x_range: Range, y_range: Range, *, height: float, top: float = 12, left: float = LEFT
    ) -> None:
        self.x_range, self.y_range = x_range, y_range
        self.left, self.top, self.base, self.height = left, top, height - BOTTOM, height
        self.parts: list[Markup] = []

    def x(self, value: float) -> float:
        return _between(value, self.x_range, (self.left, WIDTH - RIGHT))

    def y(self, value: float) -> float:
        return _between(value, self.y_range, (self.base, self.top))

    def add(self, tag: str, style: str, content: object = "", **attributes: object) -> None:
        attributes |= {"class": style}
        written = Markup("").join(Markup(' {}="{}"').format(*item) for item in attributes.items())
        self.parts.append(Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), written, content))

    def text(self, x: float, y: float, text: str, style: str = "", turn: int = 0) -> None:
        place = f"translate({x:.1f} {y:.1f})" + (f" rotate({turn})" if turn else "")
        self.add("text", style, text, transform=place)

    def line(self, style: str, points: Sequence[tuple[float, float]]) -> None:
        places = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        self.add("polyline", style, points=places)

    def mark(self, style: str, shape: str, x: float, y: float, about: str = "") -> None:
        """Add a mark at a place in pixels; a pointer on it shows what it is about."""
        title = Markup("<title>{}</title>").format(about) if about else ""
        self.add("path", f"mark {style}", title, d=shape, transform=f"translate({x:.1f} {y:.1f})")

    def interval(self, system: int, found: "Interval", about: str, **at: float) -> None:
        """Add a value with its interval: along x at the y `at`, or along y at the x `at`."""
        style, shape = _look(system)
        ends = [end for end in (found.low, found.high) if end is not None]
        points = [(at.get("x", value), at.get("y", value)) for value in (found.value, *ends)]
        if ends:
            self.line(f"bar {style}", points[1:])
            about += f" ({ends[0]:.1f} to {ends[1]:.1f})"
        self.mark(style, shape, self.x(points[0][0]), self.y(points[0][1]), about)

    def x_axis(self, label: str) -> None:
        for tick in _ticks(*self.x_range):
            self.line("grid", [(tick, self.y_range[0]), (tick, self.y_range[1])])
            self.text(self.x(tick), self.base + LINE, _number(tick), "middle")
        self.text((self.left + WIDTH - RIGHT) / 2, self.height - 6, label, "middle quiet")

    def y_axis(self, label: str) -> None:
        for tick in _ticks(*self.y_range):
            self.line("grid", [(self.x_range[0], tick), (self.x_range[1], tick)])
            self.text(self.left - 6, self.y(tick) + 4, _number(tick), "end")
        self.text(10, (self.top + self.base) / 2, label, "middle quiet", turn=-90)

    def legend(self, names: Sequence[str], *, across: float = 0) -> None:
        """Name the systems above, below each other or `across` pixels apart."""
        for system, name in enumerate(names):
            x, y = self.left + 8 + across * system, 8 if across else 8 + LINE * system
            self.mark(*_look(system), x, y)
            room = int((WIDTH - x - 10) / LETTER)
            self.text(x + 10, y + 4, name if len(name) <= room else f"{name[: room - 1]}…")

    def svg(self, title: str) -> Markup:
        head = '<svg class="chart" role="img" viewBox="0 0 {} {}" aria-label="{}">{}</svg>'
        return Markup(head).format(WIDTH, self.height, title, Markup("\n").join(self.parts))


def curves(
    title: str,
    unit: str,
    series: Mapping[str, Mapping[int, float]],
    minutes_at: Mapping[int, float],
) -> Markup:
    """Return lines of values by update, with the minutes above; those of dev are marked."""
    values = [value for value_at in series.values() for value in value_at.values()]
    last = max(max(value_at) for value_at in series.values())
    plot = _Plot((0, last), _padded(min(values), max(values)), height=230, top=40)
    plot.x_axis("updates")
    plot.y_axis(unit)
    update_N, minute_N = [*minutes_at], [*minutes_at.values()]
    for tick in _ticks(0, minute_N[-1]):
        if minute_N[0] <= tick <= minute_N[-1]:
            update = float(np.interp(tick, minute_N, update_N))
            plot.text(plot.x(update), 32, f"{tick:g} min", "middle quiet")
    for (name, value_at), style, shape in zip(series.items(), STYLES, SHAPES, strict=False):
        points = [*value_at.items()]
        plot.line(style, points)
        for update, value in points[:: math.ceil(len(points) / MARKS)]:
            about = f"{name}: {value:.4g} at update {update:,}, {minutes_at[update]:.1f} min"
            seen = style if name == "dev" else f"{style} unseen"
            plot.mark(seen, shape, plot.x(update), plot.y(value), about)
    if len(series) > 1:
        plot.legend([*series], across=70)
    return plot.svg(title)


def scores(title: str, buckets: Mapping[str, Sequence["Bucket"]]) -> Markup:
    """Return the BLEU of the same buckets of each system, the first bucket on top.

    A mark is a score, and a bar its interval.
    """
    names = [bucket.name for bucket in next(iter(buckets.values()))]
    values = [value for rows in buckets.values() for row in rows for value in row.bleu]
    known = [value for value in values if value is not None]
    top = 12 + LINE * len(buckets) * (len(buckets) > 1)
    height = top + (14 + 11 * len(buckets)) * len(names) + BOTTOM
    left = 14 + LETTER * max(map(len, names))
    x_range = _padded(min(known), max(known))
    plot = _Plot(x_range, (len(names) - 0.5, -0.5), height=height, top=top, left=left)
    plot.x_axis("BLEU")
    for row, name in enumerate(names):
        plot.text(left - 8, plot.y(row) + 4, name, "end")
    for system, (of, rows) in enumerate(buckets.items()):
        offset = (system - (len(buckets) - 1) / 2) * 0.6 / len(buckets)
        for row, bucket in enumerate(rows):
            about = f"{of}{': ' if of else ''}{bucket.name}: {bucket.bleu.value:.1f}"
            plot.interval(system, bucket.bleu, about, y=row + offset)
    if len(buckets) > 1:
        plot.legend([*buckets])
    return plot.svg(title)


def calibration(bins: Sequence["CalibrationBin"]) -> Markup:
    """Return how often a translation was right, in %, over how confident the model was, in %."""
    plot = _Plot((0, 100), (0, 100), height=320)
    plot.x_axis("confidence, %")
    plot.y_axis("right, %")
    plot.line("ideal", [(0, 0), (100, 100)])
    for found in bins:
        at = 100 * found.confidence
        plot.interval(
            0, found.right, f"confident by {at:.0f} %, right {found.right.value:.0f} %", x=at
        )
    return plot.svg("Calibration")


def _look(system: int) -> tuple[str, str]:
    """Return the style and the shape of a system's marks: nine differ."""
    turn, style = divmod(system, len(STYLES))
    return STYLES[style], SHAPES[(style + turn) % len(SHAPES)]


def _between(value: float, values: Range, ends: Range) -> float:
    """Return where a value lies between two ends, as it lies between the first and last value."""
    share = (value - values[0]) / (values[1] - values[0])
    return ends[0] + share * (ends[1] - ends[0])


def _padded(low: float, high: float) -> Range:
    """Return a range with room beside the values; it has a width."""
    room = 0.05 * (high - low) or 0.5 * abs(high) or 1.0
    return low - room if low < 0 or low > room else 0.0, high + room


def _ticks(low: float, high: float) -> list[float]:
    """Return about TICKS round values between two, a step of 1, 2 or 5 of some power of ten."""
    raw = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    step = power * next(factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    return [step * count for count in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:.4g}"
