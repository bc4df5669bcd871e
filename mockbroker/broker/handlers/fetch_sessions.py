"""Fetch sessions of each broker."""

from typing import Final

from mockbroker.broker.service import Service
from mockbroker.state.fetch.fetch_manager import FetchManager
from mockbroker.state.fetch.fetch_session_cache import FetchSessionCache

_SLOTS: Final = "max.incremental.fetch.session.cache.slots"
_SESSION_IDS: Final = (1 << 31) - 1


def fetch_manager(service: Service, broker_id: int) -> FetchManager:
    """Return the fetch sessions of one broker."""
    manager = service.fetch_managers.get(broker_id)
    if manager is None:

        def new_session_id() -> int:
            return 1 + service.session_random.below(_SESSION_IDS)

        cluster = service.cluster
        slots = cluster.configs.broker_integer(_SLOTS, broker_id)
        manager = service.fetch_managers[broker_id] = FetchManager(
            FetchSessionCache(new_session_id, slots=slots),
            rotates_all_news=cluster.options.fetch.session_rotates_all_news,
        )
    return manager
