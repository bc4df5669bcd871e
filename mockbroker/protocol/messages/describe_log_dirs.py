"""DescribeLogDirs: describe the log directories of a broker (KIP-113)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BOOL,
    INT16,
    INT32,
    INT64,
    STRING,
    Message,
    Struct,
    array,
    field,
)


class DescribableLogDirTopic(Struct):
    topic: str = field(STRING)
    partitions: list[int] = field(array(INT32))


class DescribeLogDirsRequest(
    Message, api=ApiKey.DESCRIBE_LOG_DIRS, kind="request", versions="0-5", flexible="2+"
):
    topics: list[DescribableLogDirTopic] | None = field(
        array(DescribableLogDirTopic), nullable="0+"
    )


class DescribeLogDirsPartition(Struct):
    partition_index: int = field(INT32)
    partition_size: int = field(INT64)
    offset_lag: int = field(INT64)
    is_future_key: bool = field(BOOL)


class DescribeLogDirsTopic(Struct):
    name: str = field(STRING)
    partitions: list[DescribeLogDirsPartition] = field(array(DescribeLogDirsPartition))


class DescribeLogDirsResult(Struct):
    error_code: int = field(INT16)
    log_dir: str = field(STRING)
    topics: list[DescribeLogDirsTopic] = field(array(DescribeLogDirsTopic))
    total_bytes: int = field(INT64, "4+", default=-1)
    usable_bytes: int = field(INT64, "4+", default=-1)
    is_cordoned: bool = field(BOOL, "5+")


class DescribeLogDirsResponse(
    Message, api=ApiKey.DESCRIBE_LOG_DIRS, kind="response", versions="0-5", flexible="2+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16, "3+")
    results: list[DescribeLogDirsResult] = field(array(DescribeLogDirsResult))
