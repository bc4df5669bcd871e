/** @import { AdminClient } from "./client.js" */
/** @import { Schemas } from "../types/api.js" */
/** @import { Duration } from "./faults.js" */

/** Clock of a cluster's state: it can jump, and stand still. The network always uses real time. */
export class Clock {
  #api;

  /** @param {AdminClient} api */
  constructor(api) {
    this.#api = api;
  }

  /**
   * Show the time and the mode.
   *
   * @returns {Promise<Schemas["ClockView"]>}
   */
  async view() {
    return this.#api.request("GET", "/api/v1/clock");
  }

  /**
   * Advance the clock, and run every timer up to the new time, in order.
   *
   * @param {Duration} by At most `3650d`.
   * @param {Omit<Schemas["AdvanceDocument"], "by">} [options]
   * @returns {Promise<Schemas["PassedView"]>} The timers that fired, and the transactional ids that expired.
   */
  async advance(by, options) {
    return this.#api.request("POST", "/api/v1/clock/advance", { body: { by, ...options } });
  }

  /**
   * Advance the clock to a time: ISO 8601, milliseconds since 1970, or a Date.
   *
   * @param {string | number | Date} now
   * @returns {Promise<Schemas["ClockView"]>}
   */
  async set(now) {
    const time = now instanceof Date ? now.getTime() : now;
    return this.#api.request("PUT", "/api/v1/clock", { body: { now: time } });
  }

  /**
   * Stop the clock between jumps.
   *
   * @returns {Promise<Schemas["ClockView"]>}
   */
  async freeze() {
    return this.#api.request("PUT", "/api/v1/clock", { body: { frozen: true } });
  }

  /**
   * Let the clock go on.
   *
   * @returns {Promise<Schemas["ClockView"]>}
   */
  async resume() {
    return this.#api.request("PUT", "/api/v1/clock", { body: { frozen: false } });
  }
}
