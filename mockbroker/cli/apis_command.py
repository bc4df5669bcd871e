"""Command `mockbroker apis`: APIs and behaviour of each release of Kafka."""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final, NamedTuple, cast

import click

from mockbroker.broker.api_table import routes
from mockbroker.cli.command_answer import CommandResult, answering
from mockbroker.cli.text_table import columns
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.state.release.options import SUPPORTED_RELEASES, Options
from mockbroker.state.release.release_versions import Feature

_LISTED_AS_APIS: Final = frozenset({"release", "api_versions", "unstable_api_versions"})
_TEXTS: Final = frozenset(
    {
        "acl_change_refusal",
        "admin_refusals",
        "cluster_admin_refusals",
        "credential_failure",
        "refusals",
    }
)
"""Options that hold texts of Kafka, which are too long for a table."""
_ABSENT: Final = "-"


class TableRow(NamedTuple):
    """One row: its name, and a cell for each release."""

    name: str
    cells: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """True if the releases differ in this row."""
        return len(set(self.cells)) > 1


@click.command(short_help="Show releases side by side.")
@click.option(
    "--kafka", "names", metavar="RELEASE", multiple=True, help="Release to show; repeatable (all)."
)
@click.option("--differences", is_flag=True, help="Show only the differences.")
@answering
def apis(names: tuple[str, ...], *, differences: bool) -> CommandResult:
    """Show releases of Kafka side by side: the API versions that they serve, and their behaviour.

    The rows contain all differences between mockbroker's releases, except for texts of errors.
    """
    try:
        releases = [Options.for_release(name) for name in names or SUPPORTED_RELEASES]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    tables = {"API": api_rows(releases), "Option": option_rows(releases)}
    shown = {
        title: [row for row in rows if row.differs or not differences]
        for title, rows in tables.items()
    }
    document = {
        "releases": [options.release for options in releases],
        "apis": _as_json(shown["API"]),
        "options": _as_json(shown["Option"]),
    }
    return CommandResult(document, _as_tables(releases, shown))


def _as_tables(releases: Sequence[Options], tables: dict[str, list[TableRow]]) -> Iterator[str]:
    for title, rows in tables.items():
        yield from table_lines(releases, rows, title)
        yield ""


def _as_json(rows: Sequence[TableRow]) -> dict[str, list[str]]:
    """Return the cells of the releases by the name of the row."""
    return {row.name: list(row.cells) for row in rows}


def api_rows(releases: Sequence[Options]) -> list[TableRow]:
    """Return the versions of each API that a cluster of each release serves."""
    rows = [
        TableRow(api_key.title, tuple(_served(options, api_key) for options in releases))
        for api_key in routes()
    ]
    return [row for row in rows if any(cell != _ABSENT for cell in row.cells)]


def option_rows(releases: Sequence[Options]) -> list[TableRow]:
    """Return every option that is not a text, by its name in `Options`; groups have a dot."""
    flat = [dict(_flat(options, "")) for options in releases]
    names = dict.fromkeys(name for options in flat for name in options)
    return [TableRow(name, tuple(options.get(name, _ABSENT) for options in flat)) for name in names]


def table_lines(releases: Sequence[Options], rows: Sequence[TableRow], title: str) -> Iterator[str]:
    """Write rows below the names of the releases."""
    titles = (title, *(options.release for options in releases))
    return columns([titles, *((row.name, *row.cells) for row in rows)])


def _served(options: Options, api_key: ApiKey) -> str:
    advertised = options.api_versions.get(api_key, range(0))
    versions = [version for version in advertised if version in routes()[api_key].versions]
    return f"{versions[0]}-{versions[-1]}" if versions else _ABSENT


def _flat(options: tuple[object, ...], prefix: str) -> Iterator[tuple[str, str]]:
    names: tuple[str, ...] = getattr(options, "_fields", ())
    for name, value in zip(names, options, strict=True):
        if name in _LISTED_AS_APIS or name in _TEXTS:
            continue
        if name == "features":
            for feature in cast("tuple[Feature, ...]", value):
                yield f"features.{feature.name}", str(feature.finalized_level)
        elif hasattr(value, "_fields"):
            yield from _flat(cast("tuple[object, ...]", value), f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", _shown(value)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, frozenset):
        members = cast("frozenset[object]", value)
        return ",".join(sorted(_shown(each) for each in members)) or _ABSENT
    if value is None:
        return _ABSENT
    return str(value) or '""'
