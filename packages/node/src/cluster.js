import { AssertionError } from "node:assert";
import { Broker } from "./broker.js";
import { AdminClient } from "./client.js";
import { Clock } from "./clock.js";
import { MockbrokerError } from "./errors.js";
import { createFault, Fault, FaultBuilder } from "./faults.js";
import { Group } from "./group.js";
import { Journal } from "./journal.js";
import { Partition } from "./partition.js";
import { ServeProcess } from "./process.js";
import { Transaction } from "./transaction.js";

/** @import { Schemas } from "../types/api.js" */
/** @import { Assertions } from "../types/assertions.js" */
/** @import { StartOptions } from "./process.js" */

/**
 * Address of a running cluster.
 *
 * @typedef {object} ConnectOptions
 * @property {string} [url] The URL of its admin API (the variable MOCKBROKER_ADMIN).
 * @property {string} [token] The token of its admin API (the variable MOCKBROKER_ADMIN_TOKEN).
 */

/** Kafka cluster for tests, in a process of its own. */
export class Cluster {
  #api;
  #process;

  /**
   * Start a cluster, on free ports.
   *
   * @param {StartOptions} [options]
   * @returns {Promise<Cluster>}
   * @throws {MockbrokerError} It did not start: the command, what it printed, and what to do.
   */
  static async start(options = {}) {
    const served = new ServeProcess(options);
    const { admin_url: url } = await served.ready();
    const env = options.env ?? process.env;
    try {
      const explain = () => `\n${served.output()}`;
      return await connected(new AdminClient(url, env.MOCKBROKER_ADMIN_TOKEN, explain), served);
    } catch (error) {
      await served.stop();
      throw error;
    }
  }

  /**
   * Use a cluster that runs, such as one of `mockbroker serve`, `mockbroker run` or a container.
   *
   * @param {ConnectOptions} [options]
   * @returns {Promise<Cluster>}
   * @throws {MockbrokerError} No mockbroker answers there.
   */
  static async connect({ url = process.env.MOCKBROKER_ADMIN, token } = {}) {
    if (!url) {
      throw new MockbrokerError("Which cluster? Give its URL, or set MOCKBROKER_ADMIN to it.");
    }
    return connected(new AdminClient(url, token ?? process.env.MOCKBROKER_ADMIN_TOKEN));
  }

  /**
   * @internal
   * @param {AdminClient} api
   * @param {Schemas["VersionView"]} version
   * @param {string} bootstrapServers
   * @param {ServeProcess} [served]
   */
  constructor(api, { version, kafka }, bootstrapServers, served) {
    this.#api = api;
    this.#process = served;
    /** The URL of the admin API, and of the live page. */
    this.adminUrl = api.url;
    /** The addresses of the brokers, as `bootstrap.servers` takes them. */
    this.bootstrapServers = bootstrapServers;
    /** The addresses of the brokers, as the option `brokers` of kafkajs takes them. */
    this.brokerAddresses = bootstrapServers.split(",");
    /** The version of mockbroker. */
    this.version = version;
    /** The release of Kafka that it behaves like. */
    this.kafka = kafka;
    /** The clock. */
    this.clock = new Clock(api);
    /** The journal. */
    this.journal = new Journal(api);
    /**
     * Send any request of the HTTP API, and return the document of the response:
     * `request("GET", "/api/v1/topics/{topic}", { path: { topic: "orders" } })`.
     *
     * @type {AdminClient["request"]}
     */
    this.request = (method, path, ...given) => api.request(method, path, ...given);
  }

  /**
   * Begin a fault: `await cluster.fault("EndTxn", { transactional_id: "orders-svc" }).loseResponse()`.
   *
   * @param {string | string[] | Schemas["Match"]} api The API or several, or what to match besides APIs.
   * @param {Omit<Schemas["Match"], "api">} [match] What the calls have: all of it.
   * @returns {FaultBuilder}
   */
  fault(api, match = {}) {
    const named = typeof api === "string" || Array.isArray(api) ? { api } : api;
    return new FaultBuilder(this.#api, { match: { ...named, ...match } });
  }

  /**
   * Create a fault from its document.
   *
   * @param {Schemas["FaultDocument"]} document
   * @returns {Promise<Fault>}
   */
  async addFault(document) {
    return createFault(this.#api, document);
  }

  /**
   * Show all faults, with their counts, in the order of their creation.
   *
   * @returns {Promise<Schemas["FaultView"][]>}
   */
  async faults() {
    return (await this.request("GET", "/api/v1/faults")).faults;
  }

  /** Remove all faults; the calls that they hold are released. */
  async removeFaults() {
    await this.request("DELETE", "/api/v1/faults");
  }

  /** Reset the cluster to its initial state, on the same ports and with the same topics. */
  async reset() {
    await this.request("POST", "/api/v1/reset");
  }

  /**
   * Return a handle of a transactional id, which need not exist yet.
   *
   * @param {string} transactionalId
   */
  transaction(transactionalId) {
    return new Transaction(this.#api, transactionalId);
  }

  /**
   * Show all transactional ids that coordinators know.
   *
   * @returns {Promise<Schemas["TransactionView"][]>}
   */
  async transactions() {
    return (await this.request("GET", "/api/v1/transactions")).transactions;
  }

  /**
   * Delay the markers of all transactions that end from now on, or of some of them.
   *
   * @param {string} by A duration such as `20ms`; `0ms` ends the delay.
   * @param {{ probability?: number }} [options] The probability with which a transaction is delayed (1).
   */
  async delayMarkers(by, options) {
    await this.request("PUT", "/api/v1/marker-delay", { body: { by, ...options } });
  }

  /**
   * Show the hanging transactions: open in a partition, and unknown to their coordinator.
   *
   * @returns {Promise<Schemas["HangingView"][]>}
   */
  async hangingTransactions() {
    return (await this.request("GET", "/api/v1/hanging")).hanging;
  }

  /**
   * Return a handle of a partition.
   *
   * @param {string} topic
   * @param {number} partition
   */
  partition(topic, partition) {
    return new Partition(this.#api, topic, partition);
  }

  /**
   * Show all topics and their partitions.
   *
   * @returns {Promise<Schemas["TopicView"][]>}
   */
  async topics() {
    return (await this.request("GET", "/api/v1/topics")).topics;
  }

  /**
   * Create a topic.
   *
   * @param {string} name
   * @param {Omit<Schemas["NewTopicDocument"], "name">} [options]
   * @returns {Promise<Schemas["TopicView"]>}
   */
  async createTopic(name, options) {
    return this.request("POST", "/api/v1/topics", { body: { name, ...options } });
  }

  /**
   * Delete a topic and create it again: the same name, another id, and empty logs.
   *
   * @param {string} name
   * @param {Schemas["RecreateDocument"]} [options] Its settings; default: as before.
   * @returns {Promise<Schemas["TopicView"]>}
   */
  async recreateTopic(name, options) {
    const path = { topic: name };
    return this.request("POST", "/api/v1/topics/{topic}/recreate", { path, body: options ?? {} });
  }

  /** Return the timelines of all partitions as text, for the output of a failed test. */
  async timelines() {
    return (await this.request("GET", "/api/v1/lanes")).text;
  }

  /**
   * Return a handle of a group.
   *
   * @param {string} groupId
   */
  group(groupId) {
    return new Group(this.#api, groupId);
  }

  /**
   * Show all groups that coordinators know.
   *
   * @returns {Promise<Schemas["GroupView"][]>}
   */
  async groups() {
    return (await this.request("GET", "/api/v1/groups")).groups;
  }

  /** Flush all logs to disk, so that a crash loses nothing that was written before. */
  async flush() {
    await this.request("POST", "/api/v1/flush");
  }

  /**
   * Simulate a power failure of all brokers: unflushed records are lost.
   *
   * @returns {Promise<Schemas["BrokersView"]>}
   */
  async crash() {
    return this.request("POST", "/api/v1/crash");
  }

  /**
   * Return a handle of a broker.
   *
   * @param {number} id
   */
  broker(id) {
    return new Broker(this.#api, id);
  }

  /**
   * Show all brokers.
   *
   * @returns {Promise<Schemas["BrokerView"][]>}
   */
  async brokers() {
    return (await this.request("GET", "/api/v1/brokers")).brokers;
  }

  /**
   * Check an assertion: `await cluster.assert("exactly-once", { topic: "orders" })`.
   *
   * @template {keyof Assertions} N
   * @param {N} name
   * @param {{} extends Assertions[N] ? [given?: Assertions[N]] : [given: Assertions[N]]} given Its arguments.
   * @throws {AssertionError} It does not hold: why, and the timelines of the partitions.
   */
  async assert(name, ...given) {
    const body = { assertions: [{ name, arguments: /** @type {{}} */ (given[0] ?? {}) }] };
    const { failures } = await this.request("POST", "/api/v1/assertions", { body });
    for (const { text } of failures) {
      // The operator of assert.fail: with another one, Jest prints values that there are not.
      throw new AssertionError({ message: text, operator: "fail", stackStartFn: this.assert });
    }
  }

  /** Stop the cluster that was started, and wait for the end of its process. Another one goes on. */
  async stop() {
    await this.#process?.stop();
  }

  /** Stop the cluster at the end of a block: `await using cluster = await Cluster.start()`. */
  async [Symbol.asyncDispose]() {
    await this.stop();
  }
}

/**
 * @param {AdminClient} api
 * @param {ServeProcess} [served]
 */
async function connected(api, served) {
  const version = await api.request("GET", "/version");
  const { cluster } = await api.request("GET", "/api/v1/state");
  return new Cluster(api, version, cluster.bootstrap_servers, served);
}
