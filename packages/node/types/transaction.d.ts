/** @import { AdminClient } from "./client.js" */
/** @import { Schemas } from "../types/api.js" */
/** @import { WaitOptions } from "./faults.js" */
/** Transactional id of a cluster. */
export class Transaction {
    /**
     * @param {AdminClient} api
     * @param {string} transactionalId
     */
    constructor(api: AdminClient, transactionalId: string);
    /** The transactional id. */
    transactionalId: string;
    /**
     * Show the state of its coordinator: `state`, `producer_epoch`, `partitions`.
     *
     * @returns {Promise<Schemas["TransactionView"]>}
     */
    view(): Promise<Schemas["TransactionView"]>;
    /** Return its state, named as in Kafka: `Empty`, `Ongoing`, `CompleteCommit`, and so on. */
    state(): Promise<string>;
    /**
     * Wait until it is in a state; it need not exist yet.
     *
     * @param {string} state The state's name in Kafka, such as `CompleteAbort`.
     * @param {WaitOptions} [options]
     * @throws {import("./errors.js").WaitTimeoutError} It is in another state then.
     */
    waitFor(state: string, options?: WaitOptions): Promise<void>;
    /**
     * Hold the steps after the next commit or abort: its markers and its completion record.
     *
     * @param {Schemas["HoldDocument"]} [only] The partition whose marker alone is held.
     */
    holdEnding(only?: Schemas["HoldDocument"]): Promise<void>;
    /** Run the next held step, and return what was done; null if none is left. */
    step(): Promise<string | null>;
    /** Run all held steps, and hold no more. */
    release(): Promise<void>;
    /**
     * Abort the open transaction, as its coordinator does when it times out.
     *
     * @returns {Promise<Schemas["TransactionView"]>}
     */
    abort(): Promise<Schemas["TransactionView"]>;
    /** Expire the transactional id now, as `transactional.id.expiration.ms` does later. */
    expire(): Promise<void>;
    /**
     * Move its coordinator to another broker.
     *
     * @param {number} [to] The broker; default: the next one.
     * @returns {Promise<number>} The new coordinator.
     */
    moveCoordinator(to?: number): Promise<number>;
    #private;
}
import type { Schemas } from "../types/api.js";
import type { WaitOptions } from "./faults.js";
import type { AdminClient } from "./client.js";
