/** @import { paths as Paths } from "../types/api.js" */
/** @typedef {"GET" | "POST" | "PUT" | "DELETE"} Method */
/**
 * The paths that have a method.
 *
 * @template {Method} M
 * @typedef {{ [P in keyof Paths]: Paths[P] extends Record<Lowercase<M>, object> ? P : never }[keyof Paths]} PathOf
 */
/**
 * An operation of the HTTP API.
 *
 * @template {Method} M
 * @template {keyof Paths} P
 * @typedef {Paths[P] extends Record<Lowercase<M>, infer O> ? O : never} Operation
 */
/**
 * The parameters and the body of a request.
 *
 * @template O
 * @typedef {(O extends { parameters: { path: infer N } } ? { path: N } : {})
 *   & (O extends { parameters: { query: infer Q } } ? { query: Q } : O extends { parameters: { query?: infer Q } } ? { query?: Q } : {})
 *   & (O extends { requestBody: { content: { "application/json": infer B } } } ? { body: B } : O extends { requestBody?: { content: { "application/json": infer B } } } ? { body?: B } : {})
 *   & { signal?: AbortSignal }} Given
 */
/**
 * The document of a response, or undefined if there is none.
 *
 * @template O
 * @typedef {O extends { responses: infer R } ? R[keyof R] extends { content: { "application/json": infer D } } ? D : undefined : never} Result
 */
/** HTTP client of one cluster's admin API. */
export class AdminClient {
    /**
     * @param {string} url The URL of the admin API, such as `http://127.0.0.1:8092`.
     * @param {string} [token] Its token, where commands need one.
     * @param {() => string} [explanation] More about an API that does not answer.
     */
    constructor(url: string, token?: string, explanation?: () => string);
    url: string;
    token: string | undefined;
    /**
     * Send a request, and return the document of the response.
     *
     * @template {Method} M
     * @template {PathOf<M>} P
     * @param {M} method
     * @param {P} path The path as in the OpenAPI document: `/api/v1/faults/{id}`.
     * @param {{} extends Given<Operation<M, P>> ? [given?: Given<Operation<M, P>>] : [given: Given<Operation<M, P>>]} rest
     *   Its parameters and its body.
     * @returns {Promise<Result<Operation<M, P>>>}
     * @throws {ProblemError} mockbroker refuses it.
     */
    request<M extends Method, P extends PathOf<M>>(method: M, path: P, ...rest: {} extends Given<Operation<M, P>> ? [given?: Given<Operation<M, P>>] : [given: Given<Operation<M, P>>]): Promise<Result<Operation<M, P>>>;
    #private;
}
export type Anything = {
    path?: Record<string, string | number> | undefined;
    query?: Record<string, unknown> | undefined;
    body?: unknown;
    signal?: AbortSignal | undefined;
};
export type Method = "GET" | "POST" | "PUT" | "DELETE";
/**
 * The paths that have a method.
 */
export type PathOf<M extends Method> = { [P in keyof Paths]: Paths[P] extends Record<Lowercase<M>, object> ? P : never; }[keyof Paths];
/**
 * An operation of the HTTP API.
 */
export type Operation<M extends Method, P extends keyof Paths> = Paths[P] extends Record<Lowercase<M>, infer O> ? O : never;
/**
 * The parameters and the body of a request.
 */
export type Given<O> = (O extends {
    parameters: {
        path: infer N;
    };
} ? {
    path: N;
} : {}) & (O extends {
    parameters: {
        query: infer Q;
    };
} ? {
    query: Q;
} : O extends {
    parameters: {
        query?: infer Q;
    };
} ? {
    query?: Q;
} : {}) & (O extends {
    requestBody: {
        content: {
            "application/json": infer B;
        };
    };
} ? {
    body: B;
} : O extends {
    requestBody?: {
        content: {
            "application/json": infer B;
        };
    };
} ? {
    body?: B;
} : {}) & {
    signal?: AbortSignal;
};
/**
 * The document of a response, or undefined if there is none.
 */
export type Result<O> = O extends {
    responses: infer R;
} ? R[keyof R] extends {
    content: {
        "application/json": infer D;
    };
} ? D : undefined : never;
import type { paths as Paths } from "../types/api.js";
