"""Arguments of `Cluster` as settings: topics, configs and a release, as people write them."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from mockbroker.errors import SettingsError
from mockbroker.settings.settings import PYTHON, Given, Settings, resolve_settings

Release: TypeAlias = Literal["0.11", "1.0", "1.1", "2.3", "2.4", "2.5", "2.8", "3.6", "3.9", "4.4"]
"""A release of Kafka that a cluster can emulate, for type checkers."""
Topics: TypeAlias = Mapping[str, int] | Sequence[str]
"""Names of topics with their numbers of partitions; or names alone, for `num.partitions`."""
ConfigText: TypeAlias = str | int | float | bool
"""Value of a config: its text, or a number or truth value that has the same text."""


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
    own = {} if seed is None else {"mockbroker.seed": seed}
    return resolve_settings(
        given._replace(
            topics=_topic_texts(topics),
            configs=[
                f"{name}={config_text(value)}" for name, value in {**(config or {}), **own}.items()
            ],
            features=[f"{name}={level}" for name, level in (features or {}).items()],
            release=_checked_release(release),
            names=PYTHON,
            is_strict=is_strict,
        )
    )


def config_text(value: ConfigText) -> str:
    """Return the text of a config's value, as Kafka reads it: `true` for True."""
    return str(value).lower() if isinstance(value, bool) else str(value)


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
