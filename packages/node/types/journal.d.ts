/** @import { AdminClient } from "./client.js" */
/** @import { WaitOptions } from "./faults.js" */
/** @import { Schemas } from "../types/api.js" */
/** Journal of a cluster: every request and response, append, marker and fault, once it is on. */
export class Journal {
    /** @param {AdminClient} api */
    constructor(api: AdminClient);
    /**
     * Record from now on.
     *
     * @param {Omit<Schemas["JournalDocument"], "on">} [options] The most entries in memory.
     */
    on(options?: Omit<Schemas["JournalDocument"], "on">): Promise<void>;
    /** Record no more; recorded entries stay readable. */
    off(): Promise<void>;
    /**
     * Return the entries that match all given fields: `{ kind: "answer", api: "EndTxn" }`.
     *
     * @param {Schemas["JournalSelection"]} [selection]
     * @returns {Promise<Schemas["EntryView"][]>}
     */
    entries(selection?: Schemas["JournalSelection"]): Promise<Schemas["EntryView"][]>;
    /**
     * Count requests, or entries of another kind.
     *
     * @param {Schemas["JournalSelection"]} [selection]
     */
    count(selection?: Schemas["JournalSelection"]): Promise<number>;
    /**
     * Wait until so many requests, or entries of another kind, are in the journal.
     *
     * @param {Schemas["JournalSelection"]} selection
     * @param {{ count?: number } & WaitOptions} [options] One, if no count is given.
     * @returns {Promise<number>} Their number.
     * @throws {import("./errors.js").WaitTimeoutError} There are fewer then.
     */
    waitFor(selection: Schemas["JournalSelection"], { count, ...options }?: {
        count?: number;
    } & WaitOptions): Promise<number>;
    /** Delete the entries in memory. */
    clear(): Promise<void>;
    #private;
}
import type { Schemas } from "../types/api.js";
import type { WaitOptions } from "./faults.js";
import type { AdminClient } from "./client.js";
