/** @import { AdminClient } from "./client.js" */
/** @import { Schemas } from "../types/api.js" */

/** Partition of a topic. */
export class Partition {
  #api;

  /**
   * @param {AdminClient} api
   * @param {string} topic
   * @param {number} partition
   */
  constructor(api, topic, partition) {
    this.#api = api;
    /** The name of its topic. */
    this.topic = topic;
    /** Its number. */
    this.partition = partition;
  }

  get #path() {
    return { topic: this.topic, partition: this.partition };
  }

  /**
   * Show its replicas and the offsets of its log, such as `log_end_offset`.
   *
   * @returns {Promise<Schemas["PartitionView"]>}
   */
  async view() {
    const path = this.#path;
    return this.#api.request("GET", "/api/v1/topics/{topic}/partitions/{partition}", { path });
  }

  /**
   * Return the records that consumers with an isolation level can read.
   *
   * @param {{ isolation?: "read_committed" | "read_uncommitted", from?: number, limit?: number }} [query]
   *   The isolation level (`read_uncommitted`), the first offset (0), and how many at most (1000).
   * @returns {Promise<Schemas["RecordView"][]>}
   */
  async records(query) {
    const url = "/api/v1/topics/{topic}/partitions/{partition}/records";
    return (await this.#api.request("GET", url, { path: this.#path, query })).records;
  }

  /**
   * Return the values of these records as text.
   *
   * @param {Parameters<Partition["records"]>[0]} [query]
   * @returns {Promise<(string | null)[]>} A null is a tombstone, or is no text.
   */
  async values(query) {
    return (await this.records(query)).map(({ value }) => value?.text ?? null);
  }

  /**
   * Append a record without a client, as a producer with acks=1.
   *
   * @param {string | null} value
   * @param {Omit<Schemas["RecordDocument"], "value" | "partition">} [options]
   * @returns {Promise<number>} Its offset.
   */
  async append(value, options) {
    const answer = await this.#api.request("POST", "/api/v1/topics/{topic}/records", {
      path: { topic: this.topic },
      body: { value, partition: this.partition, ...options },
    });
    return answer.offset;
  }

  /**
   * Show the batches of the log, markers included.
   *
   * @param {{ from?: number, limit?: number }} [query] The first offset (0), and how many at most (100).
   * @returns {Promise<Schemas["BatchView"][]>}
   */
  async batches(query) {
    const url = "/api/v1/topics/{topic}/partitions/{partition}/log";
    return (await this.#api.request("GET", url, { path: this.#path, query })).batches;
  }

  /**
   * Show the producers that the leader knows.
   *
   * @returns {Promise<Schemas["ProducerView"][]>}
   */
  async producers() {
    return (await this.#api.request("GET", "/api/v1/producers", { query: this.#path })).producers;
  }

  /**
   * Elect a leader: the next replica in turn, or the one on a broker.
   *
   * @param {Omit<Schemas["ElectDocument"], "topic" | "partition">} [options] The broker (`to`), and what the new leader knows.
   * @returns {Promise<number>} The new leader.
   */
  async elect(options) {
    const body = { ...this.#path, ...options };
    return (await this.#api.request("POST", "/api/v1/elect", { body })).leader;
  }

  /**
   * Show its replicas, the preferred leader first, each with its offsets and the producers that it knows.
   *
   * @returns {Promise<Schemas["ReplicaView"][]>}
   */
  async replicas() {
    const url = "/api/v1/topics/{topic}/partitions/{partition}/replicas";
    return (await this.#api.request("GET", url, { path: this.#path })).replicas;
  }

  /**
   * Stop the fetches of a replica from the leader, while it stays in sync.
   *
   * @param {number} broker The broker of the replica.
   * @returns {Promise<Schemas["PartitionView"]>}
   */
  async lag(broker) {
    const url = "/api/v1/topics/{topic}/partitions/{partition}/lag";
    return this.#api.request("POST", url, { path: this.#path, body: { broker } });
  }

  /**
   * Remove a replica from the in-sync replicas.
   *
   * @param {number} broker The broker of the replica.
   * @returns {Promise<Schemas["PartitionView"]>}
   */
  async loseReplica(broker) {
    const url = "/api/v1/topics/{topic}/partitions/{partition}/lose-replica";
    return this.#api.request("POST", url, { path: this.#path, body: { broker } });
  }

  /**
   * Let one replica, or all whose brokers run, catch up and be in sync again.
   *
   * @param {number} [broker] The broker of the replica.
   * @returns {Promise<Schemas["PartitionView"]>}
   */
  async catchUp(broker) {
    const url = "/api/v1/topics/{topic}/partitions/{partition}/catch-up";
    return this.#api.request("POST", url, { path: this.#path, body: { broker } });
  }

  /**
   * Lose the last records of all replicas, as when all brokers crash before a flush.
   *
   * @param {number} [records] How many; whole batches are lost.
   * @returns {Promise<Schemas["PartitionView"]>}
   */
  async loseTail(records = 1) {
    const url = "/api/v1/topics/{topic}/partitions/{partition}/lose-tail";
    return this.#api.request("POST", url, { path: this.#path, body: { records } });
  }

  /**
   * Delete the records before an offset, or all records, as DeleteRecords does.
   *
   * @param {number} [before]
   * @returns {Promise<number>} The log start offset.
   */
  async deleteRecords(before) {
    const url = "/api/v1/topics/{topic}/partitions/{partition}/records";
    const given = { path: this.#path, query: { before } };
    return (await this.#api.request("DELETE", url, given)).log_start_offset;
  }

  /**
   * Move the log start offset, as retention does.
   *
   * @param {number} to
   * @returns {Promise<Schemas["PartitionView"]>}
   */
  async moveLogStart(to) {
    const url = "/api/v1/topics/{topic}/partitions/{partition}/move-log-start";
    return this.#api.request("POST", url, { path: this.#path, body: { to } });
  }

  /**
   * Compact the log, as one run of Kafka's log cleaner does.
   *
   * @returns {Promise<number>} The number of removed records.
   */
  async compact() {
    const url = "/api/v1/topics/{topic}/partitions/{partition}/compact";
    return (await this.#api.request("POST", url, { path: this.#path })).removed;
  }

  /**
   * Forget a producer, as `producer.id.expiration.ms` does.
   *
   * @param {number} producerId
   * @returns {Promise<boolean>} Whether the producer was known.
   */
  async forgetProducer(producerId) {
    const url = "/api/v1/topics/{topic}/partitions/{partition}/forget-producer";
    const given = { path: this.#path, body: { producer_id: producerId } };
    return (await this.#api.request("POST", url, given)).was_known;
  }

  /** Return the timeline as text, as assertions show it. */
  async timeline() {
    return (await this.#api.request("GET", "/api/v1/lanes", { query: this.#path })).text;
  }
}
