"""Proposals for Kafka that were never shipped, each enabled by name.

They are off in every release. A cluster with proposals behaves like no released Kafka, but lets
clients be tested before, or instead of, a change of Kafka.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.state.release.options import Options


class Proposal(NamedTuple):
    """One proposal: its name, the option that it sets, and its effect."""

    name: str
    option: str
    """The field of `Options` that it sets."""
    kip: str
    does: str


PROPOSALS: Final = (
    Proposal(
        "describe-transaction-state",
        "describe_transaction_state",
        "KIP-360 (draft)",
        f"serves DescribeTransactionState, API key {int(ApiKey.DESCRIBE_TRANSACTION_STATE)}",
    ),
    Proposal(
        "last-epoch",
        "transaction_log_holds_last_epoch",
        "KIP-360 (draft)",
        "stores LastEpoch in the transaction log, so that a new coordinator recognises a retried"
        " epoch bump",
    ),
    Proposal(
        "first-write-fencing",
        "fences_first_write",
        "KIP-360 (draft)",
        "before the first write of a producer without state, asks the coordinator whether it is"
        " fenced, by DescribeTransactionState",
    ),
    Proposal(
        "topic-metadata",
        "metadata_has_topic_limits",
        "KIP-192",
        "adds MessageFormatVersion and MaxMessageBytes to the topics of Metadata v9 and later",
    ),
    Proposal(
        "old-message-formats",
        "keeps_old_message_formats",
        "KIP-192",
        "keeps topics whose message.format.version is before 0.11 in that format, without"
        " idempotence",
    ),
    Proposal(
        "duplicate-sequence-number",
        "duplicate_without_metadata",
        "KIP-192",
        "returns DUPLICATE_SEQUENCE_NUMBER for a retried batch that is no longer cached",
    ),
)
"""All proposals, grouped by KIP."""

_BY_NAME: Final = {proposal.name: proposal for proposal in PROPOSALS}


def with_proposals(options: Options, names: Iterable[str]) -> Options:
    """Return options with proposals enabled.

    Raises:
        ValueError: For an unknown name, with the known ones.

    """
    values: dict[str, Any] = options._asdict()
    for name in names:
        proposal = _BY_NAME.get(name)
        if proposal is None:
            raise ValueError(f"there is no such proposal; the proposals are {', '.join(_BY_NAME)}")
        values[proposal.option] = True
    changed = Options._make(values.values())
    if not (changed.describe_transaction_state or changed.fences_first_write):
        return changed
    extension = {ApiKey.DESCRIBE_TRANSACTION_STATE: range(1)}
    return changed._replace(api_versions={**changed.api_versions, **extension})
