"""Parser of the options of `mockbroker serve`."""

import pytest

from mockbroker.settings.serve_options import (
    OPTIONS,
    OptionError,
    ServeOptions,
    parse_serve_options,
)


def test_without_arguments_everything_is_left_to_the_defaults() -> None:
    assert parse_serve_options([]) == ServeOptions()


def test_every_option_has_its_place() -> None:
    words = (
        "--host 0.0.0.0 --port 1234 --brokers 3 --topic a --topic b:2 --config k=v --feature f=1"
        " --proposal last-epoch --unstable-api-versions --config-file x.properties --kafka 2.4"
        " --ledger --json --log-level debug --log-format json"
    )
    assert parse_serve_options(words.split()) == ServeOptions(
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


def test_values_may_follow_an_equals_sign_or_a_short_flag() -> None:
    options = parse_serve_options(["-p", "0", "-b2", "-t", "a", "-ca=b=c", "--kafka=4.4"])
    assert options == ServeOptions(port=0, brokers=2, topics=["a"], configs=["a=b=c"], kafka="4.4")


def test_a_value_may_look_like_a_flag_or_a_negative_number() -> None:
    assert parse_serve_options(["--host", "--json", "--seed", "-5"]) == ServeOptions(
        host="--json", seed=-5
    )


@pytest.mark.parametrize("words", [["-h"], ["--port", "0", "--help"]])
def test_help_is_not_parsed_further(words: list[str]) -> None:
    assert parse_serve_options(words) is None


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--hots", "x"], "No such option: --hots Did you mean --host"),
        (["-x"], "No such option: -x"),
        (["stray"], "Got unexpected extra argument (stray)"),
        (["--port"], "Option '--port' requires an argument."),
        (["--port", "many"], "Invalid value for '-p' / '--port': 'many' is not a valid integer."),
        (["--port="], "Invalid value for '-p' / '--port': '' is not a valid integer."),
        (["--admin-port", "70000"], "'70000' is not in the range 0<=x<=65535."),
        (["--admin-port", "-1"], "'-1' is not in the range 0<=x<=65535."),
        (["--json=yes"], "Option '--json' does not take a value."),
        (["--log-format", "xml"], "'xml' is not one of 'auto', 'console', 'json'."),
    ],
)
def test_wrong_arguments_are_named(words: list[str], why: str) -> None:
    with pytest.raises(OptionError) as refused:
        parse_serve_options(words)
    assert why in str(refused.value)


def test_every_option_is_a_field() -> None:
    fields = set(ServeOptions._fields)
    assert {row.target for row in OPTIONS} == fields
