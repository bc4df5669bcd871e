"""Write docs/reference/environment.md: the variables that `serve` reads, and their effects.

    python -m tools.environment_reference

A config is modelled if the code reads it, which is determined by a search for its name.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from mockbroker.settings.environment import (
    ELSEWHERE,
    NOT_SETTINGS,
    OF_PACKAGES,
    OWN_VARIABLES,
    variable_name,
)
from mockbroker.state.config.definition import broker_definitions, topic_definitions
from mockbroker.state.config.topic_configs import BROKER_SYNONYMS
from mockbroker.state.release.options import DEFAULT_RELEASE, SUPPORTED_RELEASES
from tools.paragraph import paragraph

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "reference" / "environment.md"

_TABLES: Final = "_configs.py"
"""Suffixes of files that declare configs, and do not read them."""
_FALLBACKS_ONLY: Final = frozenset(
    {"log.flush.interval.ms", "log.flush.scheduler.interval.ms", "process.roles"}
    | {"log.roll.jitter.hours", "log.roll.jitter.ms"}
)
_INTERNAL_TOPICS: Final = (
    "offsets.topic",
    "transaction.state.log",
    "share.coordinator.state.topic",
)
_OF_INTERNAL_TOPICS: Final = ("num.partitions", "replication.factor", "segment.bytes", "min.isr")

_INTRODUCTION: Final = f"""\
<!-- Made by `make docs` (tools/environment_reference.py). A test compares it with the code. -->

# The environment

**You want it when** you set up a cluster by variables, or ask what a Kafka setting does here.
[Run mockbroker as a container](../how-to/run-it-as-a-container.md) has examples.
**It needs** nothing but mockbroker, and for the admin port the extra `http`.

`mockbroker serve` reads two kinds of variables. The first source that has a setting
decides: command line, environment, `--scenario`, `--config-file`, the defaults of mockbroker, the
defaults of Kafka. A variable without a value is ignored. `mockbroker config --show-origin` prints
the result.

An unknown setting is ignored with a warning; with `MOCKBROKER_STRICT_CONFIG=1` it is an error. An
invalid value is always an error that names its variable.

## Kafka's settings

`KAFKA_` and the name of a broker config, as Kafka's own image takes them: `_` stands for a dot,
`__` for `_`, `___` for `-`. So `KAFKA_NUM_PARTITIONS=3` is `num.partitions=3`. The same settings
may stand in a `server.properties` (`--config-file`) or behind `-c`.

- **Modelled**: mockbroker does what Kafka does with it.
- **Accepted and echoed**: validated as in Kafka, and shown by DescribeConfigs; it has no other
  effect.
- **Rejected**: listeners of any protocol but PLAINTEXT (in `listeners`, `advertised.listeners`,
  by `listener.security.protocol.map` or `security.inter.broker.protocol`), and values that Kafka
  rejects.

The tables are those of Kafka {DEFAULT_RELEASE}; each release of `--kafka` has its own settings.
The defaults are Kafka's, with two exceptions: internal topics have as many replicas as there are
brokers, up to 3, and the first rebalance of a group does not wait
(`group.initial.rebalance.delay.ms=0`).
"""


def page() -> str:
    """Return the whole page."""
    return "\n".join([_INTRODUCTION, *_kafkas(), *_ours()])


def _kafkas() -> Iterator[str]:
    definitions = broker_definitions(DEFAULT_RELEASE)
    modelled = [name for name in definitions if is_modelled(name)]
    yield "### Modelled"
    yield ""
    yield "| variable | config | default |"
    yield "| --- | --- | --- |"
    for name in modelled:
        default = definitions[name].default
        shown = "" if default in {None, ""} else f"`{default}`"
        yield f"| `{variable_name(name)}` | `{name}` | {shown} |"
    yield ""
    yield "### Accepted and echoed"
    yield ""
    yield paragraph(", ".join(f"`{name}`" for name in definitions if name not in modelled) + ".")
    yield ""
    yield "### Not settings"
    yield ""
    yield "mockbroker ignores these variables, which are for a JVM, for tools or for clients:"
    yield paragraph(", ".join(f"`{name}`" for name in sorted(NOT_SETTINGS)) + ".")
    yield ""


def _ours() -> Iterator[str]:
    yield "## Our own"
    yield ""
    yield "| variable | overridden by | meaning |"
    yield "| --- | --- | --- |"
    for row in OWN_VARIABLES:
        option = f"`{row.option}`" if row.option else ""
        yield f"| `{row.name}` | {option} | {row.about} |"
    yield ""
    releases = ", ".join(SUPPORTED_RELEASES)
    yield f"`MOCKBROKER_KAFKA_VERSION` is one of {releases}. The HTTP API and its commands"
    yield f"read {' and '.join(f'`{name}`' for name in sorted(ELSEWHERE))}."
    yield f"Packages for other languages read `{OF_PACKAGES}`, the command that they start."
    yield "With `MOCKBROKER_OTEL=1`, the standard `OTEL_` variables say [where traces and metrics"
    yield "go](../how-to/measure-and-trace.md#trace-a-running-cluster)."
    yield ""


def is_modelled(name: str) -> bool:
    """Return True if the code reads a broker config, by its own or its topic config's name."""
    if name in _FALLBACKS_ONLY:
        return False
    topics = {broker: topic for topic, broker in BROKER_SYNONYMS.items()}
    made = {f"{topic}.{what}" for topic in _INTERNAL_TOPICS for what in _OF_INTERNAL_TOPICS}
    return name in names_read() or topics.get(name) in names_read() or name in made


@cache
def names_read() -> frozenset[str]:
    """Find the names of configs in the code, outside of the tables."""
    known = {*broker_definitions(DEFAULT_RELEASE), *topic_definitions(DEFAULT_RELEASE)}
    found: set[str] = set()
    for path in (ROOT / "mockbroker").rglob("*.py"):
        # Clients have settings of the same names.
        if {"protocol", "wire"} & {*path.parts} or path.name.endswith(_TABLES):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return frozenset(found & known)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
