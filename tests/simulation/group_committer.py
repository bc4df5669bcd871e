"""Base of the models that commit how far a group is in the transaction with what they write."""

from mockbroker.protocol.messages.add_offsets_to_txn import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
)
from mockbroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
)
from mockbroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
)
from tests.simulation.model_client import GROUPS, TRANSACTIONS
from tests.simulation.steps import Steps
from tests.simulation.transactional_producer import TransactionalProducer


class GroupCommitter(TransactionalProducer):
    """A transactional producer with the offsets of a group."""

    group: str
    topic: str
    member_id = ""
    generation = -1
    """Or the member epoch; -1 outside of the group."""

    def committed(self, index: int) -> Steps[int]:
        """Return the group's offset in a partition, once no transaction can change it any more.

        Raises:
            GaveUp: it was refused.

        """
        request = OffsetFetchRequest(
            group_id=self.group,
            topics=[OffsetFetchRequestTopic(name=self.topic, partition_indexes=[index])],
            require_stable=True,
        )
        answer = yield from self.ask_coordinator(
            GROUPS, self.group, request, 7, OffsetFetchResponse,
            lambda given: given.error_code or given.topics[0].partitions[0].error_code,
        )  # fmt: skip
        return max(0, answer.topics[0].partitions[0].committed_offset)

    def commit_offset(self, index: int, offset: int) -> Steps[None]:
        """Commit an offset in the open transaction.

        Raises:
            GaveUp: it was refused, or cannot be known to be done.

        """
        if not self.world.is_transaction_version_2:
            adding = AddOffsetsToTxnRequest(
                transactional_id=self.transactional_id,
                producer_id=self.producer[0],
                producer_epoch=self.producer[1],
                group_id=self.group,
            )
            yield from self.ask_coordinator(
                TRANSACTIONS, self.transactional_id, adding, 3, AddOffsetsToTxnResponse,
                lambda given: given.error_code,
            )  # fmt: skip
        partition = TxnOffsetCommitRequestPartition(partition_index=index, committed_offset=offset)
        request = TxnOffsetCommitRequest(
            transactional_id=self.transactional_id,
            group_id=self.group,
            producer_id=self.producer[0],
            producer_epoch=self.producer[1],
            generation_id_or_member_epoch=self.generation,
            member_id=self.member_id,
            topics=[TxnOffsetCommitRequestTopic(name=self.topic, partitions=[partition])],
        )
        version = 5 if self.world.is_transaction_version_2 else 3
        yield from self.ask_coordinator(
            GROUPS, self.group, request, version, TxnOffsetCommitResponse,
            lambda given: given.topics[0].partitions[0].error_code,
        )  # fmt: skip
