"""Fields of a batch header in wire order, and the positions of some of them."""

from typing import Final

HEADER_FIELDS: Final = (
    "base_offset",
    "batch_length",
    "partition_leader_epoch",
    "magic",
    "crc",
    "attributes",
    "last_offset_delta",
    "base_timestamp",
    "max_timestamp",
    "producer_id",
    "producer_epoch",
    "base_sequence",
    "record_count",
)

BASE_OFFSET: Final = HEADER_FIELDS.index("base_offset")
BATCH_LENGTH: Final = HEADER_FIELDS.index("batch_length")
ATTRIBUTES: Final = HEADER_FIELDS.index("attributes")
MAX_TIMESTAMP: Final = HEADER_FIELDS.index("max_timestamp")
PRODUCER_ID: Final = HEADER_FIELDS.index("producer_id")
PRODUCER_EPOCH: Final = HEADER_FIELDS.index("producer_epoch")
BASE_SEQUENCE: Final = HEADER_FIELDS.index("base_sequence")
RECORD_COUNT: Final = HEADER_FIELDS.index("record_count")
