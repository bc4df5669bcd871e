"""Opening the HTTP API of a cluster."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from mockbroker.events.printable import write_error
from mockbroker.http.address import DEFAULT_HOST, DEFAULT_PORT
from mockbroker.http.admin_port import EXTRA, AdminPort, is_installed
from mockbroker.settings.serve_options import ServeOptions

if TYPE_CHECKING:
    from mockbroker.control.running_cluster import RunningCluster


class AdminError(Exception):
    """The HTTP API cannot be opened as configured."""


async def open_port(
    cluster: "RunningCluster",
    host: str,
    port: int,
    shut_down: Callable[[], None] | None = None,
    *,
    has_tls: bool = False,
) -> None:
    """Open a cluster's HTTP API; `shut_down` stops the process, if HTTP requests may do that.

    Raises:
        OSError: the port is taken.
        RuntimeError: TLS is wanted, and the cluster issues no certificates.

    """
    admin = AdminPort(cluster, host, port, shut_down, has_tls=has_tls)
    await admin.start()
    cluster.admin = admin


async def open_admin(
    cluster: "RunningCluster", options: ServeOptions, shut_down: Callable[[], None] | None
) -> None:
    """Open the HTTP API that the options describe, or print one line with the reason why not.

    Raises:
        AdminError: the port or the address that was asked for cannot be used.

    """
    if options.no_admin:
        return
    is_wanted = options.admin_port is not None
    if not is_installed():
        if is_wanted:
            raise AdminError(f"--admin-port={options.admin_port} needs more packages: {EXTRA}")
        write_error(f"the admin port is off; it needs more packages: {EXTRA}")
        return
    port = options.admin_port
    if port is None:
        port = 0 if options.port == 0 else DEFAULT_PORT
    host = options.admin_host or DEFAULT_HOST
    try:
        await open_port(cluster, host, port, shut_down, has_tls=options.admin_tls)
    except RuntimeError as error:
        raise AdminError(f"--admin-tls: {error}") from None
    except OSError as error:
        why = f"cannot listen on {error.filename}: {error.strerror}"
        if options.admin_host is not None:
            raise AdminError(f"--admin-host={host}: {why}") from None
        if is_wanted:
            raise AdminError(f"{why}; choose another --admin-port") from None
        write_error(f"the admin port is off: {why}; choose another --admin-port")
