"""Journal of brokers without sockets."""

from mockbroker.journal.entry import Entry
from mockbroker.journal.entry_recorder import EntryRecorder
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.recorded import Recorded
from mockbroker.journal.recorder import Recorder
from mockbroker.journal.ring import Ring
from tests.support.in_process import Brokers


class Notes:
    """Recorder of all events as entries."""

    def __init__(
        self, brokers: Brokers, entries_max: int = 100_000, numbers: Recorder | None = None
    ) -> None:
        self.numbers = Recorder(lambda: brokers.service) if numbers is None else numbers
        self.recorder = EntryRecorder(self.numbers, brokers.state.topics)
        self.ring = Ring(entries_max)
        self.recorder.stores.append(self.ring)
        self.expansion = Expansion(self.recorder.topic_names)

    def recorded(self) -> list[Recorded]:
        """Return the events recorded so far."""
        return self.ring.recorded()

    def entries(self, *kinds: str) -> list[Entry]:
        """Return the entries so far, of some kinds or of all."""
        found = [each for recorded in self.recorded() for each in self.expansion.entries(recorded)]
        return [each for each in found if not kinds or each.kind in kinds]

    def kinds(self) -> list[str]:
        """Return the kinds of the entries, except opened and closed connections."""
        apart = {"connected", "disconnected"}
        return [each.kind for each in self.entries() if each.kind not in apart]


def timeless(entries: list[Entry]) -> list[Entry]:
    """Return entries without the real time."""
    return [each._replace(wall_time_us=0) for each in entries]
