"""Arguments of `Cluster` as settings: topics, configs and a release, as people write them."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final, Literal, TypeAlias

from mockbroker.errors import SettingsError
from mockbroker.settings.duration import is_duration, milliseconds
from mockbroker.settings.settings import PYTHON, Given, Settings, resolve_settings

Release: TypeAlias = Literal["0.11", "1.0", "1.1", "2.3", "2.4", "2.5", "2.8", "3.6", "3.9", "4.4"]
"""A release of Kafka that a cluster can emulate, for type checkers."""
Topics: TypeAlias = Mapping[str, int] | Sequence[str]
"""Names of topics with their numbers of partitions; or names alone, for `num.partitions`."""
ConfigText: TypeAlias = str | int | float | bool | timedelta
"""Value of a config: its text, or a number or truth value that has the same text.

A config whose name ends in its unit, such as `retention.ms`, also takes a duration: `7d`, or a
`timedelta`.
"""

_UNITS_MS: Final = {"ms": 1, "seconds": 1_000, "minutes": 60_000, "hours": 3_600_000}


def python_settings(
    given: Given,
    *,
    topics: Topics | None,
    config: Mapping[str, ConfigText] | None,
    features: Mapping[str, int] | None,
    release: str | None,
    seed: int | None,
    is_strict: bool,
) -> Settings:
    """Return the settings of a cluster that Python makes; `given` has the other ones.

    Raises:
        SettingsError: a setting is invalid; the text names it, and the allowed values.

    """
    _check_brokers(given.brokers)
    own = {} if seed is None else {"mockbroker.seed": seed}
    return resolve_settings(
        given._replace(
            topics=_topic_texts(topics),
            configs=[
                f"{name}={config_text(name, value)}"
                for name, value in {**(config or {}), **own}.items()
            ],
            features=[f"{name}={level}" for name, level in (features or {}).items()],
            release=_checked_release(release),
            names=PYTHON,
            is_strict=is_strict,
        )
    )


def config_text(name: str, value: ConfigText) -> str:
    """Return the text of a config's value, as Kafka reads it: `true` for True.

    Raises:
        SettingsError: the value is a duration that the config's unit does not divide, or one of a
            config without a unit.

    """
    if isinstance(value, bool):
        return str(value).lower()
    unit = name.rpartition(".")[2]
    unit_ms = _UNITS_MS.get(unit)
    if not isinstance(value, timedelta) and (unit_ms is None or not is_duration(value)):
        return str(value)
    if unit_ms is None:
        raise SettingsError(name, str(value), "its name ends in no unit of time, so write its text")
    try:
        count, rest = divmod(milliseconds(value), unit_ms)
    except ValueError as refusal:
        raise SettingsError(name, str(value), str(refusal)) from None
    if rest:
        raise SettingsError(name, str(value), f"it is no whole number of {unit}")
    return str(count)


def _check_brokers(brokers: object) -> None:
    if not isinstance(brokers, int):
        raise SettingsError("brokers", str(brokers), "write a number: brokers=3")


def _topic_texts(topics: Topics | None) -> list[str]:
    if isinstance(topics, str):
        raise SettingsError("topics", topics, f"write a list: topics=[{topics!r}]")
    if isinstance(topics, Mapping):
        return [f"{name}:{count}" for name, count in topics.items()]
    for name in topics or ():
        _check_name(name)
    return list(topics or ())


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise SettingsError("topics", str(name), "a list has the names of topics")
    topic, separator, count = name.partition(":")
    if separator:
        number = count if count.isdecimal() else "1"
        why = f"write a number of partitions as a mapping: topics={{{topic!r}: {number}}}"
        raise SettingsError("topics", name, why)


def _checked_release(release: object) -> str | None:
    if release is None or isinstance(release, str):
        return release
    why = f'write the release as text, kafka="{release}"; as a number, 3.10 would be 3.1'
    raise SettingsError("kafka", str(release), why)
