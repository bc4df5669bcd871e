/** @import { AdminClient } from "./client.js" */
/** @import { Schemas } from "../types/api.js" */

/** Broker of a cluster. */
export class Broker {
  #api;

  /**
   * @param {AdminClient} api
   * @param {number} id
   */
  constructor(api, id) {
    this.#api = api;
    /** Its id. */
    this.id = id;
  }

  /**
   * Kill it as `kill -9` does: connections break, and its port refuses new ones.
   *
   * @returns {Promise<Schemas["BrokersView"]>}
   */
  async kill() {
    return this.#api.request("POST", "/api/v1/brokers/{broker}/kill", this.#given);
  }

  /**
   * Stop it in a controlled way, after it wrote its checkpoints and snapshots.
   *
   * @returns {Promise<Schemas["BrokersView"]>}
   */
  async stop() {
    return this.#api.request("POST", "/api/v1/brokers/{broker}/stop", this.#given);
  }

  /**
   * Start it again at the same port, with the logs that it had.
   *
   * @param {Schemas["StartDocument"]} [options] The producer snapshot that it loads.
   * @returns {Promise<Schemas["BrokersView"]>}
   */
  async start(options) {
    const given = { ...this.#given, body: options ?? {} };
    return this.#api.request("POST", "/api/v1/brokers/{broker}/start", given);
  }

  /**
   * Isolate it from all others; clients still reach it, and it uses its last metadata.
   *
   * @returns {Promise<Schemas["BrokersView"]>}
   */
  async isolate() {
    return this.#api.request("POST", "/api/v1/brokers/{broker}/isolate", this.#given);
  }

  /**
   * Reconnect it to the cluster, if it is isolated.
   *
   * @returns {Promise<Schemas["BrokersView"]>}
   */
  async rejoin() {
    return this.#api.request("POST", "/api/v1/brokers/{broker}/rejoin", this.#given);
  }

  /**
   * Stop its fetches from all leaders, while its replicas stay in sync for a time.
   *
   * @returns {Promise<Schemas["BrokersView"]>}
   */
  async lag() {
    return this.#api.request("POST", "/api/v1/brokers/{broker}/lag", this.#given);
  }

  /**
   * Let it fetch from all leaders again, and its replicas be in sync.
   *
   * @returns {Promise<Schemas["BrokersView"]>}
   */
  async catchUp() {
    return this.#api.request("POST", "/api/v1/brokers/{broker}/catch-up", this.#given);
  }

  /**
   * Simulate a power failure of it: unflushed records are lost, and it starts again.
   *
   * @returns {Promise<Schemas["BrokersView"]>}
   */
  async crash() {
    return this.#api.request("POST", "/api/v1/crash", { body: { broker: this.id } });
  }

  get #given() {
    return { path: { broker: this.id } };
  }
}
