/** @import { AdminClient } from "./client.js" */
/** @import { Schemas } from "../types/api.js" */
/** Broker of a cluster. */
export class Broker {
    /**
     * @param {AdminClient} api
     * @param {number} id
     */
    constructor(api: AdminClient, id: number);
    /** Its id. */
    id: number;
    /**
     * Kill it as `kill -9` does: connections break, and its port refuses new ones.
     *
     * @returns {Promise<Schemas["BrokersView"]>}
     */
    kill(): Promise<Schemas["BrokersView"]>;
    /**
     * Stop it in a controlled way, after it wrote its checkpoints and snapshots.
     *
     * @returns {Promise<Schemas["BrokersView"]>}
     */
    stop(): Promise<Schemas["BrokersView"]>;
    /**
     * Start it again at the same port, with the logs that it had.
     *
     * @param {Schemas["StartDocument"]} [options] The producer snapshot that it loads.
     * @returns {Promise<Schemas["BrokersView"]>}
     */
    start(options?: Schemas["StartDocument"]): Promise<Schemas["BrokersView"]>;
    /**
     * Isolate it from all others; clients still reach it, and it uses its last metadata.
     *
     * @returns {Promise<Schemas["BrokersView"]>}
     */
    isolate(): Promise<Schemas["BrokersView"]>;
    /**
     * Reconnect it to the cluster, if it is isolated.
     *
     * @returns {Promise<Schemas["BrokersView"]>}
     */
    rejoin(): Promise<Schemas["BrokersView"]>;
    /**
     * Stop its fetches from all leaders, while its replicas stay in sync for a time.
     *
     * @returns {Promise<Schemas["BrokersView"]>}
     */
    lag(): Promise<Schemas["BrokersView"]>;
    /**
     * Let it fetch from all leaders again, and its replicas be in sync.
     *
     * @returns {Promise<Schemas["BrokersView"]>}
     */
    catchUp(): Promise<Schemas["BrokersView"]>;
    /**
     * Simulate a power failure of it: unflushed records are lost, and it starts again.
     *
     * @returns {Promise<Schemas["BrokersView"]>}
     */
    crash(): Promise<Schemas["BrokersView"]>;
    #private;
}
import type { Schemas } from "../types/api.js";
import type { AdminClient } from "./client.js";
