/**
 * Create the fault of a document, and warn of one that no Kafka would cause.
 *
 * @internal
 * @param {AdminClient} api
 * @param {Schemas["FaultDocument"]} document
 */
export function createFault(api: AdminClient, document: Schemas["FaultDocument"]): Promise<Fault>;
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
    /**
     * @param {AdminClient} api
     * @param {string} id
     */
    constructor(api: AdminClient, id: string);
    /** Its id in the cluster. */
    id: string;
    /**
     * Show the fault and its counts: `calls`, `hits`, `held`, `released`, its `story`.
     *
     * @returns {Promise<Schemas["FaultView"]>}
     */
    view(): Promise<Schemas["FaultView"]>;
    /** Return the number of calls on which it has fired. */
    hits(): Promise<number>;
    /**
     * Wait until it has fired, or has held or released calls; each number counts from its start.
     *
     * @param {{ hits?: number, held?: number, released?: number } & WaitOptions} [options] One hit, if no number is given.
     * @returns {Promise<Schemas["FaultView"]>}
     * @throws {import("./errors.js").ProblemError} `timeout`, with the call that came closest.
     */
    wait({ signal, ...query }?: {
        hits?: number;
        held?: number;
        released?: number;
    } & WaitOptions): Promise<Schemas["FaultView"]>;
    /**
     * Wait until it holds a call, or has held so many.
     *
     * @param {number} [held]
     * @param {WaitOptions} [options]
     */
    waitHeld(held?: number, options?: WaitOptions): Promise<{
        id: string;
        match: import("../types/api.js").components["schemas"]["Match"];
        trigger: import("../types/api.js").components["schemas"]["Trigger"];
        effect: import("../types/api.js").components["schemas"]["Effect"] | null;
        expressible: boolean;
        python: string;
        calls: number;
        hits: number;
        touched_bytes: number;
        held: number;
        released: number;
        is_over: boolean;
        error: string | null;
        warning: string | null;
        nearest: import("../types/api.js").components["schemas"]["NearestView"] | null;
        story: string;
    }>;
    /**
     * Wait until it has released a call, or so many.
     *
     * @param {number} [released]
     * @param {WaitOptions} [options]
     */
    waitReleased(released?: number, options?: WaitOptions): Promise<{
        id: string;
        match: import("../types/api.js").components["schemas"]["Match"];
        trigger: import("../types/api.js").components["schemas"]["Trigger"];
        effect: import("../types/api.js").components["schemas"]["Effect"] | null;
        expressible: boolean;
        python: string;
        calls: number;
        hits: number;
        touched_bytes: number;
        held: number;
        released: number;
        is_over: boolean;
        error: string | null;
        warning: string | null;
        nearest: import("../types/api.js").components["schemas"]["NearestView"] | null;
        story: string;
    }>;
    /** Release the calls that it holds, and return their number. */
    release(): Promise<number>;
    /** Remove it; the calls that it holds are released. */
    remove(): Promise<void>;
    #private;
}
/**
 * Options of effects that lose something.
 *
 * @typedef {Pick<Schemas["LoseResponse"], "how">} LossOptions
 */
/** Fault in the making: a trigger, if any, and then the effect, which creates the fault. */
export class FaultBuilder {
    /**
     * @param {AdminClient} api
     * @param {Omit<Schemas["FaultDocument"], "effect">} document
     */
    constructor(api: AdminClient, document: Omit<Schemas["FaultDocument"], "effect">);
    /**
     * Give the fault an id, for `at.fault` and the journal.
     *
     * @param {string} id
     */
    named(id: string): FaultBuilder;
    /** Fire at the first call (the default). */
    once(): FaultBuilder;
    /**
     * Fire at the first calls.
     *
     * @param {number} count
     */
    times(count: number): FaultBuilder;
    /**
     * Fire at one call: `onCall(2)` at the second.
     *
     * @param {number} number
     */
    onCall(number: number): FaultBuilder;
    /** Fire at every call. */
    everyTime(): FaultBuilder;
    /**
     * Fire at each call with a probability; random choices use the cluster's seed.
     *
     * @param {number} probability
     */
    withProbability(probability: number): FaultBuilder;
    /**
     * Answer with an error; nothing is applied.
     *
     * @param {string | number} error The error's name in Kafka, or its code.
     * @param {Omit<Schemas["Answer"], "answer">} [options]
     */
    answer(error: string | number, options?: Omit<Schemas["Answer"], "answer">): Promise<Fault>;
    /**
     * Apply the request, and answer with an error.
     *
     * @param {string | number} error The error's name in Kafka, or its code.
     * @param {Omit<Schemas["ApplyThenAnswer"], "apply_then_answer">} [options]
     */
    applyThenAnswer(error: string | number, options?: Omit<Schemas["ApplyThenAnswer"], "apply_then_answer">): Promise<Fault>;
    /**
     * Apply the request, and lose the response.
     *
     * @param {LossOptions} [options]
     */
    loseResponse(options?: LossOptions): Promise<Fault>;
    /**
     * Lose the request: nothing is applied, and there is no response.
     *
     * @param {LossOptions} [options]
     */
    dropRequest(options?: LossOptions): Promise<Fault>;
    /**
     * Hold the request until an event of `at`, for a time, or until it is released.
     *
     * @param {Omit<Schemas["Hold"], "hold">} [options]
     */
    hold(options?: Omit<Schemas["Hold"], "hold">): Promise<Fault>;
    /**
     * Apply the request, and hold the response until an event of `at`, for a time, or until it is released.
     *
     * @param {Omit<Schemas["HoldResponse"], "hold_response">} [options]
     */
    holdResponse(options?: Omit<Schemas["HoldResponse"], "hold_response">): Promise<Fault>;
    /**
     * Apply the request, and delay the response.
     *
     * @param {Duration} by
     */
    delay(by: Duration): Promise<Fault>;
    /**
     * Apply the request, and set the throttle time of the response.
     *
     * @param {Duration} by
     */
    throttle(by: Duration): Promise<Fault>;
    /** Apply the request twice; the client gets the first response. */
    duplicate(): Promise<Fault>;
    /** Change a byte of the records: those of a Produce before they arrive, of a Fetch after. */
    corrupt(): Promise<Fault>;
    /** Change nothing, at every call: for `hits` and `wait`. */
    observe(): Promise<Fault>;
    /**
     * Delay bytes, plus or minus a random part of a jitter.
     *
     * @param {Duration} latency
     * @param {Omit<Schemas["Latency"]["latency"], "latency">} [options]
     */
    latency(latency: Duration, options?: Omit<Schemas["Latency"]["latency"], "latency">): Promise<Fault>;
    /**
     * Limit a connection to this many kilobytes, of 1000 bytes, a second.
     *
     * @param {number} rate
     * @param {Omit<Schemas["Bandwidth"]["bandwidth"], "rate_kb_s">} [options]
     */
    bandwidth(rate: number, options?: Omit<Schemas["Bandwidth"]["bandwidth"], "rate_kb_s">): Promise<Fault>;
    /**
     * Delay the close of a connection by the broker, or upstream by the client.
     *
     * @param {Duration} delay
     * @param {Omit<Schemas["SlowClose"]["slow_close"], "delay">} [options]
     */
    slowClose(delay: Duration, options?: Omit<Schemas["SlowClose"]["slow_close"], "delay">): Promise<Fault>;
    /**
     * Stop all data, and close the connection after a time; without one never.
     *
     * @param {Schemas["Timeout"]["timeout"]} [options]
     */
    timeout(options?: Schemas["Timeout"]["timeout"]): Promise<Fault>;
    /**
     * Lose the next bytes, and reset the connection (RST) a time after they arrived.
     *
     * @param {Schemas["ResetPeer"]["reset_peer"]} [options]
     */
    resetPeer(options?: Schemas["ResetPeer"]["reset_peer"]): Promise<Fault>;
    /**
     * Split the data into pieces of about a size, with a delay after each.
     *
     * @param {number} averageSize
     * @param {Omit<Schemas["Slicer"]["slicer"], "average_size">} [options]
     */
    slicer(averageSize: number, options?: Omit<Schemas["Slicer"]["slicer"], "average_size">): Promise<Fault>;
    /**
     * Close the connection after that many more bytes.
     *
     * @param {number} limit
     * @param {Omit<Schemas["LimitData"]["limit_data"], "limit_bytes">} [options]
     */
    limitData(limit: number, options?: Omit<Schemas["LimitData"]["limit_data"], "limit_bytes">): Promise<Fault>;
    /**
     * Create the fault with an effect that is given as a document.
     *
     * @param {Schemas["Effect"]} effect
     * @returns {Promise<Fault>}
     * @throws {import("./errors.js").ProblemError} The fault can never fire, or is wrong.
     */
    effect(effect: Schemas["Effect"]): Promise<Fault>;
    #private;
}
/**
 * Duration: text such as `250ms`, `90s`, `7d`, or a number of milliseconds.
 */
export type Duration = string | number;
/**
 * A limit of a wait: the request fails after it, with the call that came closest.
 */
export type WaitOptions = {
    /**
     * The longest time to wait (5s).
     */
    timeout?: Duration | undefined;
    /**
     * Signal that ends the wait, such as that of a test.
     */
    signal?: AbortSignal | undefined;
};
/**
 * Options of effects that lose something.
 */
export type LossOptions = Pick<Schemas["LoseResponse"], "how">;
import type { AdminClient } from "./client.js";
import type { Schemas } from "../types/api.js";
