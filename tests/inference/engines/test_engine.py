"""The state of live hypotheses and of the sources that they read, worked out by hand."""

import numpy as np

from gru_mt.inference.engines.engine import BeamState


def state_of(source_R: list[int], names: str) -> BeamState:
    state_LRZ, coverage_RS = np.zeros((1, len(source_R), 1)), np.zeros((len(source_R), 0))
    sources, length_R = {"name": np.array([*names])}, np.ones(len(source_R), np.int64)
    return BeamState(state_LRZ, np.array(source_R), sources, len(names), length_R, coverage_RS)


def test_a_grid_has_the_hypotheses_of_each_source_side_by_side() -> None:
    row_AK, position_R = state_of([0, 2, 2, 2, 3], "abcd").grid()
    assert row_AK.tolist() == [[0, 0, 0], [0, 0, 0], [1, 2, 3], [4, 0, 0]]
    assert position_R.tolist() == [0, 6, 7, 8, 9]
    row_AK, position_R = state_of([0, 1], "ab").grid()
    assert row_AK.tolist() == [[0, 0], [1, 0]], "one that is alone has a row of two"
    assert position_R.tolist() == [0, 2]


def test_sources_leave_when_half_of_them_are_read_no_more() -> None:
    for row_N, names, source_N in (
        ([1, 1, 3, 4], "abcd", [1, 1, 2, 3]),
        ([1, 4, 4], "bd", [0, 1, 1]),
        ([], "", []),
    ):
        selected = state_of([0, 1, 2, 2, 3], "abcd").select(np.array(row_N, np.int64))
        assert "".join(selected.sources["name"]) == names
        assert (selected.source_R.tolist(), selected.sources_held) == (source_N, len(names))
