/** @import { Schemas } from "../types/api.js" */
/** @import { Fault } from "./faults.js" */

/** The events that can end a hold; they count from the start of the hold. */
export const at = {
  /**
   * The marker of an aborted transaction in a partition, of any producer or of one.
   *
   * @param {string} topic
   * @param {number} partition
   * @param {number} [producerId]
   * @returns {Schemas["Event"]}
   */
  abortMarker: (topic, partition, producerId) => marker("abort", topic, partition, producerId),

  /**
   * The marker of a committed transaction in a partition, of any producer or of one.
   *
   * @param {string} topic
   * @param {number} partition
   * @param {number} [producerId]
   * @returns {Schemas["Event"]}
   */
  commitMarker: (topic, partition, producerId) => marker("commit", topic, partition, producerId),

  /**
   * The marker of any transaction in a partition, of any producer or of one.
   *
   * @param {string} topic
   * @param {number} partition
   * @param {number} [producerId]
   * @returns {Schemas["Event"]}
   */
  marker: (topic, partition, producerId) => marker("any", topic, partition, producerId),

  /**
   * A new producer epoch, or another producer id, of a transactional id.
   *
   * @param {string} transactionalId
   * @returns {Schemas["Event"]}
   */
  epochBump: (transactionalId) => ({ epoch_bump: transactionalId }),

  /**
   * A state of a transactional id, named as in Kafka: `CompleteAbort`.
   *
   * @param {string} transactionalId
   * @param {string} state
   * @returns {Schemas["Event"]}
   */
  transactionState: (transactionalId, state) => ({
    transaction_state: { transactional_id: transactionalId, state },
  }),

  /**
   * A number of hits of another fault, or of calls that it held or released, from its start.
   *
   * @param {Fault | string} fault The fault, or its id.
   * @param {{ hits?: number, held?: number, released?: number }} [counts]
   * @returns {Schemas["Event"]}
   */
  fault: (fault, counts = {}) => ({
    fault: typeof fault === "string" ? fault : fault.id,
    ...counts,
  }),

  /**
   * A number of records in a topic, or in one partition of it, from the start of its log.
   *
   * @param {number} count
   * @param {string} topic
   * @param {number} [partition]
   * @returns {Schemas["Event"]}
   */
  records: (count, topic, partition) => ({ records: count, topic, partition }),

  /**
   * A log end offset of a partition, which markers of transactions move as well.
   *
   * @param {number} offset
   * @param {string} topic
   * @param {number} partition
   * @returns {Schemas["Event"]}
   */
  logEndOffset: (offset, topic, partition) => ({ log_end_offset: offset, topic, partition }),
};

/**
 * @param {"abort" | "commit" | "any"} kind
 * @param {string} topic
 * @param {number} partition
 * @param {number} [producerId]
 * @returns {Schemas["Event"]}
 */
function marker(kind, topic, partition, producerId) {
  return { marker: kind, topic, partition, producer_id: producerId };
}
