"""Groups with offsets committed in and outside of transactions, and their records."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests.conformance.offsets_log import note_offsets_log
from tests.conformance.releases import EVERYWHERE
from tests.conformance.scenarios.transactional_offsets import (
    await_committed,
    await_marker,
    see_offsets,
)
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transactions import (
    Member,
    Style,
    Transactor,
    add_offsets,
    await_complete,
    await_coordinator,
    offset_commit,
    styles,
)


def plainly(talk: Talk, group: str, *offsets: tuple[str, int, int]) -> OffsetCommitRequest:
    """Commit offsets outside of any transaction, each a (topic, partition, offset)."""
    topics: dict[str, OffsetCommitRequestTopic] = {}
    for name, index, offset in offsets:
        topic = topics.setdefault(
            name, OffsetCommitRequestTopic(name=name, topic_id=talk.id_of(name))
        )
        topic.partitions.append(
            OffsetCommitRequestPartition(
                partition_index=index, committed_offset=offset, committed_metadata="p"
            )
        )
    return OffsetCommitRequest(
        group_id=group, generation_id_or_member_epoch=-1, topics=list(topics.values())
    )


class Committer:
    """A transactional producer that commits offsets for one group."""

    def __init__(self, talk: Talk, name: str, group: str, style: Style) -> None:
        """Create a producer without a transaction."""
        self.talk = talk
        self.group = group
        self.transactor = Transactor(talk, name, style)
        self.transactor.init()

    def commit(self, title: str, topic: str, index: int, offset: int) -> None:
        """Add the group's offsets if clients of this style do so, and commit one offset."""
        one = self.transactor
        who, style = one.producer, one.style
        if not style.bumps:
            one.send(None, add_offsets(one.transactional_id, who, self.group), style.add_offsets)
        request = offset_commit(
            self.talk, one.transactional_id, who, Member(group=self.group), (topic, index, offset)
        )
        one.send(title, request, style.offset_commit)

    def end(self, title: str, *, committed: bool) -> None:
        """End the transaction, and wait until the coordinator has completed it."""
        self.transactor.end(title, committed=committed)
        await_complete(self.talk, self.transactor, committed=committed)
        await_marker(self.talk)


@scenario(transactional=True, presets=EVERYWHERE)
def offsets_beside_transactions(talk: Talk) -> None:
    newest = talk.latest(ApiKey.OFFSET_COMMIT)
    for style in styles(talk.release):
        name = f"beside-{style.name}"
        how = style.name
        talk.topic(name, partitions=2)
        await_coordinator(talk, name, 0)
        one = Committer(talk, name, name, style)
        one.commit(f"pending: 5, {how}", name, 0, 5)
        beside = plainly(talk, name, (name, 0, 9), (name, 1, 4))
        talk.ask_patiently(f"beside it: 9, {how}", beside, newest)
        see_offsets(talk, f"pending, {how}", name, name)
        one.end(f"commit, {how}", committed=True)
        see_offsets(talk, f"committed, {how}", name, name)
        one.commit(f"pending: 11, {how}", name, 0, 11)
        one.commit(f"pending: 12, {how}", name, 0, 12)
        see_offsets(talk, f"pending again, {how}", name, name)
        one.end(f"abort, {how}", committed=False)
        see_offsets(talk, f"aborted, {how}", name, name)
        one.commit(f"pending: 13, {how}", name, 0, 13)
        one.end(f"commit again, {how}", committed=True)
        see_offsets(talk, f"committed again, {how}", name, name)
        talk.ask_patiently(f"back to 2, {how}", plainly(talk, name, (name, 0, 2)), newest)
        see_offsets(talk, f"back, {how}", name, name)


@scenario(transactional=True, presets=EVERYWHERE)
def offsets_of_two_producers(talk: Talk) -> None:
    *_, style = styles(talk.release)
    talk.topic("both", partitions=2)
    await_coordinator(talk, "both", 0)
    one, two = (Committer(talk, f"both-{index}", "both", style) for index in range(2))
    one.commit("one: 5", "both", 0, 5)
    two.commit("two: 7", "both", 0, 7)
    two.commit("two: 1, elsewhere", "both", 1, 1)
    see_offsets(talk, "both are open", "both", "both")
    two.end("two commits", committed=True)
    see_offsets(talk, "one is open", "both", "both")
    one.end("one commits", committed=True)
    await_committed(talk, "both", "both")
    see_offsets(talk, "none is open", "both", "both")
    one.commit("one: 20", "both", 0, 20)
    two.commit("two: 30", "both", 0, 30)
    one.end("one aborts", committed=False)
    see_offsets(talk, "two is open", "both", "both")
    two.end("two commits again", committed=True)
    await_committed(talk, "both", "both")
    see_offsets(talk, "none is open again", "both", "both")


@scenario(transactional=True, settings={"offset.metadata.max.bytes": "10"}, presets=EVERYWHERE)
def offsets_with_long_texts(talk: Talk) -> None:
    *_, style = styles(talk.release)
    talk.topic("texts", partitions=3)
    await_coordinator(talk, "texts", 0)
    one = Transactor(talk, "texts", style)
    who = one.init()
    if not style.bumps:
        one.send(None, add_offsets("texts", who, "texts"), style.add_offsets)
    for lengths in ((10, 11, 0), (11, 11, 11), (-1, 3, 10)):
        request = offset_commit(
            talk, "texts", who, Member(group="texts"), *(("texts", index, 5) for index in range(3))
        )
        for partition, length in zip(request.topics[0].partitions, lengths, strict=True):
            partition.committed_metadata = None if length < 0 else "x" * length
        talk.ask_patiently(f"of {lengths}", request, style.offset_commit)
        newest = talk.latest(ApiKey.OFFSET_COMMIT)
        beside = plainly(talk, "texts", *(("texts", index, 6) for index in range(3)))
        for each, length in zip(beside.topics[0].partitions, lengths, strict=True):
            each.committed_metadata = None if length < 0 else "x" * length
        talk.ask_patiently(f"of {lengths}, beside", beside, newest)
    one.end("commit", committed=True)


@scenario(alone=True, presets=EVERYWHERE)
def the_offsets_log(talk: Talk) -> None:
    talk.topic("logged", partitions=2)
    await_coordinator(talk, "logged", 0)
    newest = talk.latest(ApiKey.OFFSET_COMMIT)
    for style in styles(talk.release):
        one = Committer(talk, f"logged-{style.name}", "logged", style)
        one.commit(f"commit 5, {style.name}", "logged", 0, 5)
        one.commit(f"commit 6, {style.name}", "logged", 1, 6)
        one.end(f"commit, {style.name}", committed=True)
        one.commit(f"commit 7, {style.name}", "logged", 0, 7)
        one.end(f"abort, {style.name}", committed=False)
    beside = plainly(talk, "logged", ("logged", 0, 9), ("logged", 1, 4))
    talk.ask_patiently("beside it", beside, newest)
    for partition in range(3):
        note_offsets_log(talk, f"partition {partition}", partition)
