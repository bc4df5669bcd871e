"""What is known of all evidence before its shards are judged."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from mockbroker.audit.cluster.present_states import ASKED
from mockbroker.audit.judgement import Judgement
from mockbroker.audit.rule_context import Machine
from mockbroker.audit.runs.run import COORDINATORS_LOG, RESET, Run, exact_kind
from mockbroker.audit.shards.outcome import Place, ShardOutcome
from mockbroker.audit.shards.survey import Survey
from mockbroker.audit.source import THRESHOLDS, Source, Thresholds


class Known:
    """What is known of all evidence before its shards are judged."""

    def __init__(
        self,
        source: Source,
        survey: Survey,
        thresholds: Thresholds = THRESHOLDS,
        beside: Iterable[Run] = (),
    ) -> None:
        """Take the survey of all rows, and the runs of no row."""
        self.source: Final = source
        self.thresholds: Final = thresholds
        self._events: Final[list[Run]] = []
        self._of_topics: Final[defaultdict[str, list[Run]]] = defaultdict(list)
        self._cuts: Final[defaultdict[Place, list[Run]]] = defaultdict(list)
        self._stale: set[tuple[Place, int]] = set()
        self.wanted: frozenset[int] = frozenset()
        """The producers whose decisions tell what is lost."""
        for run in sorted(survey.wide, key=lambda each: each.seq):
            known = self._events if run.topic is None else self._of_topics[run.topic]
            known.append(run)

        self.resets: Final = [run for run in self._events if exact_kind(run) == RESET]
        self.news: Final = [*self.resets]
        """What all producers have to know: resets, and truncations of the coordinators' log."""
        self.last_time_ms: Final = survey.latest[1] if self.resets else survey.last_time_ms
        for run in beside:
            if run.kind == ASKED:
                self._cuts[run.place].append(run)

    def learn(self, partitions: ShardOutcome) -> None:
        """Take what the partitions tell about their logs."""
        for run in partitions.truncations:
            self._cuts[run.place].append(run)
            if run.topic == COORDINATORS_LOG:
                self.news.append(run)
        self._stale = partitions.stale
        self.wanted = frozenset(each for log in partitions.losses for each in log.producers)

    def judgement(self, machines: Sequence[type[Machine]]) -> Judgement:
        """Begin a shard, which some machines see."""
        return Judgement(self.source, self.thresholds, machines, self.last_time_ms)

    def of_topic(self, topic: str | None) -> Sequence[Run]:
        """Return the wide runs of a topic."""
        return () if topic is None else self._of_topics.get(topic, ())

    def is_deleted(self, topic: str | None) -> bool:
        """Return whether a topic was ever deleted."""
        return any(run.kind == "topic_deleted" for run in self.of_topic(topic))

    def of_place(self, place: Place) -> Sequence[Run]:
        """Return the truncations of a partition, and its end when coordinators were asked."""
        return self._cuts.get(place, ())

    @property
    def events(self) -> Sequence[Run]:
        """The wide runs of no topic."""
        return self._events

    def is_stale(self, run: Run) -> bool:
        """Return whether a run is in no log."""
        return (
            bool(self._stale) and run.partition is not None and (run.place, run.seq) in self._stale
        )
