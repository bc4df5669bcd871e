"""`mockbroker run -- CMD`: the command gets a cluster, which is checked afterwards."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mockbroker.cli.assertion_argument import DEFAULT_ASSERTIONS
from tests.support.process import PATIENCE_S, command, run

pytestmark = pytest.mark.slow

LEAVES_A_TRANSACTION_OPEN = """
import os
from mockbroker.wire import WireProducer
producer = WireProducer(os.environ["KAFKA_BOOTSTRAP_SERVERS"], "orders-svc")
producer.init_producer_id()
producer.add_partition("orders")
producer.produce("orders", b"order-1", base_sequence=0)
print("left", flush=True)
"""
SHOWS_WHERE = "import os; print(os.environ['KAFKA_BOOTSTRAP_SERVERS'])"


def run_python(program: str, *options: str) -> subprocess.CompletedProcess[str]:
    return run("run", *options, "--", sys.executable, "-c", program)


def is_open(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), PATIENCE_S).close()
    except ConnectionRefusedError:
        return False
    return True


def test_a_command_gets_the_bootstrap_servers_in_its_environment() -> None:
    result = run_python(SHOWS_WHERE, "--brokers", "2")
    assert (result.returncode, result.stderr) == (0, "")
    first, second = result.stdout.strip().split(",")
    assert first != second
    assert not is_open(first)
    assert not is_open(second)


def test_a_command_can_control_the_cluster() -> None:
    program = f"{sys.executable} -m mockbroker faults add --topic orders --id unused duplicate -q"
    result = run("run", "-t", "orders:1", "sh", "-c", program)
    assert (result.returncode, result.stdout) == (1, "")
    assert "mockbroker: faults that never fired:" in result.stderr
    assert "mockbroker: faults:\nunused: fault(topic='orders').duplicate()" in result.stderr


def test_a_journal_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    assert run_python("", "-t", "orders:1", "--journal", str(folder)).returncode == 0
    assert "journal.json" in {file.name for file in folder.iterdir()}
    again = run_python("", "--journal", str(folder))
    assert (again.returncode, str(folder) in again.stderr) == (2, True)


def test_a_journal_that_is_lost_fails_the_run(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    program = f"import shutil; shutil.rmtree({str(folder)!r})"
    result = run_python(program, "-t", "orders:1", "--journal", str(folder))
    why = f"the journal in {folder} is incomplete: its folder was removed or replaced"
    assert result.returncode == 1
    assert f"mockbroker: {why}" in result.stderr
    assert "Traceback" not in result.stderr
    failing = run_python(f"{program}; raise SystemExit(7)", "--journal", str(tmp_path / "journal"))
    assert failing.returncode == 7
    assert f"mockbroker: {why}" in failing.stderr


def test_options_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKBROKER_BROKERS", "2")
    assert run_python(SHOWS_WHERE).stdout.count(":") == 2
    monkeypatch.setenv("MOCKBROKER_BROKERS", "many")
    assert "MOCKBROKER_BROKERS=many" in run_python(SHOWS_WHERE).stderr


def test_without_an_admin_port_there_is_no_variable() -> None:
    program = "import os; print(os.environ.get('MOCKBROKER_ADMIN'))"
    assert run_python(program, "--no-admin").stdout == "None\n"
    assert run_python(program).stdout.startswith("http://127.0.0.1:")


def test_the_exit_code_is_the_commands() -> None:
    assert run_python("raise SystemExit(7)").returncode == 7
    assert run("run", "sh", "-c", "exit 8").returncode == 8


def test_an_open_transaction_fails_the_run() -> None:
    result = run_python(LEAVES_A_TRANSACTION_OPEN, "-t", "orders:1")
    assert (result.returncode, result.stdout) == (1, "left\n")
    assert result.stderr.startswith("mockbroker: assert_exactly_once(): not exactly once")
    assert "orders-svc" in result.stderr
    assert "start = LSO" in result.stderr


def test_assertions_can_be_chosen_or_turned_off() -> None:
    words = ["-t", "orders:1"]
    assert run_python(LEAVES_A_TRANSACTION_OPEN, *words, "--no-assertions").returncode == 0
    words.append("--assert")
    assert run_python(LEAVES_A_TRANSACTION_OPEN, *words, "exactly-once:allow_open").returncode == 0
    missing = run_python("", *words, "exactly-once:topic=orders,expected=order-1")
    assert missing.returncode == 1
    assert "order-1" in missing.stderr
    refused = run_python(LEAVES_A_TRANSACTION_OPEN, *words, "luck")
    assert refused.returncode == 2
    assert "there is no assertion 'luck'; the assertions are exactly-once" in refused.stderr


def test_a_missing_topic_fails_the_run() -> None:
    result = run_python("", "--assert", "no-loss:topic=orders", "--assert", "all-faults-fired")
    assert result.returncode == 1
    assert result.stderr.startswith("mockbroker: assert_no_loss: ")


def test_the_command_s_own_failure_comes_first() -> None:
    program = LEAVES_A_TRANSACTION_OPEN + "raise SystemExit(5)"
    result = run_python(program, "-t", "orders:1")
    assert result.returncode == 5
    assert "assert_exactly_once" in result.stderr


def document_of(result: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(result.stdout.splitlines()[-1])


def test_json_has_the_result_of_each_assertion() -> None:
    document = document_of(run_python(LEAVES_A_TRANSACTION_OPEN, "-t", "orders:1", "--json"))
    assert (document["_v"], document["command_exit_code"]) == (1, 0)
    assert [each["name"] for each in document["assertions"]] == list(DEFAULT_ASSERTIONS)
    failed = {each["name"] for each in document["assertions"] if not each["ok"]}
    assert failed == {"exactly-once"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["no-such-command"], "cannot run no-such-command: No such file or directory"),
        (["--kafka", "9", "true"], "--kafka=9: "),
        (["-t", "a/b", "true"], "a/b"),
        (["--config-file", "nowhere", "true"], "cannot read nowhere: No such file or directory"),
        (["--scenario", "nowhere", "true"], "cannot read nowhere: No such file or directory"),
        (["--host", "192.0.2.1", "true"], "cannot listen on 192.0.2.1:0: "),
        (["--admin-host", "192.0.2.1", "true"], "--admin-host=192.0.2.1: "),
    ],
)
def test_invalid_arguments_are_refused_in_one_line(words: list[str], why: str) -> None:
    result = run("run", *words)
    assert (result.returncode, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("mockbroker: ")
    assert why in line


def test_a_run_needs_a_command() -> None:
    result = run("run", "-t", "orders")
    assert result.returncode == 2
    assert "Missing argument 'COMMAND...'" in result.stderr


def test_a_signal_ends_the_command_and_the_cluster() -> None:
    program = f"{SHOWS_WHERE}; import sys; sys.stdout.flush(); sys.stdin.read()"
    with subprocess.Popen(
        command("run", "--", sys.executable, "-c", program),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert is_open(address)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 128 + signal.SIGTERM
    assert not is_open(address)
