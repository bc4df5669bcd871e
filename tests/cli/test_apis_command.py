"""The command that shows releases side by side."""

import json

from click.testing import CliRunner

from mockbroker.cli.apis_command import TableRow, api_rows, option_rows, table_lines
from mockbroker.cli.commands import commands
from mockbroker.state.release.options import SUPPORTED_RELEASES, Options

OLD, NEW = Options.for_release("0.11"), Options.for_release("4.4")


def shown(*words: str) -> list[list[str]]:
    result = CliRunner().invoke(commands, ["apis", *words])
    assert result.exit_code == 0, result.output
    return [line.split() for line in result.output.splitlines()]


def test_without_a_release_all_are_shown() -> None:
    lines = shown()
    assert [["API", *SUPPORTED_RELEASES], ["Option", *SUPPORTED_RELEASES]] == [
        line for line in lines if line and line[0] in {"API", "Option"}
    ]
    (row,) = (line for line in lines if line and line[0] == "InitProducerId")
    versions = dict(zip(SUPPORTED_RELEASES, row[1:], strict=True))
    assert (versions["0.11"], versions["2.4"], versions["4.4"]) == ("0-0", "0-2", "0-5")


def test_releases_are_shown_in_the_order_they_are_named() -> None:
    lines = shown("--kafka", "2.4.1", "--kafka", "0.11.0.3")
    assert lines[0] == ["API", "2.4", "0.11"]
    assert ["producer_state.outlives_records", "yes", "no"] in lines


def test_rows_that_releases_share_may_be_left_out() -> None:
    everything, different = shown("--kafka", "2.3"), shown("--kafka", "2.3", "--differences")
    assert ["Fetch", "0-11"] in everything
    assert different == [["API", "2.3"], [], ["Option", "2.3"], []]


def test_a_release_that_is_not_supported_is_refused() -> None:
    result = CliRunner().invoke(commands, ["apis", "--kafka", "3.8"])
    assert result.exit_code == 2
    assert "Kafka release '3.8' is not supported; there are 0.11" in result.output


def test_json_has_the_rows_by_name() -> None:
    result = CliRunner().invoke(commands, ["apis", "--kafka", "2.4", "--kafka", "0.11", "--json"])
    document = json.loads(result.stdout)
    assert (document["_v"], document["releases"]) == (1, ["2.4", "0.11"])
    assert document["apis"]["InitProducerId"] == ["0-2", "0-0"]
    assert document["options"]["producer_state.outlives_records"] == ["yes", "no"]


def cells(rows: list[TableRow], name: str) -> tuple[str, ...]:
    return next(row.cells for row in rows if row.name == name)


def test_an_api_is_shown_in_the_versions_that_are_served() -> None:
    rows = api_rows([OLD, NEW])
    assert cells(rows, "Fetch") == ("0-5", "4-18")
    assert cells(rows, "DescribeCluster") == ("-", "0-2")


def test_an_api_of_no_shown_release_is_left_out() -> None:
    assert "DescribeCluster" not in {row.name for row in api_rows([OLD])}


def test_options_are_shown_by_their_names() -> None:
    rows = option_rows([OLD, NEW])
    assert cells(rows, "fetch.from_followers") == ("no", "yes")
    assert cells(rows, "produce.newest_codec") == ("LZ4", "ZSTD")
    assert cells(rows, "producer_state.batches_retained") == ("1", "5")
    assert cells(rows, "topics.reserved_topics") == ("-", "__cluster_metadata")
    assert cells(rows, "coordinator_type_refusal") == ("-", "INVALID_REQUEST")
    assert cells(rows, "configs.described_message") == ("-", '""')
    assert cells(rows, "features.transaction.version") == ("-", "2")


def test_every_option_but_texts_is_a_row() -> None:
    names = {row.name.partition(".")[0] for row in option_rows([NEW])}
    not_rows = {"release", "api_versions", "unstable_api_versions"}
    not_rows |= {"admin_refusals", "cluster_admin_refusals"}
    assert names == set(Options._fields) - not_rows


def test_rows_are_columns_below_the_releases() -> None:
    rows = [TableRow("one", ("a", "bbb")), TableRow("three", ("cccccc", ""))]
    assert list(table_lines([OLD, NEW], rows, "Option")) == [
        "Option  0.11    4.4",
        "one     a       bbb",
        "three   cccccc",
    ]


def test_a_row_knows_whether_releases_differ() -> None:
    assert TableRow("x", ("a", "b")).differs
    assert not TableRow("x", ("a", "a")).differs


def test_all_releases_fit_side_by_side() -> None:
    releases = [Options.for_release(release) for release in SUPPORTED_RELEASES]
    rows = [*api_rows(releases), *option_rows(releases)]
    assert all(len(row.cells) == len(releases) for row in rows)
