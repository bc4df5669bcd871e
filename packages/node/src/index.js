/**
 * Start and control a mockbroker cluster, a Kafka for tests.
 *
 * @module
 */
export * from "./broker.js";
export * from "./clock.js";
export * from "./cluster.js";
export * from "./cluster-for-tests.js";
export * from "./errors.js";
export * from "./events.js";
export * from "./faults.js";
export * from "./group.js";
export * from "./journal.js";
export * from "./partition.js";
export * from "./transaction.js";

/** @typedef {import("../types/api.js").Schemas} Schemas */
/** @typedef {import("../types/assertions.js").Assertions} Assertions */
/** @typedef {import("./process.js").StartOptions} StartOptions */
