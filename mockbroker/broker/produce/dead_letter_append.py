"""Append of dead letters to their topics, as a producer with acks=all would do (KIP-1191)."""

from collections.abc import Iterator
from typing import Final

from mockbroker.broker.internal_records.dead_letter_record import (
    SourceRecords,
    build_dead_letters,
    read_sources,
)
from mockbroker.broker.produce.append import append_records
from mockbroker.broker.service import Service
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.records.batch import parse_batch_header
from mockbroker.protocol.types import Buffer
from mockbroker.state.replication.high_watermark import has_enough_replicas
from mockbroker.state.share.dead_letters.dead_letter import DeadLetters
from mockbroker.state.topic.topic import Partition

READ_BYTES_MAX: Final = 1 << 20


class DeadLetterAppender:
    """Writer of dead letters (the state's port `DeadLetterWriter`).

    It does not wait for followers that lag: as in Kafka, the records are archived in any case.
    """

    def __init__(self, service: Service) -> None:
        """Append to the logs of a cluster."""
        self._service: Final = service

    def write(self, letters: DeadLetters, to: Partition, *, is_copied: bool) -> int:
        """Append as many of the records as fit into a batch; return the offset of the last one.

        Raises:
            ApiError: the partition refuses the batch.

        """
        service = self._service
        service.read_clock()
        bytes_max = to.config.max_message_bytes
        sources = SourceRecords({}, letters.last_offset)
        if is_copied:
            sources = read_sources(letters, self._batches(letters), bytes_max=bytes_max)
        batch, last_offset = build_dead_letters(
            letters, sources, timestamp_ms=service.client_now_ms, bytes_max=bytes_max
        )
        if not has_enough_replicas(service.cluster.options, to):
            why = f"too few replicas of {to.topic_partition} are in sync"
            raise ApiError(ErrorCode.NOT_ENOUGH_REPLICAS, why)
        append_records(service, to, batch, allows_zstd=True)
        return last_offset

    def _batches(self, letters: DeadLetters) -> Iterator[Buffer]:
        """Yield the batches of the source, as far as they are committed and still there."""
        cluster, source = self._service.cluster, letters.source
        if cluster.partition(*source.topic_partition) is not source:
            return
        log = cluster.log_of(source, self._service.now_ms)
        offset, next_offset = -1, letters.first_offset
        while offset < next_offset <= letters.last_offset:
            offset = next_offset
            try:
                found = log.read(offset, max_bytes=READ_BYTES_MAX, up_to_offset=log.high_watermark)
            except ApiError:
                return
            next_offset = found.next_offset
            for data in found.buffers:
                # The last one may be only a part of a batch.
                if len(data) >= parse_batch_header(data).size_bytes:
                    yield data

    def refused(self, letters: DeadLetters, refusal: ApiError) -> None:
        """Log that records are archived without being dead letters."""
        self._service.refusals.note("dead_letters_refused", refusal, records=letters.name)
