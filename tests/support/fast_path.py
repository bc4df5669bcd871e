"""The fast path of Produce on its own."""

from mockbroker.broker.call import ANONYMOUS
from mockbroker.broker.produce.fast_path.produce_path import ProducePath
from tests.support.in_process import Brokers


def path_of(brokers: Brokers, broker_id: int = 1) -> ProducePath:
    """Return the fast path of a connection to a broker, for all versions with batches."""
    return ProducePath(brokers.service, broker_id, range(3, 14), 0, ANONYMOUS)


def answers(path: ProducePath, frame: bytes | bytearray) -> bool:
    """Tell whether the fast path answers a frame; the general path would take the others."""
    return path.answer(frame, 0, len(frame)) is not None
