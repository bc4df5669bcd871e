"""The options of `mockbroker serve`: one table, read by click and by the quick parser."""

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

from mockbroker.server.wall_clock import CLOCK_MODES, ClockMode


class ServeOptions(NamedTuple):
    """What `serve` was asked for; None where the settings file or the default decides."""

    host: str | None = None
    port: int | None = None
    brokers: int = 1
    topics: Sequence[str] = ()
    configs: Sequence[str] = ()
    features: Sequence[str] = ()
    proposals: Sequence[str] = ()
    unstable_api_versions: bool = False
    config_file: str | None = None
    kafka: str | None = None
    clock: ClockMode = "offset"
    seed: int | None = None
    admin_host: str | None = None
    admin_port: int | None = None
    no_admin: bool = False
    ledger: bool = False
    journal: str | None = None
    journal_format: Literal["jsonl", "parquet"] = "jsonl"
    as_json: bool = False
    log_level: str = "info"
    log_format: str = "auto"


class OptionRow(NamedTuple):
    """One option: its spellings, where its value goes, what it takes, and its help."""

    flags: tuple[str, ...]
    target: str
    takes: type
    help: str
    metavar: str | None = None
    is_many: bool = False
    choices: tuple[str, ...] = ()


OPTIONS: Final = (
    OptionRow(("--host",), "host", str, "Address to listen on (127.0.0.1).", "HOST"),
    OptionRow(
        ("-p", "--port"), "port", int,
        "Port of the first broker (9092); broker i listens on port + i. 0: any free ports.", "PORT",
    ),
    OptionRow(("-b", "--brokers"), "brokers", int, "How many brokers (1).", "N"),
    OptionRow(
        ("-t", "--topic"), "topics", str, "Create a topic at the start; repeatable.",
        "NAME[:PARTITIONS]", is_many=True,
    ),
    OptionRow(
        ("-c", "--config"), "configs", str, "A broker config by Kafka's name; repeatable.",
        "KEY=VALUE", is_many=True,
    ),
    OptionRow(
        ("--feature",), "features", str, "A feature's level; repeatable.", "NAME=LEVEL",
        is_many=True,
    ),
    OptionRow(
        ("--proposal",), "proposals", str,
        "Turn on what was proposed for Kafka and never shipped; repeatable.", "NAME", is_many=True,
    ),
    OptionRow(
        ("--unstable-api-versions",), "unstable_api_versions", bool,
        "Serve the versions that Kafka hides: unstable.api.versions.enable=true.",
    ),
    OptionRow(("--config-file",), "config_file", str, "A server.properties to read.", "FILE"),
    OptionRow(
        ("--kafka",), "kafka", str,
        "Behave like this release of Kafka (4.4): 0.11, 1.1, 2.3, 2.4, 2.8, 3.9 or 4.4.", "RELEASE",
    ),
    OptionRow(
        ("--clock",), "clock", str,
        "How time passes: by itself and in jumps, only in jumps, or only by itself (offset).",
        "MODE", choices=CLOCK_MODES,
    ),
    OptionRow(
        ("--admin-port",), "admin_port", int,
        "Port of the HTTP API (8092; with --port 0 any free port). 0: any free port.", "PORT",
    ),
    OptionRow(
        ("--admin-host",), "admin_host", str,
        "Address of the HTTP API (127.0.0.1); any other needs MOCKBROKER_ADMIN_TOKEN.", "HOST",
    ),
    OptionRow(("--no-admin",), "no_admin", bool, "Serve no HTTP API."),
    OptionRow(
        ("--ledger",), "ledger", bool,
        "Write down what comes and what comes of it, for the assertions of the HTTP API.",
    ),
    OptionRow(
        ("--seed",), "seed", int,
        "What ids and lots are drawn from (0): mockbroker.seed.", "N",
    ),
    OptionRow(
        ("--journal",), "journal", str,
        "Write down all that happens into a new folder: requests, answers, appends, faults.",
        "FOLDER",
    ),
    OptionRow(
        ("--journal-format",), "journal_format", str,
        "JSON lines, or Parquet, which needs the extra spark (jsonl).",
        "FORMAT", choices=("jsonl", "parquet"),
    ),
    OptionRow(
        ("--json",), "as_json", bool, "When ready, print one line of JSON on stdout, and no more.",
    ),
    OptionRow(
        ("--log-level",), "log_level", str, "Least level of the logs on stderr (info).", "LEVEL",
        choices=("debug", "info", "warning", "error"),
    ),
    OptionRow(
        ("--log-format",), "log_format", str,
        "Form of the logs: console on a terminal, else JSON (auto).", "FORMAT",
        choices=("auto", "console", "json"),
    ),
)  # fmt: skip

_BY_FLAG: Final = {flag: row for row in OPTIONS for flag in row.flags}


def parse_plain(words: Sequence[str]) -> ServeOptions | None:
    """Read plain arguments; None where anything is not plain, so that click reads or refuses it."""
    values: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        flag, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        row = _BY_FLAG.get(flag)
        if row is None or (row.takes is bool and equals):
            return None
        if row.takes is not bool and not equals:
            value = next(rest, "")
        if not _put(values, row, value):
            return None
    return ServeOptions(**values)


def _put(values: dict[str, Any], row: OptionRow, text: str) -> bool:
    """Store one value; False where click has to say what is wrong with it."""
    value: Any = text
    if row.takes is bool:
        value = True
    elif not text or text.startswith("-") or (row.choices and text not in row.choices):
        return False
    elif row.takes is int:
        if not text.isdecimal():
            return False
        value = int(text)
    if row.is_many:
        values.setdefault(row.target, []).append(value)
    else:
        values[row.target] = value
    return True
