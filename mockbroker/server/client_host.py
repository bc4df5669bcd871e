"""Client addresses, as Java's `InetAddress.toString` formats them for group members."""

import socket
from typing import Final

_IPV4_MAPPED: Final = bytes(10) + b"\xff\xff"


def java_address(host: str) -> str:
    """Return `/127.0.0.1` for 127.0.0.1, and `/0:0:0:0:0:0:0:1` for ::1."""
    if ":" not in host:
        return f"/{host}"
    address = socket.inet_pton(socket.AF_INET6, host.partition("%")[0])
    if address.startswith(_IPV4_MAPPED):
        return f"/{socket.inet_ntoa(address[len(_IPV4_MAPPED) :])}"
    pairs = zip(address[::2], address[1::2], strict=True)
    return "/" + ":".join(f"{high << 8 | low:x}" for high, low in pairs)
