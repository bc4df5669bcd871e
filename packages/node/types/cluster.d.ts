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
    /**
     * Start a cluster, on free ports.
     *
     * @param {StartOptions} [options]
     * @returns {Promise<Cluster>}
     * @throws {MockbrokerError} It did not start: the command, what it printed, and what to do.
     */
    static start(options?: StartOptions): Promise<Cluster>;
    /**
     * Use a cluster that runs, such as one of `mockbroker serve`, `mockbroker run` or a container.
     *
     * @param {ConnectOptions} [options]
     * @returns {Promise<Cluster>}
     * @throws {MockbrokerError} No mockbroker answers there.
     */
    static connect({ url, token }?: ConnectOptions): Promise<Cluster>;
    /**
     * @internal
     * @param {AdminClient} api
     * @param {Schemas["VersionView"]} version
     * @param {string} bootstrapServers
     * @param {ServeProcess} [served]
     */
    constructor(api: AdminClient, { version, kafka }: Schemas["VersionView"], bootstrapServers: string, served?: ServeProcess);
    /** The URL of the admin API, and of the live page. */
    adminUrl: string;
    /** The addresses of the brokers, as `bootstrap.servers` takes them. */
    bootstrapServers: string;
    /** The addresses of the brokers, as the option `brokers` of kafkajs takes them. */
    brokerAddresses: string[];
    /** The version of mockbroker. */
    version: string;
    /** The release of Kafka that it behaves like. */
    kafka: string;
    /** The clock. */
    clock: Clock;
    /** The journal. */
    journal: Journal;
    /**
     * Send any request of the HTTP API, and return the document of the response:
     * `request("GET", "/api/v1/topics/{topic}", { path: { topic: "orders" } })`.
     *
     * @type {AdminClient["request"]}
     */
    request: AdminClient["request"];
    /**
     * Begin a fault: `await cluster.fault("EndTxn", { transactional_id: "orders-svc" }).loseResponse()`.
     *
     * @param {string | string[] | Schemas["Match"]} api The API or several, or what to match besides APIs.
     * @param {Omit<Schemas["Match"], "api">} [match] What the calls have: all of it.
     * @returns {FaultBuilder}
     */
    fault(api: string | string[] | Schemas["Match"], match?: Omit<Schemas["Match"], "api">): FaultBuilder;
    /**
     * Create a fault from its document.
     *
     * @param {Schemas["FaultDocument"]} document
     * @returns {Promise<Fault>}
     */
    addFault(document: Schemas["FaultDocument"]): Promise<Fault>;
    /**
     * Show all faults, with their counts, in the order of their creation.
     *
     * @returns {Promise<Schemas["FaultView"][]>}
     */
    faults(): Promise<Schemas["FaultView"][]>;
    /** Remove all faults; the calls that they hold are released. */
    removeFaults(): Promise<void>;
    /** Reset the cluster to its initial state, on the same ports and with the same topics. */
    reset(): Promise<void>;
    /**
     * Return a handle of a transactional id, which need not exist yet.
     *
     * @param {string} transactionalId
     */
    transaction(transactionalId: string): Transaction;
    /**
     * Show all transactional ids that coordinators know.
     *
     * @returns {Promise<Schemas["TransactionView"][]>}
     */
    transactions(): Promise<Schemas["TransactionView"][]>;
    /**
     * Delay the markers of all transactions that end from now on, or of some of them.
     *
     * @param {string} by A duration such as `20ms`; `0ms` ends the delay.
     * @param {{ probability?: number }} [options] The probability with which a transaction is delayed (1).
     */
    delayMarkers(by: string, options?: {
        probability?: number;
    }): Promise<void>;
    /**
     * Show the hanging transactions: open in a partition, and unknown to their coordinator.
     *
     * @returns {Promise<Schemas["HangingView"][]>}
     */
    hangingTransactions(): Promise<Schemas["HangingView"][]>;
    /**
     * Return a handle of a partition.
     *
     * @param {string} topic
     * @param {number} partition
     */
    partition(topic: string, partition: number): Partition;
    /**
     * Show all topics and their partitions.
     *
     * @returns {Promise<Schemas["TopicView"][]>}
     */
    topics(): Promise<Schemas["TopicView"][]>;
    /**
     * Create a topic.
     *
     * @param {string} name
     * @param {Omit<Schemas["NewTopicDocument"], "name">} [options]
     * @returns {Promise<Schemas["TopicView"]>}
     */
    createTopic(name: string, options?: Omit<Schemas["NewTopicDocument"], "name">): Promise<Schemas["TopicView"]>;
    /**
     * Delete a topic and create it again: the same name, another id, and empty logs.
     *
     * @param {string} name
     * @param {Schemas["RecreateDocument"]} [options] Its settings; default: as before.
     * @returns {Promise<Schemas["TopicView"]>}
     */
    recreateTopic(name: string, options?: Schemas["RecreateDocument"]): Promise<Schemas["TopicView"]>;
    /** Return the timelines of all partitions as text, for the output of a failed test. */
    timelines(): Promise<string>;
    /**
     * Return a handle of a group.
     *
     * @param {string} groupId
     */
    group(groupId: string): Group;
    /**
     * Show all groups that coordinators know.
     *
     * @returns {Promise<Schemas["GroupView"][]>}
     */
    groups(): Promise<Schemas["GroupView"][]>;
    /** Flush all logs to disk, so that a crash loses nothing that was written before. */
    flush(): Promise<void>;
    /**
     * Simulate a power failure of all brokers: unflushed records are lost.
     *
     * @returns {Promise<Schemas["BrokersView"]>}
     */
    crash(): Promise<Schemas["BrokersView"]>;
    /**
     * Return a handle of a broker.
     *
     * @param {number} id
     */
    broker(id: number): Broker;
    /**
     * Show all brokers.
     *
     * @returns {Promise<Schemas["BrokerView"][]>}
     */
    brokers(): Promise<Schemas["BrokerView"][]>;
    /**
     * Check an assertion: `await cluster.assert("exactly-once", { topic: "orders" })`.
     *
     * @template {keyof Assertions} N
     * @param {N} name
     * @param {{} extends Assertions[N] ? [given?: Assertions[N]] : [given: Assertions[N]]} given Its arguments.
     * @throws {AssertionError} It does not hold: why, and the timelines of the partitions.
     */
    assert<N extends keyof Assertions>(name: N, ...given: {} extends Assertions[N] ? [given?: Assertions[N]] : [given: Assertions[N]]): Promise<void>;
    /** Stop the cluster that was started, and wait for the end of its process. Another one goes on. */
    stop(): Promise<void>;
    /** Stop the cluster at the end of a block: `await using cluster = await Cluster.start()`. */
    [Symbol.asyncDispose](): Promise<void>;
    #private;
}
/**
 * Address of a running cluster.
 */
export type ConnectOptions = {
    /**
     * The URL of its admin API (the variable MOCKBROKER_ADMIN).
     */
    url?: string | undefined;
    /**
     * The token of its admin API (the variable MOCKBROKER_ADMIN_TOKEN).
     */
    token?: string | undefined;
};
import { Clock } from "./clock.js";
import { Journal } from "./journal.js";
import { AdminClient } from "./client.js";
import type { Schemas } from "../types/api.js";
import { FaultBuilder } from "./faults.js";
import { Fault } from "./faults.js";
import { Transaction } from "./transaction.js";
import { Partition } from "./partition.js";
import { Group } from "./group.js";
import { Broker } from "./broker.js";
import type { Assertions } from "../types/assertions.js";
import type { StartOptions } from "./process.js";
import { ServeProcess } from "./process.js";
