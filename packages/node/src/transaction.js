import { ProblemError } from "./errors.js";
import { until } from "./waiting.js";

/** @import { AdminClient } from "./client.js" */
/** @import { Schemas } from "../types/api.js" */
/** @import { WaitOptions } from "./faults.js" */

/** Transactional id of a cluster. */
export class Transaction {
  #api;

  /**
   * @param {AdminClient} api
   * @param {string} transactionalId
   */
  constructor(api, transactionalId) {
    this.#api = api;
    /** The transactional id. */
    this.transactionalId = transactionalId;
  }

  get #path() {
    return { transactional_id: this.transactionalId };
  }

  /**
   * Show the state of its coordinator: `state`, `producer_epoch`, `partitions`.
   *
   * @returns {Promise<Schemas["TransactionView"]>}
   */
  async view() {
    return this.#api.request("GET", "/api/v1/transactions/{transactional_id}", {
      path: this.#path,
    });
  }

  /** Return its state, named as in Kafka: `Empty`, `Ongoing`, `CompleteCommit`, and so on. */
  async state() {
    return (await this.view()).state;
  }

  /**
   * Wait until it is in a state; it need not exist yet.
   *
   * @param {string} state The state's name in Kafka, such as `CompleteAbort`.
   * @param {WaitOptions} [options]
   * @throws {import("./errors.js").WaitTimeoutError} It is in another state then.
   */
  async waitFor(state, options = {}) {
    const explain = (/** @type {string} */ last) =>
      `transactional id ${this.transactionalId}: waited for ${state}, it is ${last}`;
    await until(
      () => this.#stateOrUnknown(),
      (now) => now === state,
      explain,
      options,
    );
  }

  /**
   * Hold the steps after the next commit or abort: its markers and its completion record.
   *
   * @param {Schemas["HoldDocument"]} [only] The partition whose marker alone is held.
   */
  async holdEnding(only) {
    await this.#api.request("POST", "/api/v1/transactions/{transactional_id}/hold-ending", {
      path: this.#path,
      body: only ?? {},
    });
  }

  /** Run the next held step, and return what was done; null if none is left. */
  async step() {
    const path = this.#path;
    return (
      await this.#api.request("POST", "/api/v1/transactions/{transactional_id}/step", { path })
    ).done;
  }

  /** Run all held steps, and hold no more. */
  async release() {
    const path = this.#path;
    await this.#api.request("POST", "/api/v1/transactions/{transactional_id}/release", { path });
  }

  /**
   * Abort the open transaction, as its coordinator does when it times out.
   *
   * @returns {Promise<Schemas["TransactionView"]>}
   */
  async abort() {
    const path = this.#path;
    return this.#api.request("POST", "/api/v1/transactions/{transactional_id}/abort", { path });
  }

  /** Expire the transactional id now, as `transactional.id.expiration.ms` does later. */
  async expire() {
    const path = this.#path;
    await this.#api.request("POST", "/api/v1/transactions/{transactional_id}/expire", { path });
  }

  /**
   * Move its coordinator to another broker.
   *
   * @param {number} [to] The broker; default: the next one.
   * @returns {Promise<number>} The new coordinator.
   */
  async moveCoordinator(to) {
    const body = { ...this.#path, to };
    return (await this.#api.request("POST", "/api/v1/coordinators/move", { body })).broker;
  }

  async #stateOrUnknown() {
    try {
      return await this.state();
    } catch (error) {
      if (error instanceof ProblemError && error.code === "not-found") {
        return "unknown";
      }
      throw error;
    }
  }
}
