"""Pictures put values where they belong, and say them."""

import re

import pytest
from markupsafe import Markup

from gru_mt.report.failures import CalibrationBin
from gru_mt.report.pictures import _look, _ticks, calibration, curves, scores
from gru_mt.report.tables import Bucket, Interval


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 100, [0, 20, 40, 60, 80, 100]),
        (0, 4_290, [0, 1_000, 2_000, 3_000, 4_000]),
        (41.2, 48.4, [42, 44, 46, 48]),
        (0, 0.0026, [0, 0.001, 0.002]),
        (-0.7, 0.3, [-0.6, -0.4, -0.2, 0, 0.2]),
    ],
)
def test_ticks_are_round(low: float, high: float, ticks: list[float]) -> None:
    assert _ticks(low, high) == pytest.approx(ticks)


def marks(picture: Markup) -> dict[str, tuple[float, float]]:
    """Return the place of each mark that says something."""
    found = r'<path d="[^"]*" transform="translate\((\S+) (\S+)\)"[^>]*><title>([^<]+)'
    return {about: (float(x), float(y)) for x, y, about in re.findall(found, picture)}


def test_curves_rise_to_the_right_and_name_value_update_and_minute() -> None:
    picture = curves("Loss", "nats", {"train": {50: 3.0, 100: 2.0}, "dev": {100: 2.5}},
                     {50: 1.0, 100: 2.0})  # fmt: skip
    found = marks(picture)
    assert list(found) == ["train: 3 at update 50, 1.0 min", "train: 2 at update 100, 2.0 min",
                           "dev: 2.5 at update 100, 2.0 min"]  # fmt: skip
    first, last, dev = found.values()
    assert first[0] < last[0] == dev[0]
    assert first[1] < dev[1] < last[1], "y grows downwards"
    assert dev[1] == pytest.approx((first[1] + last[1]) / 2, abs=0.1)
    assert "<polyline" in picture


def test_a_line_of_many_updates_has_few_marks_and_all_its_points() -> None:
    values = {update: float(update % 7) for update in range(1, 2_001)}
    picture = curves("Loss", "nats", {"train": values}, values)
    assert len(marks(picture)) <= 150
    longest = max(re.findall('points="([^"]*)"', picture), key=len)
    assert len(longest.split()) == 2_000


def test_nine_systems_look_different_and_a_long_name_is_cut() -> None:
    assert len({_look(system) for system in range(9)}) == 9
    one = Bucket("1", 9, Interval(40, 30, 50), Interval(1, None, None))
    picture = scores("Length", {"a": [one], "b" * 80: [one]})
    [cut] = re.findall("(b+)…</text>", picture)
    assert 30 < len(cut) < 80


def test_scores_have_an_interval_where_there_is_one_and_names_are_escaped() -> None:
    some = Bucket("<1>", 9, Interval(40, 30, 50), Interval(1, None, None))
    lone = Bucket("2", 1, Interval(20, None, None), Interval(1, None, None))
    picture = scores("Length", {"a": [some, lone], "b": [some, lone]})
    assert [*marks(picture)] == ["a: &lt;1&gt;: 40.0 (30.0 to 50.0)", "a: 2: 20.0",
                                 "b: &lt;1&gt;: 40.0 (30.0 to 50.0)", "b: 2: 20.0"]  # fmt: skip
    assert picture.count('class="bar ') == 2
    assert "<1>" not in picture


def test_calibration_lies_on_the_line_where_a_model_is_calibrated() -> None:
    found = marks(calibration([CalibrationBin(0.5, 9, Interval(50, 40, 60))]))
    [(about, (x, y))] = found.items()
    assert about == "confident by 50 %, right 50 % (40.0 to 60.0)"
    ideal = re.search(r'points="(\S+),(\S+) (\S+),(\S+)" class="ideal"', calibration([]))
    assert ideal
    left, bottom, right, top = map(float, ideal.groups())
    assert (x, y) == pytest.approx(((left + right) / 2, (bottom + top) / 2), abs=0.1)
