// Commands of the clock of the cluster's state.

import { call, command, post } from "./command.js";

const SESSIONS = {
  name: "sessions",
  label: "Members of groups",
  choices: [["keep", "keep their sessions, as they live in real time"], ["end", "lose their sessions, as by the clock"]],
};
const kept = (sessions) => (sessions === "end" ? { keep_sessions: false } : {});
const put = (body, python) => ({ method: "PUT", where: "/clock", body, python });

export const clockCommands = (act, { mode, nowMs }) => [
  command("Advance", {
    title: "Advance the clock", act, about: "Runs every timer up to the new time, in order: timeouts, expiry, retention.",
    fields: [{ name: "by", label: "By", value: "1m", required: true, placeholder: "250ms, 90s, 7d" }, SESSIONS],
    build: ({ by, sessions }) => post(["clock", "advance"], { by, ...kept(sessions) }, call("cluster.clock.advance", [by], kept(sessions))),
    done: "The clock was advanced.",
  }),
  command("Set", {
    title: "Set the clock", act, about: "Advances to a time, in ISO 8601 or in milliseconds since 1970. The clock cannot go back.",
    fields: [{ name: "now", label: "To", value: instant(nowMs + 3_600_000), required: true }, SESSIONS],
    build: ({ now, sessions }) => {
      const to = /^\d+$/.test(now) ? Number(now) : now;
      return put({ now: to, ...kept(sessions) }, call("cluster.clock.set", [to], kept(sessions)));
    },
    done: "The clock was set.",
  }),
  mode === "manual"
    ? command("Resume", { title: "Resume the clock", act, build: () => put({ frozen: false }, "cluster.clock.resume()") })
    : command("Freeze", { title: "Freeze the clock", act, build: () => put({ frozen: true }, "cluster.clock.freeze()") }),
];

/** A time in ISO 8601, in whole seconds; as a number where ISO 8601 has no form for it. */
function instant(ms) {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : `${date.toISOString().slice(0, 19)}Z`;
}
