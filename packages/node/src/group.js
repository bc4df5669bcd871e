/** @import { AdminClient } from "./client.js" */
/** @import { Schemas } from "../types/api.js" */

/** Group of a cluster. */
export class Group {
  #api;

  /**
   * @param {AdminClient} api
   * @param {string} groupId
   */
  constructor(api, groupId) {
    this.#api = api;
    /** Its id. */
    this.groupId = groupId;
  }

  /**
   * Show its state, its members with their assignments, and its committed offsets.
   *
   * @returns {Promise<Schemas["GroupView"]>}
   */
  async view() {
    return this.#api.request("GET", "/api/v1/groups/{group_id}", this.#given);
  }

  /**
   * Remove a member, as the coordinator does when the member's session ends.
   *
   * @param {string} memberId
   * @returns {Promise<Schemas["GroupView"]>}
   */
  async fence(memberId) {
    const given = { ...this.#given, body: { member_id: memberId } };
    return this.#api.request("POST", "/api/v1/groups/{group_id}/fence", given);
  }

  /**
   * Begin a rebalance, as after a member has joined and left again.
   *
   * @returns {Promise<Schemas["GroupView"]>}
   */
  async rebalance() {
    return this.#api.request("POST", "/api/v1/groups/{group_id}/rebalance", this.#given);
  }

  /** Keep the members from new assignments; the group need not exist yet. */
  async holdReconciliation() {
    await this.#api.request("POST", "/api/v1/groups/{group_id}/hold-reconciliation", this.#given);
  }

  /**
   * Let one member of a held group take its next step, in its next heartbeat.
   *
   * @param {string} memberId
   */
  async step(memberId) {
    const given = { ...this.#given, body: { member_id: memberId } };
    await this.#api.request("POST", "/api/v1/groups/{group_id}/step", given);
  }

  /** Hold the members no more: they get their assignments in their next heartbeats. */
  async release() {
    await this.#api.request("POST", "/api/v1/groups/{group_id}/release", this.#given);
  }

  /**
   * Move its coordinator to another broker.
   *
   * @param {number} [to] The broker; default: the next one.
   * @returns {Promise<number>} The new coordinator.
   */
  async moveCoordinator(to) {
    const body = { group: this.groupId, to };
    return (await this.#api.request("POST", "/api/v1/coordinators/move", { body })).broker;
  }

  get #given() {
    return { path: { group_id: this.groupId } };
  }
}
