"""Releases side by side."""

from mockbroker.cli.release_table import (
    TableRow,
    api_rows,
    option_rows,
    written,
)
from mockbroker.state.release.options import SUPPORTED_RELEASES, Options

OLD, NEW = Options.for_release("0.11"), Options.for_release("4.4")


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
    assert list(written([OLD, NEW], rows, "Option")) == [
        "Option  0.11    4.4",
        "one     a       bbb",
        "three   cccccc",
    ]


def test_a_row_tells_whether_releases_differ() -> None:
    assert TableRow("x", ("a", "b")).differs
    assert not TableRow("x", ("a", "a")).differs


def test_all_releases_fit_side_by_side() -> None:
    releases = [Options.for_release(release) for release in SUPPORTED_RELEASES]
    assert all(len(row.cells) == 7 for row in [*api_rows(releases), *option_rows(releases)])
