"""The command that shows releases side by side."""

import json

from click.testing import CliRunner

from mockbroker.cli.commands import commands


def shown(*words: str) -> list[list[str]]:
    result = CliRunner().invoke(commands, ["apis", *words])
    assert result.exit_code == 0, result.output
    return [line.split() for line in result.output.splitlines()]


def test_without_a_release_all_are_shown() -> None:
    lines = shown()
    releases = ["0.11", "1.1", "2.3", "2.4", "2.8", "3.9", "4.4"]
    assert [["API", *releases], ["Option", *releases]] == [
        line for line in lines if line and line[0] in {"API", "Option"}
    ]
    assert ["InitProducerId", "0-0", "0-0", "0-1", "0-2", "0-4", "0-5", "0-5"] in lines


def test_releases_are_shown_in_the_order_they_are_named() -> None:
    lines = shown("--kafka", "2.4.1", "--kafka", "0.11.0.3")
    assert lines[0] == ["API", "2.4", "0.11"]
    assert ["producer_state.outlives_records", "yes", "no"] in lines


def test_what_releases_have_in_common_may_be_left_out() -> None:
    everything, different = shown("--kafka", "2.3"), shown("--kafka", "2.3", "--differences")
    assert ["Fetch", "0-11"] in everything
    assert different == [["API", "2.3"], [], ["Option", "2.3"], []]


def test_a_release_that_is_not_supported_is_refused() -> None:
    result = CliRunner().invoke(commands, ["apis", "--kafka", "3.8"])
    assert result.exit_code == 2
    assert "Kafka release '3.8' is not supported; there are 0.11" in result.output


def test_programs_get_the_rows_by_name() -> None:
    result = CliRunner().invoke(commands, ["apis", "--kafka", "2.4", "--kafka", "0.11", "--json"])
    document = json.loads(result.stdout)
    assert (document["_v"], document["releases"]) == (1, ["2.4", "0.11"])
    assert document["apis"]["InitProducerId"] == ["0-2", "0-0"]
    assert document["options"]["producer_state.outlives_records"] == ["yes", "no"]
