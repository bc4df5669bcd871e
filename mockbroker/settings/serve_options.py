"""Options of `mockbroker serve`: their table, and their parser, which does not import click."""

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

from mockbroker.errors import similar_names
from mockbroker.settings.listener_settings import PORT_MAX
from mockbroker.state.clock import CLOCK_MODES, ClockMode


class ServeOptions(NamedTuple):
    """Options of `serve`, as the command line sets them.

    None, empty or false where it does not: the environment, a file or the default decides.
    """

    host: str | None = None
    port: int | None = None
    brokers: int | None = None
    topics: Sequence[str] = ()
    configs: Sequence[str] = ()
    features: Sequence[str] = ()
    proposals: Sequence[str] = ()
    unstable_api_versions: bool = False
    config_file: str | None = None
    scenario: str | None = None
    kafka: str | None = None
    clock: ClockMode | None = None
    seed: int | None = None
    tls: bool = False
    admin_host: str | None = None
    admin_port: int | None = None
    admin_tls: bool = False
    no_admin: bool = False
    ledger: bool = False
    ledger_rows: int | None = None
    journal: str | None = None
    journal_format: Literal["jsonl", "parquet"] = "jsonl"
    journal_identity: str | None = None
    otel: bool = False
    as_json: bool = False
    until_eof: bool = False
    log_level: str | None = None
    log_format: str | None = None

    def sets(self, field: str) -> bool:
        """Return True if the command line sets a field."""
        value = getattr(self, field)
        return value is not None and value is not False and value != ()


class OptionRow(NamedTuple):
    """One option: its flags, the field of `ServeOptions`, the type of its value, and its help."""

    flags: tuple[str, ...]
    target: str
    takes: type
    help: str
    metavar: str | None = None
    is_many: bool = False
    choices: tuple[str, ...] = ()
    maximum: int | None = None

    def value_of(self, text: str) -> str | int:
        """Convert the text of a value.

        Raises:
            ValueError: it is not an integer, a choice or in range; the text says which.

        """
        if self.choices and text not in self.choices:
            raise ValueError(f"not one of {', '.join(map(repr, self.choices))}")
        if self.takes is not int:
            return text
        try:
            number = int(text)
        except ValueError:
            raise ValueError("not a valid integer") from None
        if self.maximum is not None and not 0 <= number <= self.maximum:
            raise ValueError(f"not in the range 0<=x<={self.maximum}")
        return number


class OptionError(ValueError):
    """Wrong arguments of `serve`."""


LEDGER_ROWS: Final = 20_000
"""Default of `serve`: 1.3 MB. A cluster that gets more batches is measured rather than tested."""
LEDGER_ROWS_LARGE: Final = 1_000_000
"""Number of rows with `--ledger`, as `Cluster` has them."""
LEDGER_ROWS_MAX: Final = 1_000_000_000

OPTIONS: Final = (
    OptionRow(("--host",), "host", str, "Address to listen on (127.0.0.1).", "HOST"),
    OptionRow(
        ("-p", "--port"), "port", int,
        "Port of the first broker (9092); broker i listens on port + i. 0: any free ports.", "PORT",
    ),
    OptionRow(("-b", "--brokers"), "brokers", int, "Number of brokers (1).", "N"),
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
        "Turn on a proposal that Kafka never shipped; repeatable.", "NAME", is_many=True,
    ),
    OptionRow(
        ("--unstable-api-versions",), "unstable_api_versions", bool,
        "Also serve unstable versions: unstable.api.versions.enable=true.",
    ),
    OptionRow(
        ("-s", "--scenario"), "scenario", str,
        "A scenario file: a cluster, faults, steps and expectations.", "FILE",
    ),
    OptionRow(("--config-file",), "config_file", str, "A server.properties to read.", "FILE"),
    OptionRow(
        ("--kafka",), "kafka", str,
        "Behave like this release of Kafka (4.4):"
        " 0.11, 1.0, 1.1, 2.3, 2.4, 2.5, 2.8, 3.6, 3.9 or 4.4.",
        "RELEASE",
    ),
    OptionRow(
        ("--clock",), "clock", str,
        "Real time with jumps, jumps only, or real time only (offset).",
        "MODE", choices=CLOCK_MODES,
    ),
    OptionRow(
        ("--tls",), "tls", bool,
        "Listen with TLS; issue certificates where none is configured.",
    ),
    OptionRow(
        ("--admin-port",), "admin_port", int,
        "Port of the HTTP API (8092; with --port 0 any free port). 0: any free port.", "PORT",
        maximum=PORT_MAX,
    ),
    OptionRow(
        ("--admin-host",), "admin_host", str,
        "Address of the HTTP API (127.0.0.1); on any other, commands need a token.", "HOST",
    ),
    OptionRow(
        ("--admin-tls",), "admin_tls", bool, "Serve the HTTP API with TLS; this needs --tls."
    ),
    OptionRow(("--no-admin",), "no_admin", bool, "Serve no HTTP API."),
    OptionRow(
        ("--ledger-rows",), "ledger_rows", int,
        "Number of batches to record for `mockbroker assert` (20000); 0 for none.", "N",
        maximum=LEDGER_ROWS_MAX,
    ),
    OptionRow(
        ("--ledger",), "ledger", bool, "The same as --ledger-rows 1000000.",
    ),
    OptionRow(
        ("--seed",), "seed", int,
        "Seed of ids and random choices (0): mockbroker.seed.", "N",
    ),
    OptionRow(
        ("--journal",), "journal", str,
        "Record all events in a new folder: requests, responses, appends, faults.",
        "FOLDER",
    ),
    OptionRow(
        ("--journal-format",), "journal_format", str,
        "JSON lines, or Parquet, which needs the extra spark (jsonl).",
        "FORMAT", choices=("jsonl", "parquet"),
    ),
    OptionRow(
        ("--journal-identity",), "journal_identity", str,
        "What identifies a record, for audits of the journal: key, value, header:NAME, json:PATH.",
        "ID",
    ),
    OptionRow(
        ("--otel",), "otel", bool,
        "Export traces and metrics as the OTEL_ variables say; this needs the extra otel.",
    ),
    OptionRow(
        ("--json",), "as_json", bool, "When ready, print one line of JSON on stdout.",
    ),
    OptionRow(
        ("--until-eof",), "until_eof", bool,
        "Stop when stdin ends: a test that is killed then leaves no cluster behind.",
    ),
    OptionRow(
        ("--log-level",), "log_level", str, "Minimum level of the logs on stderr (info).", "LEVEL",
        choices=("debug", "info", "warning", "error"),
    ),
    OptionRow(
        ("--log-format",), "log_format", str,
        "Format of the logs: console on a terminal, else JSON (auto).", "FORMAT",
        choices=("auto", "console", "json"),
    ),
)  # fmt: skip

_BY_FLAG: Final = {flag: row for row in OPTIONS for flag in row.flags}
_HELP: Final = frozenset({"-h", "--help"})
_SHORT: Final = 2
"""Length of a short flag: `-p`."""


def parse_serve_options(words: Sequence[str]) -> ServeOptions | None:
    """Parse the arguments of `serve`; return None if they ask for help.

    Accepted forms are `--port 0`, `--port=0`, `-p 0` and `-p0`.

    Raises:
        OptionError: there is no such option, or its value is missing or wrong.

    """
    values: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        if word in _HELP:
            return None
        flag, text = _split(word)
        row = _BY_FLAG.get(flag)
        if row is None:
            raise OptionError(_unknown(flag if flag.startswith("-") else word))
        if row.takes is bool:
            if text is not None:
                raise OptionError(f"Option {flag!r} does not take a value.")
            values[row.target] = True
            continue
        text = next(rest, None) if text is None else text
        if text is None:
            raise OptionError(f"Option {flag!r} requires an argument.")
        try:
            value = row.value_of(text)
        except ValueError as error:
            names = " / ".join(map(repr, row.flags))
            raise OptionError(f"Invalid value for {names}: {text!r} is {error}.") from None
        if row.is_many:
            values.setdefault(row.target, []).append(value)
        else:
            values[row.target] = value
    return ServeOptions(**values)


def _split(word: str) -> tuple[str, str | None]:
    """Split a flag from a value in the same word."""
    if word.startswith("--"):
        flag, equals, text = word.partition("=")
        return flag, text if equals else None
    return word[:_SHORT], word[_SHORT:] or None


def _unknown(flag: str) -> str:
    if not flag.startswith("-"):
        return f"Got unexpected extra argument ({flag})"
    near = " or ".join(similar_names(flag, _BY_FLAG))
    return f"No such option: {flag}" + (f" Did you mean {near}?" if near else "")
