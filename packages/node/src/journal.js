import { until } from "./waiting.js";

/** @import { AdminClient } from "./client.js" */
/** @import { WaitOptions } from "./faults.js" */
/** @import { Schemas } from "../types/api.js" */

/** Journal of a cluster: every request and response, append, marker and fault, once it is on. */
export class Journal {
  #api;

  /** @param {AdminClient} api */
  constructor(api) {
    this.#api = api;
  }

  /**
   * Record from now on.
   *
   * @param {Omit<Schemas["JournalDocument"], "on">} [options] The most entries in memory.
   */
  async on(options) {
    await this.#api.request("PUT", "/api/v1/journal", { body: { on: true, ...options } });
  }

  /** Record no more; recorded entries stay readable. */
  async off() {
    await this.#api.request("PUT", "/api/v1/journal", { body: { on: false } });
  }

  /**
   * Return the entries that match all given fields: `{ kind: "answer", api: "EndTxn" }`.
   *
   * @param {Schemas["JournalSelection"]} [selection]
   * @returns {Promise<Schemas["EntryView"][]>}
   */
  async entries(selection = {}) {
    return (await this.#api.request("POST", "/api/v1/journal/find", { body: selection })).entries;
  }

  /**
   * Count requests, or entries of another kind.
   *
   * @param {Schemas["JournalSelection"]} [selection]
   */
  async count(selection = {}) {
    return (await this.#api.request("POST", "/api/v1/journal/count", { body: selection })).count;
  }

  /**
   * Wait until so many requests, or entries of another kind, are in the journal.
   *
   * @param {Schemas["JournalSelection"]} selection
   * @param {{ count?: number } & WaitOptions} [options] One, if no count is given.
   * @returns {Promise<number>} Their number.
   * @throws {import("./errors.js").WaitTimeoutError} There are fewer then.
   */
  async waitFor(selection, { count = 1, ...options } = {}) {
    const explain = (/** @type {number} */ found) =>
      `journal: waited for ${count} of ${JSON.stringify(selection)}, found ${found}`;
    return until(
      () => this.count(selection),
      (found) => found >= count,
      explain,
      options,
    );
  }

  /** Delete the entries in memory. */
  async clear() {
    await this.#api.request("DELETE", "/api/v1/journal");
  }
}
