"""Proposals for Kafka that were never shipped, each enabled by name.

They are off in every release. A cluster with proposals behaves like no released Kafka, but lets
clients be tested before, or instead of, a change of Kafka.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.state.config.definition import topic_definitions
from mockbroker.state.release.options import Options

MESSAGE_FORMAT: Final = "message.format.version"


class Proposal(NamedTuple):
    """One proposal: its name, the option that it sets, its effect, and what it needs."""

    name: str
    option: str
    """The field of `Options` that it sets."""
    kip: str
    does: str
    api: ApiKey | None = None
    """The API that it extends."""
    from_version: int = 0
    """The first version of that API that it extends; a release without it cannot have it."""
    topic_config: str = ""
    """The topic config that it gives an effect; a release without it cannot have it."""

    def obstacle(self, options: Options) -> str | None:
        """Return why it cannot act on a release; None if it can."""
        release = f"Kafka {options.release}"
        if getattr(Options.for_release(options.release), self.option):
            return f"{release} does this without the proposal"
        if self.api is not None and self.from_version not in options.api_versions[self.api]:
            return f"it extends {self.api.title} v{self.from_version}, which {release} lacks"
        if self.topic_config and self.topic_config not in topic_definitions(options.release):
            return f"{release} has no topic config {self.topic_config}"
        return None


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
        api=ApiKey.INIT_PRODUCER_ID,
        from_version=3,
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
        api=ApiKey.METADATA,
        from_version=9,
    ),
    Proposal(
        "old-message-formats",
        "keeps_old_message_formats",
        "KIP-192",
        "keeps topics whose message.format.version is before 0.11 in that format, without"
        " idempotence",
        topic_config=MESSAGE_FORMAT,
    ),
    Proposal(
        "duplicate-sequence-number",
        "duplicate_without_metadata",
        "KIP-192",
        "returns DUPLICATE_SEQUENCE_NUMBER for a retried batch that is no longer cached,"
        " as 1.0 did",
    ),
)
"""All proposals, grouped by KIP."""

_BY_NAME: Final = {proposal.name: proposal for proposal in PROPOSALS}


def with_proposals(options: Options, names: Iterable[str]) -> Options:
    """Return options with proposals enabled.

    Raises:
        ValueError: For an unknown name, with the known ones; for one that cannot act on the
            release, with the reason.

    """
    values: dict[str, Any] = options._asdict()
    for name in names:
        proposal = _BY_NAME.get(name)
        if proposal is None:
            raise ValueError(f"there is no such proposal; the proposals are {', '.join(_BY_NAME)}")
        obstacle = proposal.obstacle(options)
        if obstacle is not None:
            raise ValueError(f"the proposal would change nothing: {obstacle}")
        values[proposal.option] = True
    changed = Options._make(values.values())
    if not (changed.describe_transaction_state or changed.fences_first_write):
        return changed
    extension = {ApiKey.DESCRIBE_TRANSACTION_STATE: range(1)}
    return changed._replace(api_versions={**changed.api_versions, **extension})


def proposals_of(release: str) -> list[str]:
    """Return the names of the proposals that can act on a release."""
    options = Options.for_release(release)
    return [each.name for each in PROPOSALS if each.obstacle(options) is None]
