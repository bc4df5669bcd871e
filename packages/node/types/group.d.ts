/** @import { AdminClient } from "./client.js" */
/** @import { Schemas } from "../types/api.js" */
/** Group of a cluster. */
export class Group {
    /**
     * @param {AdminClient} api
     * @param {string} groupId
     */
    constructor(api: AdminClient, groupId: string);
    /** Its id. */
    groupId: string;
    /**
     * Show its state, its members with their assignments, and its committed offsets.
     *
     * @returns {Promise<Schemas["GroupView"]>}
     */
    view(): Promise<Schemas["GroupView"]>;
    /**
     * Remove a member, as the coordinator does when the member's session ends.
     *
     * @param {string} memberId
     * @returns {Promise<Schemas["GroupView"]>}
     */
    fence(memberId: string): Promise<Schemas["GroupView"]>;
    /**
     * Begin a rebalance, as after a member has joined and left again.
     *
     * @returns {Promise<Schemas["GroupView"]>}
     */
    rebalance(): Promise<Schemas["GroupView"]>;
    /** Keep the members from new assignments; the group need not exist yet. */
    holdReconciliation(): Promise<void>;
    /**
     * Let one member of a held group take its next step, in its next heartbeat.
     *
     * @param {string} memberId
     */
    step(memberId: string): Promise<void>;
    /** Hold the members no more: they get their assignments in their next heartbeats. */
    release(): Promise<void>;
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
import type { AdminClient } from "./client.js";
