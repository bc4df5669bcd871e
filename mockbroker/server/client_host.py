"""Client addresses, as Java's `InetAddress.toString` formats them for group members."""

from typing import Final

_HEX: Final = 16


def java_address(host: str) -> str:
    """Return `/127.0.0.1` for 127.0.0.1, and `/0:0:0:0:0:0:0:1` for ::1."""
    if ":" not in host:
        return f"/{host}"
    from ipaddress import IPv6Address  # imported late: few clients use IPv6

    address = IPv6Address(host.partition("%")[0])
    if address.ipv4_mapped is not None:
        return f"/{address.ipv4_mapped}"
    return "/" + ":".join(f"{int(part, _HEX):x}" for part in address.exploded.split(":"))
