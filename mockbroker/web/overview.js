// The overview: what is unusual first, then everything else in short.

import { ask, get } from "./api.js";
import { brokerCommands } from "./commands/brokers.js";
import { faultCommands } from "./commands/faults.js";
import { h } from "./dom.js";
import { eventRows } from "./events.js";
import { badge, card, code, link, table, title } from "./parts.js";
import { bytes, duration, number, plural } from "./text.js";

export const overview = {
  title: "Overview",
  wants: () => true,
  load: () => get("/views/overview"),
  render: (view, { act }) => [
    heading(view),
    tiles(view),
    hangingBanner(view),
    h("div", { class: "grid", "data-key": "grid" },
      card("Transactions", "transactions", all("transactions", view.counts.transactions + view.counts.hanging, view.transactions), transactions(view.transactions, view.cluster.clock.now_ms)),
      card("Topics", "topics", all("topics", view.counts.topics, view.topics), topics(view.topics)),
      card("Groups", "groups", all("groups", view.counts.groups, view.groups), groups(view.groups)),
      card("Faults", "faults", all("faults", view.counts.faults, view.faults), faults(view.faults)),
      card("Brokers", "brokers", null, brokers(view.brokers)),
      card("Connections", "connections", plural(view.counts.connections, "connection"), connections(view.connections)),
      card("Last events", "events", link(["events"], "All events"), view.is_journal_on ? eventRows(view.events.toReversed()) : journalOff(act))),
  ],
};

const all = (name, total, shown) =>
  link([name], total > shown.length ? `All ${number(total)} ${name}` : `All ${name}`);

function heading({ cluster }) {
  return title("Overview", ["Kafka ", cluster.kafka, " · bootstrap ", code(cluster.bootstrap_servers.replaceAll(",", ", ")), " · seed ", code(cluster.seed)]);
}

function tiles({ brokers, counts, faults }) {
  const running = brokers.filter((each) => each.state === "running").length;
  const hits = faults.reduce((sum, each) => sum + each.hits, 0);
  return h("ul", { class: "tiles", "data-key": "tiles", "aria-label": "Counts" },
    tile("brokers", ["brokers"], `${running}/${brokers.length}`, "brokers run", running < brokers.length && "bad"),
    tile("topics", ["topics"], counts.topics, `topics, ${plural(counts.partitions, "partition")}`),
    tile("open", ["transactions"], counts.open_transactions, "open transactions", counts.open_transactions && "info"),
    tile("hanging", ["transactions"], counts.hanging, "hanging", counts.hanging && "bad"),
    tile("groups", ["groups"], counts.groups, "groups"),
    tile("faults", ["faults"], counts.faults, `faults, ${plural(hits, "hit")}`, counts.faults && "warn"),
    tile("connections", ["brokers"], counts.connections, "connections"));
}

const tile = (key, to, value, text, kind) =>
  h("li", { "data-key": key }, link(to, [h("b", {}, typeof value === "number" ? number(value) : value), h("span", {}, text)], { class: `tile ${kind || ""}` }));

function hangingBanner({ counts, transactions }) {
  if (!counts.hanging) return null;
  const first = transactions[0];
  return h("div", { class: "banner bad", role: "alert", "data-key": "banner" },
    h("p", {}, h("strong", {}, plural(counts.hanging, "hanging transaction")), ": no coordinator will end ", counts.hanging === 1 ? "it" : "them", ". Readers of committed data stop at ", code(`${first.topic}-${first.partition}`), " offset ", number(first.first_offset), "."),
    link(["topics", first.topic, first.partition], "Show the partition", { class: "button" }));
}

/** Rows of transactions, hanging ones marked. */
export function transactions(rows, nowMs) {
  return table("Transactions", [["Transactional id", ""], ["State", ""], ["Producer", "number"], ["Where", ""], ["Open for", "number"]],
    rows.map((row) => [
      row.state === "Hanging" ? `hanging ${row.topic} ${row.partition} ${row.producer_id}` : row.transactional_id,
      row.state === "Hanging" ? "hanging" : "",
      [
        row.transactional_id === null ? h("span", { class: "muted" }, "unknown") : link(["transactions", row.transactional_id], row.transactional_id),
        [badge(row.state), row.pending_state && [" → ", badge(row.pending_state)]],
        `${row.producer_id} / ${row.producer_epoch}`,
        row.topic === null ? plural(row.partitions, "partition") : link(["topics", row.topic, row.partition], `${row.topic}-${row.partition} @ ${row.first_offset}`),
        row.started_at_ms === null || row.state.startsWith("Complete") ? "–" : duration(nowMs - row.started_at_ms),
      ],
    ]), "No transactional id has been used yet.");
}

export function topics(rows) {
  return table("Topics", [["Topic", ""], ["Partitions", "number"], ["Records", "number"], ["Not stable", "number"], ["Size", "number"], ["Notes", ""]],
    rows.map((row) => [row.name, row.is_internal ? "internal" : "", [
      link(["topics", row.name], row.name),
      number(row.partitions),
      number(row.records),
      number(row.behind_stable),
      bytes(row.size_bytes),
      [row.hanging > 0 && badge(`${row.hanging} hanging`, "bad"), row.leaderless > 0 && badge(`${row.leaderless} without leader`, "bad"), row.under_replicated > 0 && badge(`${row.under_replicated} under-replicated`, "warn")],
    ]]), "There are no topics. Clients create them, or the option --topic does.");
}

export function groups(rows) {
  return table("Groups", [["Group", ""], ["Kind", ""], ["State", ""], ["Members", "number"], ["Epoch", "number"], ["Lag", "number"]],
    rows.map((row) => [row.group_id, "", [link(["groups", row.group_id], row.group_id), row.kind, badge(row.state), number(row.members), number(row.group_epoch), number(row.lag)]]),
    "No client has joined a group.");
}

/** Rows of faults; with `act` they have commands. */
export function faults(rows, act) {
  return table("Faults", [["Fault", ""], ["What it does", ""], ["Hits", "number"], ["Calls", "number"], ["Status", ""], ...(act ? [["Commands", ""]] : [])],
    rows.map((row) => [row.id, row.is_over ? "over" : "", [
      code(row.id),
      h("code", { class: "wrap" }, row.python.replace(`${row.id}: `, "")),
      h("b", {}, number(row.hits)),
      number(row.calls),
      [row.held > 0 && badge(`holds ${row.held}`, "warn"), row.is_over ? badge("over", "muted") : badge("armed", "info")],
      ...(act ? [h("div", { class: "buttons" }, faultCommands(row, act))] : []),
    ]]), "There are no faults.");
}

/** Rows of brokers; with `act` they have commands. */
export function brokers(rows, act) {
  return table("Brokers", [["Broker", ""], ["State", ""], ["Address", ""], ["Leads", "number"], ...(act ? [["Commands", ""]] : [])],
    rows.map((row) => [String(row.id), "", [[code(row.id), row.is_controller && [" ", badge("controller", "info")]], badge(row.state), `${row.host}:${row.port}`, number(row.leads), ...(act ? [h("div", { class: "buttons" }, brokerCommands(row, act))] : [])]]),
    "There are no brokers.");
}

export function connections(rows) {
  return table("Connections", [["Connection", "number"], ["Client id", ""], ["Broker", "number"], ["Listener", ""], ["Principal", ""]],
    rows.map((row) => [String(row.connection), "", [String(row.connection), row.client_id === null ? h("span", { class: "muted" }, "none yet") : code(row.client_id), row.broker, row.listener, row.principal]]),
    "No client is connected.");
}

/** The offer to record events, where the journal is off. */
export function journalOff(act) {
  return h("div", { class: "empty", "data-key": "journal-off" },
    h("p", {}, "The journal is off, so no events are recorded."),
    h("button", { type: "button", on: { click: () => act(() => ask("PUT", "/journal", { on: true }), "The journal records events from now on.") } }, "Record events"));
}
