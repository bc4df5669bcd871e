"""The figures of the bench: their goals and their order."""

from bench.figures import FIGURES, in_table_order


def test_every_figure_has_a_goal() -> None:
    assert [figure.key for figure in FIGURES.values() if not figure.goals()] == []


def test_the_table_has_its_order_and_leaves_out_unknown_figures() -> None:
    figures = in_table_order(["metadata_ms", "round_trip_p99_us", "start_ms"])
    assert [figure.key for figure in figures] == ["start_ms", "metadata_ms"]
