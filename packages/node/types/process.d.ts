/**
 * Settings of a cluster that is started.
 *
 * @typedef {object} StartOptions
 * @property {string} [kafka] The release of Kafka to behave like, such as `3.9` (the newest).
 * @property {number} [brokers] The number of brokers (1).
 * @property {string[] | Record<string, number>} [topics] Topics to create: names, or partitions by name.
 * @property {Record<string, string | number | boolean>} [config] Broker configs by Kafka's names.
 * @property {Record<string, number>} [features] Levels of features by name, such as `transaction.version`.
 * @property {string[]} [proposals] Proposals to turn on that Kafka never shipped.
 * @property {"offset" | "manual" | "real"} [clock] Real time with jumps (offset), jumps only, or real time only.
 * @property {number} [seed] The seed of ids and random choices.
 * @property {string} [scenario] A scenario file: a cluster, faults, steps and expectations.
 * @property {string[]} [args] Further options of `mockbroker serve`, such as `["--tls"]`.
 * @property {string[]} [command] The command, instead of MOCKBROKER_COMMAND or `mockbroker`.
 * @property {NodeJS.ProcessEnv} [env] The environment of the process (that of this one).
 */
/**
 * What a served cluster prints when it is ready.
 *
 * @typedef {{ bootstrap_servers: string, admin_url: string }} Ready
 */
/** Process that serves one cluster. It ends at the latest when this process does. */
export class ServeProcess {
    /** @param {StartOptions} options */
    constructor(options: StartOptions);
    /**
     * Wait until the cluster is ready.
     *
     * @returns {Promise<Ready>}
     * @throws {MockbrokerError} It did not start: the command, and what it printed.
     */
    ready(): Promise<Ready>;
    /** Return how it ended, if it has, and the last lines that it printed. */
    output(): string;
    /** End the process, and wait for its end. */
    stop(): Promise<void>;
    #private;
}
/**
 * Settings of a cluster that is started.
 */
export type StartOptions = {
    /**
     * The release of Kafka to behave like, such as `3.9` (the newest).
     */
    kafka?: string | undefined;
    /**
     * The number of brokers (1).
     */
    brokers?: number | undefined;
    /**
     * Topics to create: names, or partitions by name.
     */
    topics?: string[] | Record<string, number> | undefined;
    /**
     * Broker configs by Kafka's names.
     */
    config?: Record<string, string | number | boolean> | undefined;
    /**
     * Levels of features by name, such as `transaction.version`.
     */
    features?: Record<string, number> | undefined;
    /**
     * Proposals to turn on that Kafka never shipped.
     */
    proposals?: string[] | undefined;
    /**
     * Real time with jumps (offset), jumps only, or real time only.
     */
    clock?: "offset" | "manual" | "real" | undefined;
    /**
     * The seed of ids and random choices.
     */
    seed?: number | undefined;
    /**
     * A scenario file: a cluster, faults, steps and expectations.
     */
    scenario?: string | undefined;
    /**
     * Further options of `mockbroker serve`, such as `["--tls"]`.
     */
    args?: string[] | undefined;
    /**
     * The command, instead of MOCKBROKER_COMMAND or `mockbroker`.
     */
    command?: string[] | undefined;
    /**
     * The environment of the process (that of this one).
     */
    env?: NodeJS.ProcessEnv | undefined;
};
/**
 * What a served cluster prints when it is ready.
 */
export type Ready = {
    bootstrap_servers: string;
    admin_url: string;
};
