"""A client's address, as Java's `InetAddress.toString` writes it and groups show it."""

from typing import Final

_HEX: Final = 16


def java_address(host: str) -> str:
    """Return `/127.0.0.1` for 127.0.0.1, and `/0:0:0:0:0:0:0:1` for ::1."""
    if ":" not in host:
        return f"/{host}"
    from ipaddress import IPv6Address  # not at every start: nearly nobody comes from there

    address = IPv6Address(host.partition("%")[0])
    if address.ipv4_mapped is not None:
        return f"/{address.ipv4_mapped}"
    return "/" + ":".join(f"{int(part, _HEX):x}" for part in address.exploded.split(":"))
