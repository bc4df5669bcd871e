"""The speed table on its page."""

from typing import Any

import pytest

from bench.figures import FIGURES
from tools.speed_table import PAGE, ROWS, table, with_table


def measured(value: float, *others: str, machine: str = "a machine") -> dict[str, Any]:
    medians = {"mockbroker": value, **dict.fromkeys(others, value / 2)}
    return {"machine": machine, "figures": {key: {"median": medians} for key in ROWS}}


def test_the_rows_are_figures_of_the_bench() -> None:
    assert set(ROWS) <= set(FIGURES)


def test_a_row_has_the_figure_of_each_competitor() -> None:
    lines = table([measured(500_000, "kafka")]).splitlines()
    assert lines[0] == "| | mockbroker | Kafka 4.4.0 | librdkafka's mock |"
    (row,) = [line for line in lines if line.startswith("| confluent-kafka consumes")]
    assert row == "| confluent-kafka consumes them | 500k messages/s | 250k | – |"
    assert lines[-1] == "Medians, on a machine."


def test_figures_with_a_reduced_rival_have_a_remark() -> None:
    made = table([measured(2, "rdkafka-mock")])
    assert "| 2 GB/s | – | 1 (keeps 5 MiB) |" in made


def test_the_last_measurement_of_a_figure_counts() -> None:
    again = {"machine": "another", "figures": {"start_ms": {"median": {"mockbroker": 7.0}}}}
    made = table([measured(500_000), again])
    assert "| process start to first Metadata answer | 7 ms | – | – |" in made
    assert made.endswith("Medians, on a machine; and on another.\n")


def test_a_table_without_a_measurement_is_refused() -> None:
    document = measured(1)
    del document["figures"]["start_ms"]
    with pytest.raises(ValueError, match="not measured: start_ms"):
        table([document])


def test_the_page_has_a_place_for_the_table() -> None:
    text = PAGE.read_text("utf-8")
    made = with_table(text, "NEW\n")
    assert "NEW\n" in made
    assert with_table(made, "NEW\n") == made
    assert made.partition("<!--")[0] == text.partition("<!--")[0]


def test_a_text_without_its_place_is_refused() -> None:
    with pytest.raises(ValueError, match="no place"):
        with_table("# A page\n", "NEW\n")
