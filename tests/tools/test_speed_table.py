"""The speed table on its page."""

from pathlib import Path
from typing import Any

import pytest

from bench.figures import FIGURES
from tools.speed_table import PAGE, README, README_ROWS, ROWS, origin, table, with_table


def measured(value: float, *others: str, machine: str = "a machine") -> dict[str, Any]:
    medians = {"mockbroker": value, **dict.fromkeys(others, value / 2)}
    figures = {key: {"median": medians} for key in ROWS}
    return {"machine": machine, "rounds": 5, "figures": figures}


def test_the_rows_are_figures_of_the_bench() -> None:
    assert set(ROWS) <= set(FIGURES)


def test_a_row_says_what_was_measured_of_whom() -> None:
    lines = table([measured(500_000, "kafka")], ROWS).splitlines()
    assert lines[0] == "| | mockbroker | the floor | Kafka 4.4.0 | librdkafka's mock | kfake |"
    (row,) = [line for line in lines if line.startswith("| confluent-kafka consumes")]
    title = "confluent-kafka consumes 1 M × 100 B"
    assert row == f"| {title} | 500k messages/s | – | 250k | – | – |"


def test_rates_are_shares_of_the_floor_too() -> None:
    document = measured(2, "floor", "kfake")
    shares = {"mockbroker": "0.50 [0.40–0.60]", "kfake": "0.25"}
    document["figures"]["produce_15_mb_s"]["share_of_floor"] = shares
    made = table([document], README_ROWS)
    assert "| 2 MB/s (0.50 [0.40–0.60] of the floor) | 1 | – | – | 1 (0.25) |" in made


def test_the_last_measurement_of_a_figure_counts() -> None:
    figures = {"start_ms": {"median": {"mockbroker": 7.0}}}
    again = {"machine": "another", "rounds": 1, "figures": figures}
    made = table([measured(500_000), again], ROWS)
    assert "| process start to first Metadata answer | 7 ms | – | – | – | – |" in made
    assert origin([measured(1), again]) == "Medians of 5 runs, on a machine; and on another.\n"


def test_a_table_without_a_measurement_is_refused() -> None:
    document = measured(1)
    del document["figures"]["start_ms"]
    with pytest.raises(ValueError, match="not measured: start_ms"):
        table([document], ROWS)


@pytest.mark.parametrize("page", [README, PAGE], ids=["readme", "page"])
def test_a_page_has_a_place_for_it(page: Path) -> None:
    text = page.read_text("utf-8")
    made = with_table(text, "NEW\n")
    assert "NEW\n" in made
    assert with_table(made, "NEW\n") == made
    assert made.partition("<!--")[0] == text.partition("<!--")[0]


def test_a_text_without_its_place_is_refused() -> None:
    with pytest.raises(ValueError, match="no place"):
        with_table("# A page\n", "NEW\n")
