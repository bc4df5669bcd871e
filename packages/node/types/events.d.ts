export namespace at {
    function abortMarker(topic: string, partition: number, producerId?: number): Schemas["Event"];
    function commitMarker(topic: string, partition: number, producerId?: number): Schemas["Event"];
    function marker(topic: string, partition: number, producerId?: number): Schemas["Event"];
    function epochBump(transactionalId: string): Schemas["Event"];
    function transactionState(transactionalId: string, state: string): Schemas["Event"];
    function fault(fault: Fault | string, counts?: {
        hits?: number;
        held?: number;
        released?: number;
    }): Schemas["Event"];
    function records(count: number, topic: string, partition?: number): Schemas["Event"];
    function logEndOffset(offset: number, topic: string, partition: number): Schemas["Event"];
}
import type { Schemas } from "../types/api.js";
import type { Fault } from "./faults.js";
