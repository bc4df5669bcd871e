"""The quick reading of `mockbroker serve`'s arguments."""

import pytest

from mockbroker.settings.serve_options import OPTIONS, ServeOptions, parse_plain


def test_without_arguments_everything_is_left_to_the_defaults() -> None:
    assert parse_plain([]) == ServeOptions()


def test_every_option_has_its_place() -> None:
    words = (
        "--host 0.0.0.0 --port 1234 --brokers 3 --topic a --topic b:2 --config k=v --feature f=1"
        " --proposal last-epoch --unstable-api-versions --config-file x.properties --kafka 2.4"
        " --ledger --json --log-level debug --log-format json"
    )
    assert parse_plain(words.split()) == ServeOptions(
        host="0.0.0.0",
        port=1234,
        brokers=3,
        topics=["a", "b:2"],
        configs=["k=v"],
        features=["f=1"],
        proposals=["last-epoch"],
        unstable_api_versions=True,
        ledger=True,
        config_file="x.properties",
        kafka="2.4",
        as_json=True,
        log_level="debug",
        log_format="json",
    )


def test_short_flags_and_equals_signs_are_plain() -> None:
    options = parse_plain(["-p", "0", "-b", "2", "-t", "a", "-c", "a=b=c", "--kafka=4.4"])
    assert options == ServeOptions(port=0, brokers=2, topics=["a"], configs=["a=b=c"], kafka="4.4")


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["-h"],
        ["--hots", "x"],
        ["stray"],
        ["--port"],
        ["--port", "many"],
        ["--port", "-1"],
        ["--port="],
        ["-p0"],
        ["--host", "--json"],
        ["--json=yes"],
        ["--log-level", "loud"],
        ["--log-format", "xml"],
    ],
)
def test_what_is_not_plain_is_left_to_click(words: list[str]) -> None:
    assert parse_plain(words) is None


def test_every_option_is_a_field() -> None:
    fields = set(ServeOptions._fields)
    assert {row.target for row in OPTIONS} == fields
