"""Explained differences of clusters with an authorizer."""

from typing import Final

from tests.conformance.explained import Explained, Place
from tests.conformance.releases import between, defaults_since

WITH_KRAFT: Final = defaults_since("3.6")
BEFORE_4: Final = between("3.6", "3.9")

OF_RIGHTS: Final[tuple[Explained, ...]] = (
    Explained(
        what="The message for a client without a right to the cluster is short",
        kafka="quotes its own object for the request, with an address in memory",
        ours="has Kafka's message of the error code, or none",
        reason="No client can read anything from it.",
        places=tuple(
            Place("rights_to_the_cluster", f"{api}, v*", "*error_message", presets)
            for api, presets in (
                ("DescribeAcls", ()),
                ("AlterPartitionReassignments", defaults_since("2.4")),
                ("ListPartitionReassignments", defaults_since("2.4")),
                ("ElectLeaders", WITH_KRAFT),
                ("UpdateFeatures", WITH_KRAFT),
            )
        ),
    ),
    Explained(
        what="OffsetCommit v0 of topics without the right to any of them is refused as any other",
        kafka="refuses it in 3.6 and 3.9 for the missing right, and any other one for its version",
        ours="refuses each OffsetCommit v0 for its version",
        reason="No OffsetCommit v0 is served in those releases.",
        places=(Place("rights_to_groups", "commit closed in g-open, v0", "*", BEFORE_4),),
    ),
    Explained(
        what="OffsetFetch v1 without a right to the group lists the partitions",
        kafka="lists no partition in 3.6 and 3.9, so that no place is left for the error",
        ours="lists each partition with the error, as all other releases do",
        reason="A client of that version could not tell the error from a group without offsets.",
        places=(Place("rights_to_groups", "fetch of g-closed, v1", "topics.*", BEFORE_4),),
    ),
)
