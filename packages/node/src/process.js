import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { MockbrokerError } from "./errors.js";

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;
const OUTPUT_CHARACTERS_MAX = 4_000;
const ADVICE =
  "Install mockbroker with its extra `http` (pip install '.[http]' in a clone of it, with Python 3.11 or newer),\n" +
  "and have `mockbroker` on the PATH; or set MOCKBROKER_COMMAND to the command, such as `python3 -m mockbroker`.";

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
  #child;
  #command;
  #output = "";
  /** @type {Error | undefined} */
  #error;

  /** @param {StartOptions} options */
  constructor(options) {
    const [program = "", ...words] = options.command ?? commandOf(process.env);
    this.#command = [program, ...words, ...argumentsOf(options)];
    this.#child = spawn(program, this.#command.slice(1), { env: options.env ?? process.env });
    this.#child.on("error", (error) => (this.#error = error));
    this.#child.stdin.on("error", () => {}); // it has ended by itself
    this.#child.stderr.setEncoding("utf8").on("data", (text) => this.#keep(text));
  }

  /**
   * Wait until the cluster is ready.
   *
   * @returns {Promise<Ready>}
   * @throws {MockbrokerError} It did not start: the command, and what it printed.
   */
  async ready() {
    const limit = setTimeout(() => this.#child.kill("SIGKILL"), START_TIMEOUT_MS);
    try {
      for await (const line of createInterface({ input: this.#child.stdout })) {
        if (line.startsWith("{")) {
          this.#letThisProcessEnd();
          return JSON.parse(line);
        }
        this.#keep(`${line}\n`);
      }
      await this.#ended();
    } finally {
      clearTimeout(limit);
    }
    const lines = [`mockbroker did not start: ${this.#command.join(" ")}`, this.output()];
    if (!/^mockbroker: /m.test(this.#output)) {
      lines.push("", ADVICE); // it was not mockbroker that has refused the command
    }
    throw new MockbrokerError(lines.join("\n"), this.#error && { cause: this.#error });
  }

  /** Return how it ended, if it has, and the last lines that it printed. */
  output() {
    const { exitCode, signalCode } = this.#child;
    const code = exitCode ?? signalCode;
    const end = this.#error?.message ?? (code === null ? "" : `it ended with ${code}`);
    return [end, this.#output.trim()].filter(Boolean).join(":\n");
  }

  /** End the process, and wait for its end. */
  async stop() {
    this.#child.ref();
    this.#child.stdin.end();
    const limit = setTimeout(() => this.#child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await this.#ended();
    clearTimeout(limit);
  }

  async #ended() {
    if (!this.#error && this.#child.exitCode === null && this.#child.signalCode === null) {
      await once(this.#child, "exit").catch(() => {});
    }
  }

  /** Let this process end although the cluster runs: the end of its stdin ends that one. */
  #letThisProcessEnd() {
    const { stdin, stdout, stderr } = this.#child;
    stdout.resume();
    this.#child.unref();
    for (const pipe of [stdin, stdout, stderr]) {
      /** @type {import("node:net").Socket} */ (/** @type {unknown} */ (pipe)).unref();
    }
  }

  /** @param {string} text */
  #keep(text) {
    this.#output = (this.#output + text).slice(-OUTPUT_CHARACTERS_MAX);
  }
}

/** @param {NodeJS.ProcessEnv} env */
function commandOf(env) {
  return (env.MOCKBROKER_COMMAND || "mockbroker").split(" ").filter(Boolean);
}

/** @param {StartOptions} options */
function argumentsOf({ topics = [], config, features, proposals = [], args = [], ...options }) {
  const words = ["serve", "--port", "0", "--admin-port", "0", "--json", "--until-eof"];
  for (const name of /** @type {const} */ (["kafka", "brokers", "clock", "seed", "scenario"])) {
    if (options[name] !== undefined) {
      words.push(`--${name}`, String(options[name]));
    }
  }
  const named = Array.isArray(topics) ? topics : pairs(topics, ":");
  words.push(...named.flatMap((topic) => ["--topic", topic]));
  words.push(...pairs(config, "=").flatMap((pair) => ["--config", pair]));
  words.push(...pairs(features, "=").flatMap((pair) => ["--feature", pair]));
  words.push(...proposals.flatMap((name) => ["--proposal", name]));
  return [...words, ...args];
}

/**
 * @param {Record<string, unknown> | undefined} values
 * @param {string} between
 */
function pairs(values, between) {
  return Object.entries(values ?? {}).map(([name, value]) => `${name}${between}${value}`);
}
