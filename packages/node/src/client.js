import { MockbrokerError, ProblemError } from "./errors.js";

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
  /** @type {(() => string)} */
  #explanation;

  /**
   * @param {string} url The URL of the admin API, such as `http://127.0.0.1:8092`.
   * @param {string} [token] Its token, where commands need one.
   * @param {() => string} [explanation] More about an API that does not answer.
   */
  constructor(url, token, explanation = () => "") {
    this.url = url.replace(/\/+$/, "");
    this.token = token;
    this.#explanation = explanation;
  }

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
  async request(method, path, ...rest) {
    const given = /** @type {Anything} */ (rest[0] ?? {});
    const url = this.url + filled(path, given.path ?? {}) + queryOf(given.query ?? {});
    const response = await this.#answer(method, url, given);
    const isDocument = /json/.test(response.headers.get("Content-Type") ?? "");
    const document = isDocument ? /** @type {any} */ (await response.json()) : undefined;
    const request = `${method} ${new URL(url).pathname}`;
    if (response.ok && (isDocument || response.status === 204)) {
      return document;
    }
    if (document?.code === undefined) {
      throw new MockbrokerError(`no mockbroker at ${this.url}: ${request}: ${response.status}`);
    }
    throw new ProblemError(document, request);
  }

  /**
   * @param {string} method
   * @param {string} url
   * @param {Anything} given
   */
  async #answer(method, url, { body, signal }) {
    const headers = {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(this.token ? { Authorization: `Bearer ${this.token}` } : {}),
    };
    try {
      return await fetch(url, { method, headers, body: JSON.stringify(body), signal });
    } catch (error) {
      signal?.throwIfAborted();
      const cause = /** @type {NodeJS.ErrnoException} */ (
        /** @type {Error} */ (error).cause ?? error
      );
      const why = cause.message || cause.code; // that of several addresses has no message
      const message = `mockbroker does not answer at ${this.url}: ${why}${this.#explanation()}`;
      throw new MockbrokerError(message, { cause });
    }
  }
}

/**
 * @typedef {object} Anything
 * @property {Record<string, string | number>} [path]
 * @property {Record<string, unknown>} [query]
 * @property {unknown} [body]
 * @property {AbortSignal} [signal]
 */

/**
 * @param {string} path
 * @param {Record<string, string | number>} names
 */
function filled(path, names) {
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(names[name] ?? ""));
}

/** @param {Record<string, unknown>} query */
function queryOf(query) {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) {
        words.append(name, String(each));
      }
    }
  }
  return String(words) && `?${words}`;
}
