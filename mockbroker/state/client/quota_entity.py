"""Entities of quotas: users, client ids and addresses, and their combinations (KIP-546)."""

from collections.abc import Mapping
from ipaddress import AddressValueError, IPv6Address
from typing import Final, TypeAlias
from urllib.parse import quote

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.release.quota_options import QuotaOptions

QuotaEntity: TypeAlias = Mapping[str, str | None]
"""Names by entity type; None is the default entity."""

USER: Final = "user"
CLIENT_ID: Final = "client-id"
IP: Final = "ip"
ENTITY_TYPES: Final = (USER, CLIENT_ID, IP)

_BYTE: Final = 256
_PARTS_MAX: Final = 4
_KNOWN_HOSTS: Final = frozenset({"localhost"})


def check_entity(entity: QuotaEntity, options: QuotaOptions) -> None:
    """Check that an entity can have quotas.

    Raises:
        ApiError: INVALID_REQUEST.

    """
    if not entity:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Invalid empty client quota entity")
    for entity_type, name in entity.items():
        if entity_type not in ENTITY_TYPES:
            why = f"Unhandled client quota entity type: {entity_type}"
            raise ApiError(ErrorCode.INVALID_REQUEST, why)
        if name == "":
            raise ApiError(ErrorCode.INVALID_REQUEST, f"Empty {entity_type} not supported")
    if IP in entity:
        if len(entity) > 1:
            raise options.refusals.entity_mixes_address.error()
        _check_address(entity[IP], options)


def _check_address(address: str | None, options: QuotaOptions) -> None:
    if address is None:
        return
    written = _escaped(address) if options.escapes_addresses else address
    if not is_address(written):
        why = f"{written} is not a valid IP or resolvable host."
        raise ApiError(ErrorCode.INVALID_REQUEST, why)


def _escaped(name: str) -> str:
    """Encode a name as a part of a path in ZooKeeper."""
    return quote(name, safe="").replace("~", "%7E")


def is_address(text: str) -> bool:
    """Return whether Java parses a text as an address; of host names, only `localhost` resolves."""
    return text in _KNOWN_HOSTS or _is_ipv4(text) or _is_ipv6(text)


def _is_ipv4(text: str) -> bool:
    """Parse the decimal forms of `inet_aton`, whose last part fills the remaining bytes."""
    parts = text.split(".")
    if len(parts) > _PARTS_MAX or not all(part.isascii() and part.isdigit() for part in parts):
        return False
    *bytes_, rest = (int(part) for part in parts)
    return all(each < _BYTE for each in bytes_) and rest < _BYTE ** (_PARTS_MAX - len(bytes_))


def _is_ipv6(text: str) -> bool:
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True


def entity_text(entity: QuotaEntity) -> str:
    """Format an entity as in Kafka's messages."""
    names = (f"{each}={'null' if name is None else name}" for each, name in sorted(entity.items()))
    return f"ClientQuotaEntity(entries={{{', '.join(names)}}})"
