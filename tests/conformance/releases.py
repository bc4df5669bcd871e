"""The recorded releases, and the versions that each of them advertises."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, cast

from mockbroker import Release as Preset
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.state.release.options import TRANSACTION_VERSION
from tests.conformance.location import FACTS

API_KEYS: Final = frozenset(int(key) for key in ApiKey)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A release of Kafka in one variant: its version, its name in recordings, and its APIs."""

    version: str
    """The version that was recorded, such as `2.4.1`."""
    preset: Preset
    """The release that mockbroker behaves like, such as `2.4`."""
    versions: Mapping[ApiKey, range]
    variant: str = ""
    """The variant, which differs from the release's defaults, such as `tv1`."""
    features: Mapping[str, int] = field(default_factory=dict[str, int])
    """The levels of features that the variant sets."""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """The broker configs of the variant, in recorded clusters and in mockbroker."""
    forgets_topics: bool = True
    """False if a topic that was deleted and is made again begins at leader epoch 1 (1.0).

    Scripts whose topics may have the names of earlier ones then get clusters of their own.
    """

    @property
    def name(self) -> str:
        """Short name of release and variant, such as `4.4-tv1`, for scenarios and differences."""
        return f"{self.preset}-{self.variant}" if self.variant else self.preset

    @property
    def label(self) -> str:
        """Version and variant, such as `4.4.0-tv1`, as recordings and the recorder name it."""
        return f"{self.version}-{self.variant}" if self.variant else self.version

    def since(self, preset: str) -> bool:
        """Return whether this release is at least as new as another."""
        return GENERATIONS.index(self.preset) >= GENERATIONS.index(preset)


def _read(version: str) -> Release:
    document = json.loads((FACTS / f"apiversions-{version}.json").read_text("utf-8"))
    return Release(
        version=version,
        preset=cast("Preset", ".".join(version.split(".")[:2])),
        versions={
            ApiKey(api["key"]): range(api["min"], api["max"] + 1)
            for api in document["apis"]
            if api["key"] in API_KEYS
        },
    )


_NEWEST: Final = _read("4.4.0")
_BEFORE_4: Final = _read("3.9.1")
_TV1: Final = replace(_NEWEST, variant="tv1", features={"transaction.version": 1})

RELEASES: Final = (
    _NEWEST,
    _TV1,
    replace(
        _TV1,
        variant="tv1-unverified",
        settings={"transaction.partition.verification.enable": "false"},
    ),
    replace(_NEWEST, variant="tv0", features={"transaction.version": 0}),
    replace(
        _NEWEST,
        variant="classic",
        features={"group.version": 0, "share.version": 0, "streams.version": 0},
    ),
    replace(_NEWEST, variant="sv1", features={"share.version": 1}),
    _BEFORE_4,
    replace(
        _BEFORE_4,
        variant="consumer",
        settings={"group.coordinator.rebalance.protocols": "classic,consumer"},
    ),
    _read("3.6.2"),
    _read("2.8.2"),
    _read("2.5.1"),
    _read("2.4.1"),
    _read("2.3.1"),
    _read("1.1.1"),
    replace(_read("1.0.1"), forgets_topics=False),
    # By default this release deletes no topics: the next script would find those of the last.
    replace(_read("0.11.0.3"), settings={"delete.topic.enable": "true"}),
)
"""All recorded releases, newest first."""

GENERATIONS: Final = tuple(each.preset for each in reversed(RELEASES) if not each.variant)
"""The releases with their default settings, oldest first."""
VARIANTS: Final = tuple(each.name for each in RELEASES if TRANSACTION_VERSION in each.features)
"""The newest release with the former transaction protocols."""
EVERYWHERE: Final = (*GENERATIONS, *VARIANTS)
"""Every release with every variant of transactions."""
CLASSIC: Final = "4.4-classic"
"""The newest release without the newer group protocols."""
CONSUMERS_OF_3_9: Final = "3.9-consumer"
"""The release in which a config turns the consumer protocol on."""
WITHOUT_NEWER_GROUPS: Final = ("3.9", CLASSIC)
"""Releases that have the APIs of the newer group protocols, with all the protocols off."""


def since(preset: str) -> tuple[str, ...]:
    """Return that release, all later ones, and the variants."""
    return (*GENERATIONS[GENERATIONS.index(preset) :], *VARIANTS)


def defaults_since(preset: str) -> tuple[str, ...]:
    """Return that release and all later ones, without variants."""
    return GENERATIONS[GENERATIONS.index(preset) :]


def between(oldest: str, newest: str) -> tuple[str, ...]:
    """Return two releases and those between them."""
    return GENERATIONS[GENERATIONS.index(oldest) : GENERATIONS.index(newest) + 1]


def until(preset: str) -> tuple[str, ...]:
    """Return that release and all earlier ones."""
    return GENERATIONS[: GENERATIONS.index(preset) + 1]
