/**
 * Ask again and again until an answer is right.
 *
 * @template T
 * @param {() => Promise<T>} ask
 * @param {(answer: T) => boolean} isRight
 * @param {(last: T) => string} explain What has not happened, from the last answer.
 * @param {import("./faults.js").WaitOptions} options
 * @returns {Promise<T>}
 * @throws {WaitTimeoutError} It was not right in time.
 */
export function until<T>(ask: () => Promise<T>, isRight: (answer: T) => boolean, explain: (last: T) => string, { timeout, signal }: import("./faults.js").WaitOptions): Promise<T>;
/**
 * Return the milliseconds of a duration such as `250ms`.
 *
 * @param {import("./faults.js").Duration} duration
 */
export function milliseconds(duration: import("./faults.js").Duration): number;
