"""Conversion of texts to config values, with Kafka's rules and error messages."""

import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.definition import ConfigDefinition, ConfigType, ConfigValue

_FORMAT_VERSIONS: Final = """
0.8.0 0.8.1 0.8.2 0.9.0
0.10.0-IV0 0.10.0-IV1 0.10.1-IV0 0.10.1-IV1 0.10.1-IV2 0.10.2-IV0
0.11.0-IV0 0.11.0-IV1 0.11.0-IV2
1.0-IV0 1.1-IV0
2.0-IV0 2.0-IV1 2.1-IV0 2.1-IV1 2.1-IV2 2.2-IV0 2.2-IV1 2.3-IV0 2.3-IV1 2.4-IV0 2.4-IV1
2.5-IV0 2.6-IV0 2.7-IV0 2.7-IV1 2.7-IV2 2.8-IV0 2.8-IV1
3.0-IV0 3.0-IV1 3.1-IV0 3.2-IV0 3.3-IV0 3.3-IV1 3.3-IV2 3.3-IV3 3.4-IV0
3.5-IV0 3.5-IV1 3.5-IV2 3.6-IV0 3.6-IV1 3.6-IV2 3.7-IV0 3.7-IV1 3.7-IV2 3.7-IV3 3.7-IV4
3.8-IV0 3.9-IV0
"""

MESSAGE_FORMAT_VERSIONS: Final = tuple(_FORMAT_VERSIONS.split())
"""The versions that `message.format.version` may name, oldest first (Kafka's `ApiVersion`)."""

_BITS: Final = {ConfigType.SHORT: 16, ConfigType.INT: 32, ConfigType.LONG: 64}
# Patterns are compiled on first use (`re` caches them), which keeps the start fast.
_INTEGER: Final = r"[+-]?[0-9]+"
_DECIMAL: Final = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
_BOUNDS: Final = r"(-?[0-9.]+?)\.\.(-?[0-9.]+)?"
_NO_CASE: Final = "nocase:"
_FULL: Final = "full:"
_PLAIN_FROM: Final = 1e-3
_PLAIN_BELOW: Final = 1e7
"""Java writes numbers between these bounds without an exponent."""
_THROTTLED_REPLICA: Final = r"([0-9]+:[0-9]+)?"  # Kafka accepts an empty entry
_BY_DURATION: Final = (
    r"by_duration:P(?=.)([0-9]+D)?(T(?=.)([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]+)?S)?)?"
)
_GZIP_LEVELS: Final = (1, 9)


def parse_config(definition: ConfigDefinition, text: str) -> ConfigValue:
    """Return the value of a config's text.

    Raises:
        ApiError: INVALID_CONFIG, naming the config, the value and what is allowed.

    """
    value = _parse_type(definition, text)
    _check_allowed(definition, value)
    return value


def default_value(definition: ConfigDefinition) -> ConfigValue:
    """Return the parsed default of a config; None if it has none."""
    return None if definition.default is None else _parse_type(definition, definition.default)


def config_text(value: ConfigValue) -> str | None:
    """Return a value in Kafka's notation (`ConfigDef.convertToString`)."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, float):
        return _float_text(value)
    return str(value)


def split_list(text: str) -> tuple[str, ...]:
    """Return the parts of a LIST config; an empty text has none."""
    return tuple(part.strip() for part in text.split(",")) if text.strip() else ()


def split_as_java(text: str) -> list[str]:
    """Split a text at commas as Java's `String.split` does, which drops empty parts at the end.

    An empty text has one empty part; a text that consists of commas has none.
    """
    kept = text.rstrip(",")
    return kept.split(",") if kept or not text else []


def _float_text(value: float) -> str:
    """Format a number as Java's `Double.toString`, which uses exponents earlier than Python."""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or _PLAIN_FROM <= abs(value) < _PLAIN_BELOW:
        return repr(value)
    digits = repr(abs(value)).partition("e")[0].replace(".", "").strip("0")
    mantissa, _, power = f"{value:.{max(1, len(digits) - 1)}e}".partition("e")
    return f"{mantissa}E{int(power)}"


def _invalid(definition: ConfigDefinition, shown: object, why: str) -> ApiError:
    return ApiError(
        ErrorCode.INVALID_CONFIG,
        f"Invalid value {shown} for configuration {definition.name}: {why}",
    )


def _parse_type(definition: ConfigDefinition, given: str) -> ConfigValue:
    kind, text = definition.type, given.strip()
    if kind is ConfigType.BOOLEAN:
        if text.lower() not in {"true", "false"}:
            raise _invalid(definition, given, "Expected value to be either true or false")
        return text.lower() == "true"
    if kind is ConfigType.LIST:
        return split_list(text)
    if kind is ConfigType.DOUBLE:
        if not re.fullmatch(_DECIMAL, text):
            raise _invalid(definition, given, "Not a number of type DOUBLE")
        return float(text)
    bits = _BITS.get(kind)
    if bits is None:
        return text
    if not re.fullmatch(_INTEGER, text) or not -(1 << bits - 1) <= int(text) < 1 << bits - 1:
        raise _invalid(definition, given, f"Not a number of type {kind.name}")
    return int(text)


def _check_allowed(definition: ConfigDefinition, value: ConfigValue) -> None:
    allowed = definition.allowed
    if allowed == "-":
        return
    rule = _RULES.get(allowed)
    if rule is not None:
        rule(definition, value)
    elif isinstance(value, (int, float)):
        _check_bounds(definition, value)
    else:
        _check_choice(definition, value)


def _check_bounds(definition: ConfigDefinition, value: float) -> None:
    match = re.fullmatch(_BOUNDS, definition.allowed)
    assert match is not None, definition
    lowest, highest = match.groups()
    shown = config_text(value)
    if value < float(lowest):
        raise _invalid(definition, shown, f"Value must be at least {lowest}")
    if highest is not None and value > float(highest):
        raise _invalid(definition, shown, f"Value must be no more than {highest}")


def _check_choice(definition: ConfigDefinition, value: ConfigValue) -> None:
    if definition.allowed.startswith(_FULL):
        _check_no_empty_part(definition, value)
    names = definition.allowed.removeprefix(_NO_CASE).removeprefix(_FULL).split("|")
    ignores_case = definition.allowed.startswith(_NO_CASE)
    for part in value if isinstance(value, tuple) else (str(value),):
        if (part.upper() if ignores_case else part) not in names:
            said = "String must be one of" + (" (case insensitive)" if ignores_case else "")
            raise _invalid(definition, part, f"{said}: {', '.join(names)}")


def _check_no_empty_part(definition: ConfigDefinition, value: ConfigValue) -> None:
    """Refuse a list with an empty part (Kafka's `ValidList`, KIP-1161); equal parts may be."""
    assert isinstance(value, tuple), value
    if "" in value:
        why = f"Configuration '{definition.name}' values must not be empty."
        raise ApiError(ErrorCode.INVALID_CONFIG, why)


def _check_gzip_level(definition: ConfigDefinition, value: ConfigValue) -> None:
    assert isinstance(value, int), value
    if value != -1 and not _GZIP_LEVELS[0] <= value <= _GZIP_LEVELS[1]:
        raise _invalid(definition, value, "Value must be between 1 and 9 or equal to -1")


def _check_throttled_replicas(definition: ConfigDefinition, value: ConfigValue) -> None:
    assert isinstance(value, tuple), value
    if "".join(value) == "*" or all(re.fullmatch(_THROTTLED_REPLICA, replica) for replica in value):
        return
    form = "[partitionId]:[brokerId],[partitionId]:[brokerId],..."
    why = f"{definition.name} must be the literal '*' or a list of replicas in the following format"
    raise _invalid(definition, f"[{', '.join(value)}]", f"{why}: {form}")


def _check_throttled_replicas_of_1_1(definition: ConfigDefinition, value: ConfigValue) -> None:
    try:
        _check_first_throttled_replica(definition, value)
    except ApiError as refusal:
        form = "[partitionId],[brokerId]:[partitionId],[brokerId]:..."
        why = refusal.why.partition(": [partitionId]")[0]
        raise ApiError(refusal.code, f"{why}: {form}") from None


def _check_first_throttled_replica(definition: ConfigDefinition, value: ConfigValue) -> None:
    assert isinstance(value, tuple), value
    if value[:1] != ("*",):
        _check_throttled_replicas(definition, value)


def _check_format_version(
    definition: ConfigDefinition, value: ConfigValue, *, quote: str = "`"
) -> None:
    assert isinstance(value, str), value
    if canonical_format_version(value) is None:
        raise _invalid(definition, value, f"Version {quote}{value}{quote} is not a valid version")


def _check_offset_reset(definition: ConfigDefinition, value: ConfigValue) -> None:
    if value not in {"earliest", "latest"} and not re.fullmatch(_BY_DURATION, str(value)):
        why = f"Invalid value `{value}` for configuration {definition.name}. The value must be"
        form = "either 'earliest', 'latest' or of the format 'by_duration:<PnDTnHnMn.nS>'."
        raise _invalid(definition, value, f"{why} {form}")


def _check_non_empty(definition: ConfigDefinition, value: ConfigValue) -> None:
    if value == "":
        raise _invalid(definition, value, "String must be non-empty")


_RULES: Final[Mapping[str, Callable[[ConfigDefinition, ConfigValue], None]]] = {
    "gzip-level": _check_gzip_level,
    "throttled-replicas": _check_throttled_replicas,
    "throttled-replicas-first": _check_first_throttled_replica,
    "throttled-replicas-1.1": _check_throttled_replicas_of_1_1,
    "format-version": _check_format_version,
    "format-version-3.9": partial(_check_format_version, quote=""),
    "non-empty": _check_non_empty,
    "offset-reset": _check_offset_reset,
}


def canonical_format_version(text: str) -> str | None:
    """Return the full version for a text such as `2.4`, `0.10.2` or `2.4-IV1`, or None."""
    segments = 3 if text.startswith("0.") else 2
    wanted = ".".join(text.split(".")[:segments])
    found: str | None = None
    for version in MESSAGE_FORMAT_VERSIONS:
        if wanted in {version, version.split("-")[0]}:
            found = version
    return found
