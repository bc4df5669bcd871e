// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** One row of the journal, without its empty columns. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record EntryView(
    @JsonProperty("seq") long seq,
    @JsonProperty("kind") String kind,
    @JsonProperty("wall_time_us") long wallTimeUs,
    @JsonProperty("virtual_time_ms") long virtualTimeMs,
    @JsonProperty("call") Long call,
    @JsonProperty("broker") Integer broker,
    @JsonProperty("connection") Long connection,
    @JsonProperty("client_id") String clientId,
    @JsonProperty("principal") String principal,
    @JsonProperty("api") String api,
    @JsonProperty("version") Integer version,
    @JsonProperty("correlation_id") Long correlationId,
    @JsonProperty("group") String group,
    @JsonProperty("transactional_id") String transactionalId,
    @JsonProperty("topic") String topic,
    @JsonProperty("partition") Integer partition,
    @JsonProperty("leader_epoch") Integer leaderEpoch,
    @JsonProperty("producer_id") Long producerId,
    @JsonProperty("producer_epoch") Integer producerEpoch,
    @JsonProperty("base_sequence") Integer baseSequence,
    @JsonProperty("record_count") Integer recordCount,
    @JsonProperty("crc") Long crc,
    @JsonProperty("is_transactional") Boolean isTransactional,
    @JsonProperty("is_duplicate") Boolean isDuplicate,
    @JsonProperty("marker") String marker,
    @JsonProperty("coordinator_epoch") Integer coordinatorEpoch,
    @JsonProperty("acks") Integer acks,
    @JsonProperty("base_offset") Long baseOffset,
    @JsonProperty("last_offset") Long lastOffset,
    @JsonProperty("log_start_offset") Long logStartOffset,
    @JsonProperty("last_stable_offset") Long lastStableOffset,
    @JsonProperty("high_watermark") Long highWatermark,
    @JsonProperty("log_end_offset") Long logEndOffset,
    @JsonProperty("error") String error,
    @JsonProperty("rule") String rule,
    @JsonProperty("effect") String effect,
    @JsonProperty("applied") String applied,
    @JsonProperty("state_before") String stateBefore,
    @JsonProperty("state_after") String stateAfter,
    @JsonProperty("record_ids") String recordIds,
    @JsonProperty("detail") String detail) {
}

