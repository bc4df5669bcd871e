"""The releases whose answers are recorded, and the versions that each of them advertises."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mockbroker.protocol.api_keys import ApiKey

FACTS: Final = Path(__file__).parents[1] / "facts"
API_KEYS: Final = frozenset(int(key) for key in ApiKey)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A release of Kafka: its whole version, our name for it, and what it serves."""

    version: str
    """The version that was recorded, such as `2.4.1`."""
    preset: str
    """The release that the product is told to behave like, such as `2.4`."""
    versions: Mapping[ApiKey, range]


def _read(version: str) -> Release:
    facts = json.loads((FACTS / f"apiversions-{version}.json").read_text("utf-8"))
    return Release(
        version=version,
        preset=version.rpartition(".")[0],
        versions={
            ApiKey(api["key"]): range(api["min"], api["max"] + 1)
            for api in facts["apis"]
            if api["key"] in API_KEYS
        },
    )


RELEASES: Final = (_read("4.4.0"), _read("2.4.1"))
