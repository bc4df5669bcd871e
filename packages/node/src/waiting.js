import { setTimeout as sleep } from "node:timers/promises";
import { WaitTimeoutError } from "./errors.js";

const INTERVAL_MS = 20;
const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

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
export async function until(ask, isRight, explain, { timeout = "5s", signal }) {
  const deadline = Date.now() + milliseconds(timeout);
  for (;;) {
    const answer = await ask();
    if (isRight(answer)) {
      return answer;
    }
    if (Date.now() >= deadline) {
      throw new WaitTimeoutError(`${explain(answer)} after ${timeout}`);
    }
    await sleep(INTERVAL_MS, undefined, { signal });
  }
}

/**
 * Return the milliseconds of a duration such as `250ms`.
 *
 * @param {import("./faults.js").Duration} duration
 */
export function milliseconds(duration) {
  if (typeof duration === "number") {
    return duration;
  }
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration) ?? [];
  if (unit === undefined) {
    throw new RangeError(`${duration} is no duration: write 250ms, 90s, 7d, or a number of ms`);
  }
  return Number(count) * UNITS_MS[/** @type {keyof typeof UNITS_MS} */ (unit)];
}
