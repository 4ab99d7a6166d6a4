"""The state of live hypotheses and of the sources that they read, worked out by hand."""

import numpy as np

from gru_mt.inference.engines.engine import BeamState


def state_of(source_R: list[int], names: str) -> BeamState:
    state_LRZ = np.arange(len(source_R), dtype=float)[None, :, None]
    coverage_RS = 10 * state_LRZ[0] + [0.5, 0.0]
    mask_AS = np.array([[True, name < "c"] for name in names])  # c and d have one token
    sources = {"name": np.array([*names]), "mask_AS": mask_AS}
    length_R = np.array([2 if names[source] < "c" else 1 for source in source_R])
    return BeamState(state_LRZ, np.array(source_R), sources, len(names), length_R, coverage_RS)


def read(state: BeamState) -> str:
    """Return the name of the source that each hypothesis reads."""
    return "".join(state.sources["name"][row] for row in state.source_R)


def test_a_grid_has_the_hypotheses_of_each_source_side_by_side() -> None:
    row_AK, position_R = state_of([0, 2, 2, 2, 3], "abcd").grid()
    assert row_AK.tolist() == [[0, 0, 0], [0, 0, 0], [1, 2, 3], [4, 0, 0]]
    assert position_R.tolist() == [0, 6, 7, 8, 9]
    row_AK, position_R = state_of([0, 1], "ab").grid()
    assert row_AK.tolist() == [[0, 0], [1, 0]], "one that is alone has a row of two"
    assert position_R.tolist() == [0, 2]


def test_selected_hypotheses_take_their_states_and_sources_along() -> None:
    selected = state_of([0, 1, 2, 2, 3], "abcd").select(np.array([1, 1, 3, 4]))
    assert selected.state_LRZ[0, :, 0].tolist() == [1.0, 1.0, 3.0, 4.0]
    assert read(selected) == "bbcd"
    coverage = [selected.coverage(row) for row in range(4)]
    assert coverage == [[10.5, 10.0], [10.5, 10.0], [30.5], [40.5]]  # padding is cut off
    assert selected.sources_held == 4  # source a stays: three of four are still read
    # Sources leave when half of them are read no more.
    selected = state_of([0, 1, 2, 2, 3], "abcd").select(np.array([1, 4, 4]))
    assert selected.sources["name"].tolist() == ["b", "d"]
    assert selected.source_R.tolist() == [0, 1, 1]
    assert read(selected) == "bdd"
    assert selected.coverage(1) == [40.5]
    assert selected.sources_held == 2
    none_left = state_of([0, 1], "ab").select(np.array([], dtype=np.int64))
    assert (none_left.sources["name"].tolist(), none_left.sources_held) == ([], 0)


def test_coverage_sums_the_weights_of_all_steps() -> None:
    mask_AS = np.array([[True, True, False], [True, True, True]])
    state = BeamState.start(np.zeros((1, 2, 1)), np.array([2, 3]), {"mask_AS": mask_AS})
    for weights in ([[0.25, 0.75, 0.0], [0.5, 0.5, 0.0]], [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]):
        state = state.after(state.state_LRZ, np.array(weights))
    assert [state.coverage(row) for row in (0, 1)] == [[1.25, 0.75], [0.5, 1.0, 0.5]]
    state = BeamState.start(np.zeros((1, 2, 1)), np.array([2, 3]), {})
    state = state.after(state.state_LRZ, np.zeros((2, 0))).select(np.array([1, 1, 1]))
    assert state.coverage(2) is None, "without attention"
