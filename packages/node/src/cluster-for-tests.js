import { Cluster } from "./cluster.js";
import { MockbrokerError } from "./errors.js";

/** @import { StartOptions } from "./process.js" */

const START_TIMEOUT_MS = 30_000;

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
export function clusterForTests(hooks, options) {
  /** @type {Cluster | undefined} */
  let running;
  const start = async () => {
    running = await Cluster.start(options);
  };
  const stop = async () => running?.stop();
  if (hooks.before && hooks.after) {
    hooks.before(start);
    hooks.after(stop);
  } else {
    hooks.beforeAll?.(start, START_TIMEOUT_MS);
    hooks.afterAll?.(stop, START_TIMEOUT_MS);
  }
  hooks.beforeEach(async () => running?.reset());
  hooks.afterEach(async () => running?.assert("all-faults-fired"));
  return /** @type {Cluster} */ (new Proxy({}, { get: (_, name) => memberOf(running, name) }));
}

/**
 * Return a member of a cluster, as the cluster itself has it.
 *
 * @param {Cluster | undefined} running
 * @param {string | symbol} name
 */
function memberOf(running, name) {
  if (!running) {
    throw new MockbrokerError("The cluster has not started: use it in a test, or in a later hook.");
  }
  const member = Reflect.get(running, name);
  return typeof member === "function" ? member.bind(running) : member;
}
