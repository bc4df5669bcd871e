/** @import { AdminClient } from "./client.js" */
/** @import { Schemas } from "../types/api.js" */
/** @import { Duration } from "./faults.js" */
/** Clock of a cluster's state: it can jump, and stand still. The network always uses real time. */
export class Clock {
    /** @param {AdminClient} api */
    constructor(api: AdminClient);
    /**
     * Show the time and the mode.
     *
     * @returns {Promise<Schemas["ClockView"]>}
     */
    view(): Promise<Schemas["ClockView"]>;
    /**
     * Advance the clock, and run every timer up to the new time, in order.
     *
     * @param {Duration} by At most `3650d`.
     * @param {Omit<Schemas["AdvanceDocument"], "by">} [options]
     * @returns {Promise<Schemas["PassedView"]>} The timers that fired, and the transactional ids that expired.
     */
    advance(by: Duration, options?: Omit<Schemas["AdvanceDocument"], "by">): Promise<Schemas["PassedView"]>;
    /**
     * Advance the clock to a time: ISO 8601, milliseconds since 1970, or a Date.
     *
     * @param {string | number | Date} now
     * @returns {Promise<Schemas["ClockView"]>}
     */
    set(now: string | number | Date): Promise<Schemas["ClockView"]>;
    /**
     * Stop the clock between jumps.
     *
     * @returns {Promise<Schemas["ClockView"]>}
     */
    freeze(): Promise<Schemas["ClockView"]>;
    /**
     * Let the clock go on.
     *
     * @returns {Promise<Schemas["ClockView"]>}
     */
    resume(): Promise<Schemas["ClockView"]>;
    #private;
}
import type { Schemas } from "../types/api.js";
import type { Duration } from "./faults.js";
import type { AdminClient } from "./client.js";
