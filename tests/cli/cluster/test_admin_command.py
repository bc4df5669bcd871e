"""Options, arguments and errors of commands that call the admin API."""

import click
import pytest
from click.testing import CliRunner

from mockbroker.cli import EXIT_FAILED, EXIT_TIMED_OUT, EXIT_UNREACHABLE, EXIT_USAGE
from mockbroker.cli.cluster.admin_command import (
    DefaultingGroup,
    PartitionName,
    admin_command,
    admin_errors,
    utc_text,
)
from mockbroker.cli.command_answer import CommandError, CommandResult
from mockbroker.http.admin_client import AdminClient, AdminRequestError, FailureKind
from tests.support.admin_cli import AdminCli
from tests.support.process import served


@click.command
@admin_command
def where(client: AdminClient) -> CommandResult:
    """Say where would be asked."""
    return CommandResult({"url": client.url}, [client.url])


@click.group(cls=DefaultingGroup, default="where")
def group() -> None:
    """Hold one command."""


group.add_command(where)


def shown(*words: str, env: dict[str, str | None] | None = None) -> str:
    result = CliRunner().invoke(group, words, env={"MOCKBROKER_ADMIN": None, **(env or {})})
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_url_comes_from_the_option_the_environment_or_the_default() -> None:
    assert shown() == "http://127.0.0.1:8092\n"
    assert shown(env={"MOCKBROKER_ADMIN": "http://elsewhere:1"}) == "http://elsewhere:1\n"
    words = ("where", "--admin", "http://here:2")
    assert shown(*words, env={"MOCKBROKER_ADMIN": "http://elsewhere:1"}) == "http://here:2\n"


def test_a_command_group_runs_its_default_command_unless_help_is_requested() -> None:
    assert shown("--json") == '{"_v": 1, "url": "http://127.0.0.1:8092"}\n'
    assert shown("-q") == ""
    assert "Hold one command." in shown("--help")
    assert CliRunner().invoke(group, ["nowhere"]).exit_code == 2


def test_an_invalid_url_is_refused() -> None:
    result = CliRunner().invoke(where, ["--admin", "ftp://x"])
    assert result.exit_code == 2
    assert "--admin=ftp://x: expected http://HOST:PORT" in result.stderr


@pytest.mark.parametrize(
    ("kind", "exit_code"),
    [
        ("address", EXIT_USAGE),
        ("refused", EXIT_USAGE),
        ("failed", EXIT_FAILED),
        ("unreachable", EXIT_UNREACHABLE),
        ("timeout", EXIT_TIMED_OUT),
    ],
)
def test_each_kind_of_failure_has_its_exit_code(kind: FailureKind, exit_code: int) -> None:
    with pytest.raises(CommandError) as failed, admin_errors():
        raise AdminRequestError("no", kind, {"detail": "no"})
    error = {"exit_code": exit_code, "why": "no", "problem": {"detail": "no"}}
    assert failed.value.document == error
    with pytest.raises(CommandError) as failed, admin_errors():
        raise AdminRequestError("no", kind)
    assert "problem" not in failed.value.document


@pytest.mark.parametrize(
    ("text", "named"),
    [("orders", ("orders", None)), ("orders:0", ("orders", 0)), ("a.b-c:12", ("a.b-c", 12))],
)
def test_a_partition_is_named_by_its_topic_and_its_number(
    text: str, named: tuple[str, int | None]
) -> None:
    assert PartitionName().convert(text, None, None) == named


@pytest.mark.parametrize("text", ["", ":0", "orders:", "orders:x", "orders:-1"])
def test_an_invalid_partition_name_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="TOPIC or TOPIC:PARTITION"):
        PartitionName().convert(text, None, None)


def test_the_number_may_be_required() -> None:
    with pytest.raises(click.BadParameter, match="is not written as TOPIC:PARTITION"):
        PartitionName(index_required=True).convert("orders", None, None)


def test_a_time_is_formatted_to_the_millisecond() -> None:
    assert utc_text(1_700_000_000_007) == "2023-11-14 22:13:20.007"


@pytest.mark.slow
def test_a_token_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKBROKER_ADMIN_TOKEN", "secret")
    with served("--json", "--admin-port", "0") as server:
        cli = AdminCli(server)
        assert cli.document("broker")["brokers"]
        monkeypatch.setenv("MOCKBROKER_ADMIN_TOKEN", "guess")
        assert cli.document("broker")["brokers"]
        assert "MOCKBROKER_ADMIN_TOKEN" in cli.refusal("broker", "kill", "1")
        assert cli.text("ready") == "ready\n"
