"""Arguments of `Cluster` as one value, for fixtures, markers and factories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self

from mockbroker.journal.options import JournalSetting
from mockbroker.settings.python_arguments import ConfigText, Release, Topics
from mockbroker.state.clock import ClockMode

if TYPE_CHECKING:
    from mockbroker.settings.telemetry_options import TelemetrySetting


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """The arguments of `Cluster`, with its defaults."""

    brokers: int = 1
    kafka: Release | None = None
    topics: Topics = field(default_factory=dict[str, int])
    config: Mapping[str, ConfigText] = field(default_factory=dict[str, ConfigText])
    features: Mapping[str, int] = field(default_factory=dict[str, int])
    proposals: Sequence[str] = ()
    clock: ClockMode = "offset"
    journal: JournalSetting = None
    seed: int | None = None
    host: str = "127.0.0.1"
    port: int = 0
    admin_port: int | None = None
    tls: bool = False
    telemetry: "TelemetrySetting" = False
    ledger_rows_max: int = 1_000_000
    allow_unknown_config: bool = False
    thread: bool = False

    def but(self, changes: Mapping[str, Any]) -> Self:
        """Return a copy with some arguments changed.

        Raises:
            ValueError: there is no option of such a name.

        """
        names = self.names()
        unknown = sorted(set(changes) - set(names))
        if unknown:
            raise ValueError(
                f"unknown option {', '.join(unknown)}; the options are {', '.join(names)}"
            )
        return replace(self, **changes)

    def as_arguments(self) -> dict[str, Any]:
        """Return the values as arguments of `Cluster`."""
        return {name: getattr(self, name) for name in self.names()}

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of all options."""
        return tuple(each.name for each in fields(cls))
