/**
 * Function that registers a hook, of any test framework.
 *
 * @typedef {(hook: () => Promise<void>, timeout?: any) => unknown} Register
 */
/**
 * The hooks of a test framework: the module `node:test`, `vitest` or `@jest/globals`.
 *
 * @typedef {object} Hooks
 * @property {Register} [before] Register a hook that runs once, before the tests of the file.
 * @property {Register} [beforeAll] The same by its other name.
 * @property {Register} beforeEach
 * @property {Register} afterEach
 * @property {Register} [after] Register a hook that runs once, after the tests of the file.
 * @property {Register} [afterAll] The same by its other name.
 */
/**
 * Share a cluster among the tests of a file, and reset it before each of them.
 *
 * A test fails if a fault that it made has never fired, unless it has removed the fault.
 *
 * @param {Hooks} hooks The module of the test framework.
 * @param {StartOptions} [options]
 * @returns {Cluster} The cluster, which runs as soon as the first test does.
 */
export function clusterForTests(hooks: Hooks, options?: StartOptions): Cluster;
/**
 * Function that registers a hook, of any test framework.
 */
export type Register = (hook: () => Promise<void>, timeout?: any) => unknown;
/**
 * The hooks of a test framework: the module `node:test`, `vitest` or `@jest/globals`.
 */
export type Hooks = {
    /**
     * Register a hook that runs once, before the tests of the file.
     */
    before?: Register | undefined;
    /**
     * The same by its other name.
     */
    beforeAll?: Register | undefined;
    beforeEach: Register;
    afterEach: Register;
    /**
     * Register a hook that runs once, after the tests of the file.
     */
    after?: Register | undefined;
    /**
     * The same by its other name.
     */
    afterAll?: Register | undefined;
};
import type { StartOptions } from "./process.js";
import { Cluster } from "./cluster.js";
