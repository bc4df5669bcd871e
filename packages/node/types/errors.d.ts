/** @import { Schemas } from "../types/api.js" */
/** Error of this package: mockbroker did not start, or it does not answer. */
export class MockbrokerError extends Error {
}
/** Refusal by mockbroker, with the problem document (RFC 9457) that it answered. */
export class ProblemError extends MockbrokerError {
    /**
     * @param {Schemas["ProblemDocument"]} problem
     * @param {string} request The request that was refused, such as `POST /api/v1/faults`.
     */
    constructor(problem: Schemas["ProblemDocument"], request: string);
    /** The whole document. */
    problem: {
        type: string;
        title: string;
        status: number;
        detail: string;
        code: string;
        path?: string | null;
        near?: string[];
        kafka_error?: string | null;
        command?: string | null;
    };
    /** The code for programs, such as `invalid`, `not-found` or `timeout`. */
    code: string;
    /** The status of the HTTP response. */
    status: number;
}
/** Wait for something that has not happened in time. */
export class WaitTimeoutError extends MockbrokerError {
}
import type { Schemas } from "../types/api.js";
