/** @import { Schemas } from "../types/api.js" */

/** Error of this package: mockbroker did not start, or it does not answer. */
export class MockbrokerError extends Error {
  name = "MockbrokerError";
}

/** Refusal by mockbroker, with the problem document (RFC 9457) that it answered. */
export class ProblemError extends MockbrokerError {
  name = "ProblemError";

  /**
   * @param {Schemas["ProblemDocument"]} problem
   * @param {string} request The request that was refused, such as `POST /api/v1/faults`.
   */
  constructor(problem, request) {
    const at = problem.path ? ` at ${problem.path}` : "";
    super(`${problem.detail}\n(${request}: ${problem.status} ${problem.code}${at})`);
    /** The whole document. */
    this.problem = problem;
    /** The code for programs, such as `invalid`, `not-found` or `timeout`. */
    this.code = problem.code;
    /** The status of the HTTP response. */
    this.status = problem.status;
  }
}

/** Wait for something that has not happened in time. */
export class WaitTimeoutError extends MockbrokerError {
  name = "WaitTimeoutError";
}
