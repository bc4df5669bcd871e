"""Topic expressions of consumer groups, which the coordinator resolves (KIP-848)."""

from mockbroker.protocol.schema.message import Message
from tests.conformance.consumer_groups import AT_ONCE, Member, describe_consumers
from tests.conformance.groups import await_group
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

NEWEST = ("4.4",)


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def consumers_subscribe_by_expressions(talk: Talk) -> None:
    talk.topic("red-1", partitions=2)
    talk.topic("red-2")
    group = "cg-regex"
    await_group(talk, group)
    for wrong in ("[a", "a)", "(a", "*a", "a**", "(?=a)", "a{2,1}", "\\y", "[b-a]", "a\\"):
        member = Member(talk=talk, group=group, topics=None, regex=wrong)
        member.join(f"joins for {wrong}")
    one = Member(talk=talk, group=group, topics=None, regex="red-.*")
    one.join()
    await_topics(talk, one, 2)
    describe_consumers(talk, "matched", group)
    two = Member(talk=talk, group=group, name="b", topics=None, regex="red-.*")
    two.join("joins for the same")
    one.beat("is told")
    one.beat("revoked", {"red-1": [0], "red-2": [0]})
    two.beat("gets its share")
    describe_consumers(talk, "two with one expression", group)
    two.regex, two.topics = "", ("red-2",)
    two.send("subscribes by name", two.full_request({}))
    describe_consumers(talk, "one by name", group)
    two.leave()
    one.leave()
    describe_consumers(talk, "empty", group)
    one.regex = "none-.*"
    one.join("joins for nothing")
    one.beat()
    describe_consumers(talk, "no match", group)


def await_topics(talk: Talk, member: Member, topics: int) -> None:
    """Have a member beat until its expression was resolved, without recording steps."""

    def has_topics(answer: Message) -> bool:
        member.epoch = int(getattr(answer, "member_epoch", 0))
        assignment = getattr(answer, "assignment", None)
        return assignment is not None and len(assignment.topic_partitions) == topics

    talk.until_quietly(member.request(), 1, has_topics)
