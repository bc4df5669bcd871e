/** @import { AdminClient } from "./client.js" */
/** @import { Schemas } from "../types/api.js" */

/**
 * Duration: text such as `250ms`, `90s`, `7d`, or a number of milliseconds.
 *
 * @typedef {string | number} Duration
 */

/**
 * A limit of a wait: the request fails after it, with the call that came closest.
 *
 * @typedef {object} WaitOptions
 * @property {Duration} [timeout] The longest time to wait (5s).
 * @property {AbortSignal} [signal] Signal that ends the wait, such as that of a test.
 */

/** Fault of a cluster. */
export class Fault {
  #api;

  /**
   * @param {AdminClient} api
   * @param {string} id
   */
  constructor(api, id) {
    this.#api = api;
    /** Its id in the cluster. */
    this.id = id;
  }

  /**
   * Show the fault and its counts: `calls`, `hits`, `held`, `released`, its `story`.
   *
   * @returns {Promise<Schemas["FaultView"]>}
   */
  async view() {
    return this.#api.request("GET", "/api/v1/faults/{id}", { path: { id: this.id } });
  }

  /** Return the number of calls on which it has fired. */
  async hits() {
    return (await this.view()).hits;
  }

  /**
   * Wait until it has fired, or has held or released calls; each number counts from its start.
   *
   * @param {{ hits?: number, held?: number, released?: number } & WaitOptions} [options] One hit, if no number is given.
   * @returns {Promise<Schemas["FaultView"]>}
   * @throws {import("./errors.js").ProblemError} `timeout`, with the call that came closest.
   */
  async wait({ signal, ...query } = {}) {
    const path = { id: this.id };
    return this.#api.request("GET", "/api/v1/faults/{id}/wait", { path, query, signal });
  }

  /**
   * Wait until it holds a call, or has held so many.
   *
   * @param {number} [held]
   * @param {WaitOptions} [options]
   */
  async waitHeld(held = 1, options = {}) {
    return this.wait({ held, ...options });
  }

  /**
   * Wait until it has released a call, or so many.
   *
   * @param {number} [released]
   * @param {WaitOptions} [options]
   */
  async waitReleased(released = 1, options = {}) {
    return this.wait({ released, ...options });
  }

  /** Release the calls that it holds, and return their number. */
  async release() {
    const path = { id: this.id };
    return (await this.#api.request("POST", "/api/v1/faults/{id}/release", { path })).released;
  }

  /** Remove it; the calls that it holds are released. */
  async remove() {
    await this.#api.request("DELETE", "/api/v1/faults/{id}", { path: { id: this.id } });
  }
}

/**
 * Options of effects that lose something.
 *
 * @typedef {Pick<Schemas["LoseResponse"], "how">} LossOptions
 */

/** Fault in the making: a trigger, if any, and then the effect, which creates the fault. */
export class FaultBuilder {
  #api;
  /** @type {Omit<Schemas["FaultDocument"], "effect">} */
  #document;

  /**
   * @param {AdminClient} api
   * @param {Omit<Schemas["FaultDocument"], "effect">} document
   */
  constructor(api, document) {
    this.#api = api;
    this.#document = document;
  }

  /**
   * Give the fault an id, for `at.fault` and the journal.
   *
   * @param {string} id
   */
  named(id) {
    return new FaultBuilder(this.#api, { ...this.#document, id });
  }

  /** Fire at the first call (the default). */
  once() {
    return this.#on({ once: true });
  }

  /**
   * Fire at the first calls.
   *
   * @param {number} count
   */
  times(count) {
    return this.#on({ times: count });
  }

  /**
   * Fire at one call: `onCall(2)` at the second.
   *
   * @param {number} number
   */
  onCall(number) {
    return this.#on({ on_call: number });
  }

  /** Fire at every call. */
  everyTime() {
    return this.#on({ every_time: true });
  }

  /**
   * Fire at each call with a probability; random choices use the cluster's seed.
   *
   * @param {number} probability
   */
  withProbability(probability) {
    return this.#on({ with_probability: probability });
  }

  /**
   * Answer with an error; nothing is applied.
   *
   * @param {string | number} error The error's name in Kafka, or its code.
   * @param {Omit<Schemas["Answer"], "answer">} [options]
   */
  answer(error, options) {
    return this.effect({ answer: error, ...options });
  }

  /**
   * Apply the request, and answer with an error.
   *
   * @param {string | number} error The error's name in Kafka, or its code.
   * @param {Omit<Schemas["ApplyThenAnswer"], "apply_then_answer">} [options]
   */
  applyThenAnswer(error, options) {
    return this.effect({ apply_then_answer: error, ...options });
  }

  /**
   * Apply the request, and lose the response.
   *
   * @param {LossOptions} [options]
   */
  loseResponse(options) {
    return this.effect({ lose_response: "after_apply", ...options });
  }

  /**
   * Lose the request: nothing is applied, and there is no response.
   *
   * @param {LossOptions} [options]
   */
  dropRequest(options) {
    return this.effect({ drop_request: "before_apply", ...options });
  }

  /**
   * Hold the request until an event of `at`, for a time, or until it is released.
   *
   * @param {Omit<Schemas["Hold"], "hold">} [options]
   */
  hold(options) {
    return this.effect({ hold: "request", ...options });
  }

  /**
   * Apply the request, and hold the response until an event of `at`, for a time, or until it is released.
   *
   * @param {Omit<Schemas["HoldResponse"], "hold_response">} [options]
   */
  holdResponse(options) {
    return this.effect({ hold_response: "after_apply", ...options });
  }

  /**
   * Apply the request, and delay the response.
   *
   * @param {Duration} by
   */
  delay(by) {
    return this.effect({ delay: by });
  }

  /**
   * Apply the request, and set the throttle time of the response.
   *
   * @param {Duration} by
   */
  throttle(by) {
    return this.effect({ throttle: by });
  }

  /** Apply the request twice; the client gets the first response. */
  duplicate() {
    return this.effect({ duplicate: true });
  }

  /** Change a byte of the records: those of a Produce before they arrive, of a Fetch after. */
  corrupt() {
    return this.effect({ corrupt: true });
  }

  /** Change nothing, at every call: for `hits` and `wait`. */
  observe() {
    return this.effect({ observe: true });
  }

  /**
   * Delay bytes, plus or minus a random part of a jitter.
   *
   * @param {Duration} latency
   * @param {Omit<Schemas["Latency"]["latency"], "latency">} [options]
   */
  latency(latency, options) {
    return this.effect({ latency: { latency, ...options } });
  }

  /**
   * Limit a connection to this many kilobytes, of 1000 bytes, a second.
   *
   * @param {number} rate
   * @param {Omit<Schemas["Bandwidth"]["bandwidth"], "rate_kb_s">} [options]
   */
  bandwidth(rate, options) {
    return this.effect({ bandwidth: { rate_kb_s: rate, ...options } });
  }

  /**
   * Delay the close of a connection by the broker, or upstream by the client.
   *
   * @param {Duration} delay
   * @param {Omit<Schemas["SlowClose"]["slow_close"], "delay">} [options]
   */
  slowClose(delay, options) {
    return this.effect({ slow_close: { delay, ...options } });
  }

  /**
   * Stop all data, and close the connection after a time; without one never.
   *
   * @param {Schemas["Timeout"]["timeout"]} [options]
   */
  timeout(options = {}) {
    return this.effect({ timeout: options });
  }

  /**
   * Lose the next bytes, and reset the connection (RST) a time after they arrived.
   *
   * @param {Schemas["ResetPeer"]["reset_peer"]} [options]
   */
  resetPeer(options = {}) {
    return this.effect({ reset_peer: options });
  }

  /**
   * Split the data into pieces of about a size, with a delay after each.
   *
   * @param {number} averageSize
   * @param {Omit<Schemas["Slicer"]["slicer"], "average_size">} [options]
   */
  slicer(averageSize, options) {
    return this.effect({ slicer: { average_size: averageSize, ...options } });
  }

  /**
   * Close the connection after that many more bytes.
   *
   * @param {number} limit
   * @param {Omit<Schemas["LimitData"]["limit_data"], "limit_bytes">} [options]
   */
  limitData(limit, options) {
    return this.effect({ limit_data: { limit_bytes: limit, ...options } });
  }

  /**
   * Create the fault with an effect that is given as a document.
   *
   * @param {Schemas["Effect"]} effect
   * @returns {Promise<Fault>}
   * @throws {import("./errors.js").ProblemError} The fault can never fire, or is wrong.
   */
  async effect(effect) {
    return createFault(this.#api, { ...this.#document, effect });
  }

  /** @param {Schemas["Trigger"]} trigger */
  #on(trigger) {
    return new FaultBuilder(this.#api, { ...this.#document, trigger });
  }
}

/**
 * Create the fault of a document, and warn of one that no Kafka would cause.
 *
 * @internal
 * @param {AdminClient} api
 * @param {Schemas["FaultDocument"]} document
 */
export async function createFault(api, document) {
  const view = await api.request("POST", "/api/v1/faults", { body: document });
  if (view.warning) {
    process.emitWarning(view.warning, "MockbrokerWarning");
  }
  return new Fault(api, view.id);
}
