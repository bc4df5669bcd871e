"""Addresses that brokers advertise for their listeners; they can change at run time."""

from typing import NamedTuple

from mockbroker.settings.listener_settings import ListenerSettings, SecurityProtocol
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.config.own_configs import broker_endpoint, broker_identity


class ListenerInfo(NamedTuple):
    """A listener of a broker, as bound and as advertised."""

    name: str
    broker_id: int
    host: str
    """The host that it is bound to."""
    port: int
    advertised_host: str
    """The host that clients get in answers."""
    advertised_port: int
    security_protocol: SecurityProtocol


class AdvertisedListeners:
    """The listeners of all brokers, as bound and as advertised."""

    def __init__(self) -> None:
        """Start without listeners."""
        self._by_broker: dict[int, tuple[ListenerSettings, ...]] = {}

    @property
    def views(self) -> list[ListenerInfo]:
        """All listeners by broker, the main one of each first, with their present ports."""
        return [
            ListenerInfo(
                each.name,
                broker_id,
                each.host,
                each.port,
                each.advertised_host,
                each.advertised_port,
                each.security_protocol,
            )
            for broker_id, listeners in self._by_broker.items()
            for each in listeners
        ]

    def bound(self, broker_id: int, listener: ListenerSettings, port: int) -> None:
        """Add a listener with its bound port, which it advertises by default."""
        self._by_broker[broker_id] = (
            *self._by_broker.get(broker_id, ()),
            listener._replace(port=port, advertised_port=listener.advertised_port or port),
        )

    def advertise(self, name: str, host: str, port: int, broker_id: int | None = None) -> None:
        """Set the advertised address of a listener, for one broker or for all.

        With all brokers, the address is that of the first one, and each other broker has the next
        port.

        Raises:
            LookupError: there is no such broker, or it has no listener of that name.

        """
        chosen = list(self._by_broker) if broker_id is None else [broker_id]
        changed: dict[int, tuple[ListenerSettings, ...]] = {}
        for index, each in enumerate(chosen):
            listeners = self._by_broker.get(each)
            if listeners is None:
                known = ", ".join(map(str, self._by_broker))
                raise LookupError(f"there is no broker {each}; the brokers are {known}")
            if all(listener.name != name for listener in listeners):
                names = ", ".join(listener.name for listener in listeners)
                raise LookupError(
                    f"broker {each} has no listener {name}; its listeners are {names}"
                )
            changed[each] = tuple(
                listener._replace(advertised_host=host, advertised_port=port + index)
                if listener.name == name
                else listener
                for listener in listeners
            )
        self._by_broker |= changed

    def publish(self, state: ClusterState) -> None:
        """Copy the addresses to a cluster's state, which responses then contain."""
        release = state.options.release
        for broker_id, listeners in self._by_broker.items():
            main, *others = listeners
            state.set_endpoint(
                broker_id,
                main.advertised_host,
                main.advertised_port,
                {each.name: (each.advertised_host, each.advertised_port) for each in others},
            )
            bound = ((each.name, each.host, each.port) for each in listeners)
            advertised = (
                (each.name, each.advertised_host, each.advertised_port) for each in listeners
            )
            settings = {
                **broker_identity(release, broker_id),
                **broker_endpoint(
                    release,
                    ",".join(_written(*each) for each in bound),
                    ",".join(_written(*each) for each in advertised),
                ),
            }
            state.configs.set_broker_static(broker_id, settings)


def address(host: str, port: int) -> str:
    """Format an address as clients accept it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _written(name: str, host: str, port: int) -> str:
    return f"{name}://{address(host, port)}"
