"""Records in the partitions of `__share_group_state`."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.share.share_log_record import (
    ShareGroupOffset,
    ShareLogRecord,
    ShareSnapshot,
    ShareUpdate,
)
from mockbroker.state.share.topic_share_log import TopicShareLog
from mockbroker.state.topic.topic import SHARE_GROUP_STATE
from tests.state.share.coordinator_clusters import coordinating, key_of


def test_records_are_read_in_order() -> None:
    cluster = coordinating()
    key = key_of(cluster)
    log = TopicShareLog(1, cluster)
    offset = ShareGroupOffset(0, 0, 0, 5, 0)
    records: list[ShareLogRecord] = [
        ShareSnapshot(key, offset),
        ShareUpdate(key, offset),
        ShareSnapshot(key, None),
    ]
    for record in records:
        log.append(0, record, coordinator_epoch=0, now_ms=7)
    assert list(log.read(0)) == records


@pytest.mark.parametrize(
    ("index", "code"), [(0, ErrorCode.NOT_COORDINATOR), (9, ErrorCode.COORDINATOR_NOT_AVAILABLE)]
)
def test_a_failed_append_has_the_code_for_clients(index: int, code: ErrorCode) -> None:
    cluster = coordinating()
    partition = cluster.partition(SHARE_GROUP_STATE, 0)
    assert partition is not None
    partition.leader_id = 2
    record = ShareSnapshot(key_of(cluster), None)
    with pytest.raises(ApiError) as caught:
        TopicShareLog(1, cluster).append(index, record, coordinator_epoch=0, now_ms=0)
    assert caught.value.code is code
    assert list(TopicShareLog(1, cluster).read(0)) == []
