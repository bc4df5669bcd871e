"""State of a member of a consumer or share group, with Kafka's numbers (`MemberState`)."""

from enum import IntEnum


class MemberState(IntEnum):
    """Progress of a member towards its target assignment."""

    STABLE = 0
    UNREVOKED_PARTITIONS = 1
    """The member has to revoke partitions before its epoch advances."""
    UNRELEASED_PARTITIONS = 2
    """Other members have not released some of its partitions yet."""
    UNKNOWN = 127

    @classmethod
    def _missing_(cls, _value: object) -> "MemberState":
        return cls.UNKNOWN
