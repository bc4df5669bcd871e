// The page: it routes to views, loads what they show, and loads it again when it changed.

import { Problem, get } from "./api.js";
import { clockCommands } from "./commands/clock.js";
import { readSession } from "./commands/command.js";
import { delegate, h, update } from "./dom.js";
import { events } from "./events.js";
import { group } from "./group.js";
import { brokerList, faultList, groupList, topicList, transactionList } from "./lists.js";
import { Live } from "./live.js";
import { overview } from "./overview.js";
import { link, title } from "./parts.js";
import { followingEnds, keepNames } from "./picture.js";
import { search } from "./search.js";
import { topic } from "./topic.js";
import { transaction } from "./transaction.js";
import { dateTime, duration } from "./text.js";

const VIEWS = [
  ["", overview, "o"],
  ["topics", topicList, "t"],
  ["transactions", transactionList, "x"],
  ["groups", groupList, "g"],
  ["faults", faultList, "f"],
  ["brokers", brokerList, "b"],
  ["events", events, "e"],
];
const DETAILS = { topics: topic, transactions: transaction, groups: group };
const main = document.getElementById("main");
const clock = { nowMs: Date.now(), readAt: performance.now(), mode: "offset", aheadMs: 0 };
let shown = { view: null, where: null };
let isLoading = false;
let isOutdated = false;

function where() {
  const [route, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = route.split("/").filter(Boolean).map(decoded);
  return { parts, query: new URLSearchParams(query), address: location.hash };
}

/** Decode a part of an address; one that somebody typed may not be encoded. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function viewOf({ parts }) {
  if (parts.length > 1) return DETAILS[parts[0]] ?? missing;
  if (parts[0] === "search") return search;
  return VIEWS.find(([name]) => name === (parts[0] ?? ""))?.[1] ?? missing;
}

const missing = {
  title: "Not found",
  wants: () => false,
  load: async () => null,
  render: () => title("There is no such view", link([], "Go to the overview")),
};

const context = {
  go(parts, query = {}, { replace = false } = {}) {
    const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "" && value !== null));
    const hash = `#/${parts.map(encodeURIComponent).join("/")}${given.size ? `?${given}` : ""}`;
    if (replace) {
      history.replaceState(null, "", hash);
      route();
    } else location.hash = hash;
  },
  /** Run a command; then show its result, or why it was refused. */
  async act(command, done) {
    try {
      const answer = await command();
      if (done) toast(typeof done === "function" ? done(answer) : done, "good");
      await refresh();
      return answer;
    } catch (problem) {
      toast(problem.message, "bad");
      return undefined;
    }
  },
  nowMs: () => clock.nowMs + (clock.mode === "manual" ? 0 : performance.now() - clock.readAt),
};

async function route() {
  const at = where();
  const view = viewOf(at);
  const isNew = shown.view !== view || shown.where?.parts.join("/") !== at.parts.join("/");
  shown = { view, where: at };
  if (isNew) leave();
  showNavigation(at);
  document.title = `${at.parts[1] ?? view.title} · mockbroker`;
  await refresh();
  if (isNew && shown.where === at) {
    window.scrollTo(0, 0);
    if (document.activeElement === document.body || document.activeElement?.closest("nav, main")) main.focus({ preventScroll: true });
  }
}

/** Take no clicks in the old view: its commands would act on what the address no longer names. */
function leave() {
  main.inert = true;
  main.setAttribute("aria-busy", "true");
}

/** Take clicks in a view that is shown now; `data-shown` is its address. */
function arrive({ address }) {
  main.inert = false;
  main.removeAttribute("aria-busy");
  main.dataset.shown = address;
}

/** Load the view again; while it loads, further calls are one. */
async function refresh() {
  if (isLoading) {
    isOutdated = true;
    return;
  }
  isLoading = true;
  try {
    do {
      isOutdated = false;
      await show();
    } while (isOutdated);
  } finally {
    isLoading = false;
  }
}

async function show() {
  const { view, where: at } = shown;
  try {
    const [data, now] = await Promise.all([view.load(at), get("/clock")]);
    if (shown.where !== at) {
      isOutdated = true;
      return;
    }
    Object.assign(clock, { nowMs: now.now_ms, readAt: performance.now(), mode: now.mode, aheadMs: now.ahead_ms });
    showClock();
    update(document.getElementById("clock-commands"), clockCommands(context.act, { mode: clock.mode, nowMs: clock.nowMs }));
    followingEnds(main, () => update(main, view.render(data, { ...context, ...at })));
    arrive(at);
  } catch (problem) {
    if (shown.where !== at) return;
    update(main, failure(problem));
    arrive(at);
  }
}

function failure(problem) {
  const isKnown = problem instanceof Problem;
  const text = isKnown ? problem.message : "The cluster does not answer. It may have been stopped.";
  return title(isKnown && problem.document.code === "not-found" ? "Not found" : "No answer", [text, " ", link([], "Go to the overview")]);
}

function showNavigation({ parts }) {
  const current = parts[0] ?? "";
  const views = document.getElementById("views");
  update(views, h("ul", {}, VIEWS.map(([name, view, key]) =>
    h("li", {}, link(name ? [name] : [], [h("span", {}, view.title), h("kbd", { "aria-hidden": "true" }, key)], { "aria-current": name === current ? "page" : null })))));
  views.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function showClock() {
  const nowMs = context.nowMs();
  update(document.getElementById("clock"),
    h("span", { title: "The clock of the cluster's state: timeouts, expiry and retention" }, h("small", {}, "state"), h("time", {}, dateTime(nowMs)), clock.mode === "manual" ? h("em", {}, "frozen") : null),
    h("span", { title: "The clock of connections" }, h("small", {}, "real"), h("time", {}, dateTime(Date.now())), Math.abs(clock.aheadMs) >= 1000 ? h("em", {}, `state ${duration(Math.abs(clock.aheadMs))} ${clock.aheadMs > 0 ? "ahead" : "behind"}`) : null));
}

const LABELS = { live: "Live", connecting: "Connecting", offline: "Offline", paused: "Paused" };

function showState(state) {
  const button = document.getElementById("pause");
  button.dataset.state = state;
  button.setAttribute("aria-pressed", String(state === "paused"));
  button.setAttribute("aria-label", `${LABELS[state]}: ${state === "paused" ? "continue" : "pause"}`);
  button.title = state === "paused" ? "Continue (p)" : "Pause (p)";
  update(button, h("span", { class: "dot" }), h("span", {}, LABELS[state]));
}

export function toast(text, kind) {
  const shownToast = h("div", { class: `toast ${kind}` }, text);
  document.getElementById("toasts").append(shownToast);
  setTimeout(() => shownToast.remove(), 6000);
}

const live = new Live((changes) => (changes === null || shown.view?.wants(changes, shown.where)) && refresh(), showState);

function changeTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("mockbroker-theme", root.dataset.theme);
}

function showHelp() {
  const keys = [...VIEWS.map(([, view, key]) => [key, view.title]), ["/", "Search"], ["p", "Pause or continue"], ["d", "Light or dark"], ["?", "This help"]];
  const dialog = h("dialog", { "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, "Keyboard shortcuts"),
    h("dl", { class: "keys" }, keys.map(([key, text]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)))),
    h("form", { method: "dialog" }, h("button", {}, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.getElementById("dialogs").append(dialog);
  dialog.showModal();
}

const KEYS = {
  "/": () => document.getElementById("query").focus(),
  "?": showHelp,
  d: changeTheme,
  p: () => live.pause(!live.isPaused),
  ...Object.fromEntries(VIEWS.map(([name, , key]) => [key, () => context.go(name ? [name] : [])])),
};

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, dialog, [popover]");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
});
document.getElementById("pause").addEventListener("click", KEYS.p);
document.getElementById("theme").addEventListener("click", changeTheme);
document.getElementById("help").addEventListener("click", showHelp);
document.getElementById("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = document.getElementById("query").value.trim();
  if (text) context.go(["search"], { text });
});
addEventListener("hashchange", route);
delegate(main);
keepNames(main);
delegate(document.getElementById("clock-commands"));
readSession();
setInterval(() => !document.hidden && showClock(), 1000);
route();
live.adjust();
