/** @import { AdminClient } from "./client.js" */
/** @import { Schemas } from "../types/api.js" */
/** Partition of a topic. */
export class Partition {
    /**
     * @param {AdminClient} api
     * @param {string} topic
     * @param {number} partition
     */
    constructor(api: AdminClient, topic: string, partition: number);
    /** The name of its topic. */
    topic: string;
    /** Its number. */
    partition: number;
    /**
     * Show its replicas and the offsets of its log, such as `log_end_offset`.
     *
     * @returns {Promise<Schemas["PartitionView"]>}
     */
    view(): Promise<Schemas["PartitionView"]>;
    /**
     * Return the records that consumers with an isolation level can read.
     *
     * @param {{ isolation?: "read_committed" | "read_uncommitted", from?: number, limit?: number }} [query]
     *   The isolation level (`read_uncommitted`), the first offset (0), and how many at most (1000).
     * @returns {Promise<Schemas["RecordView"][]>}
     */
    records(query?: {
        isolation?: "read_committed" | "read_uncommitted";
        from?: number;
        limit?: number;
    }): Promise<Schemas["RecordView"][]>;
    /**
     * Return the values of these records as text.
     *
     * @param {Parameters<Partition["records"]>[0]} [query]
     * @returns {Promise<(string | null)[]>} A null is a tombstone, or is no text.
     */
    values(query?: Parameters<Partition["records"]>[0]): Promise<(string | null)[]>;
    /**
     * Append a record without a client, as a producer with acks=1.
     *
     * @param {string | null} value
     * @param {Omit<Schemas["RecordDocument"], "value" | "partition">} [options]
     * @returns {Promise<number>} Its offset.
     */
    append(value: string | null, options?: Omit<Schemas["RecordDocument"], "value" | "partition">): Promise<number>;
    /**
     * Show the batches of the log, markers included.
     *
     * @param {{ from?: number, limit?: number }} [query] The first offset (0), and how many at most (100).
     * @returns {Promise<Schemas["BatchView"][]>}
     */
    batches(query?: {
        from?: number;
        limit?: number;
    }): Promise<Schemas["BatchView"][]>;
    /**
     * Show the producers that the leader knows.
     *
     * @returns {Promise<Schemas["ProducerView"][]>}
     */
    producers(): Promise<Schemas["ProducerView"][]>;
    /**
     * Elect a leader: the next replica in turn, or the one on a broker.
     *
     * @param {Omit<Schemas["ElectDocument"], "topic" | "partition">} [options] The broker (`to`), and what the new leader knows.
     * @returns {Promise<number>} The new leader.
     */
    elect(options?: Omit<Schemas["ElectDocument"], "topic" | "partition">): Promise<number>;
    /**
     * Show its replicas, the preferred leader first, each with its offsets and the producers that it knows.
     *
     * @returns {Promise<Schemas["ReplicaView"][]>}
     */
    replicas(): Promise<Schemas["ReplicaView"][]>;
    /**
     * Stop the fetches of a replica from the leader, while it stays in sync.
     *
     * @param {number} broker The broker of the replica.
     * @returns {Promise<Schemas["PartitionView"]>}
     */
    lag(broker: number): Promise<Schemas["PartitionView"]>;
    /**
     * Remove a replica from the in-sync replicas.
     *
     * @param {number} broker The broker of the replica.
     * @returns {Promise<Schemas["PartitionView"]>}
     */
    loseReplica(broker: number): Promise<Schemas["PartitionView"]>;
    /**
     * Let one replica, or all whose brokers run, catch up and be in sync again.
     *
     * @param {number} [broker] The broker of the replica.
     * @returns {Promise<Schemas["PartitionView"]>}
     */
    catchUp(broker?: number): Promise<Schemas["PartitionView"]>;
    /**
     * Lose the last records of all replicas, as when all brokers crash before a flush.
     *
     * @param {number} [records] How many; whole batches are lost.
     * @returns {Promise<Schemas["PartitionView"]>}
     */
    loseTail(records?: number): Promise<Schemas["PartitionView"]>;
    /**
     * Delete the records before an offset, or all records, as DeleteRecords does.
     *
     * @param {number} [before]
     * @returns {Promise<number>} The log start offset.
     */
    deleteRecords(before?: number): Promise<number>;
    /**
     * Move the log start offset, as retention does.
     *
     * @param {number} to
     * @returns {Promise<Schemas["PartitionView"]>}
     */
    moveLogStart(to: number): Promise<Schemas["PartitionView"]>;
    /**
     * Compact the log, as one run of Kafka's log cleaner does.
     *
     * @returns {Promise<number>} The number of removed records.
     */
    compact(): Promise<number>;
    /**
     * Forget a producer, as `producer.id.expiration.ms` does.
     *
     * @param {number} producerId
     * @returns {Promise<boolean>} Whether the producer was known.
     */
    forgetProducer(producerId: number): Promise<boolean>;
    /** Return the timeline as text, as assertions show it. */
    timeline(): Promise<string>;
    #private;
}
import type { Schemas } from "../types/api.js";
import type { AdminClient } from "./client.js";
