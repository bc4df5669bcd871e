// Requests to the admin API.

/** A problem document (RFC 9457) as an error. */
export class Problem extends Error {
  constructor(document) {
    super(document.detail);
    this.document = document;
  }
}

export const BASE = "api/v1";

const IDS = { faults: "id", transactions: "transactional_id", groups: "group_id" };

/** Write a path, with its parts and its query encoded. */
export function path(parts, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const segments = parts.map((part, at) => {
    const id = IDS[parts[at - 1]];
    if (!id || !/^\.\.?$|\//.test(part)) return encodeURIComponent(part);
    given.push([id, part]); // browsers remove dots from paths, and slashes have a meaning there
    return "-";
  });
  const text = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return `/${segments.join("/")}${text ? `?${text}` : ""}`;
}

export async function get(where, options = {}) {
  return ask("GET", where, undefined, options);
}

/** Wait for an answer; null if what it shows is not there, or no longer. */
export const orMissing = (answer) =>
  answer.catch((problem) => {
    if (problem.document?.code === "not-found") return null;
    throw problem;
  });

export async function ask(method, where, body, options = {}) {
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  const answer = await fetch(BASE + where, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    cache: "no-store",
    ...options,
  });
  const type = answer.headers.get("Content-Type") ?? "";
  if (!answer.ok) throw new Problem(await problemOf(answer, type));
  if (answer.status === 204) return null;
  return type.includes("json") ? answer.json() : answer.text();
}

async function problemOf(answer, type) {
  if (type.includes("json")) return answer.json();
  return { status: answer.status, code: "mistake", detail: `HTTP ${answer.status}` };
}
