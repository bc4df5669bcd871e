// Events of the journal.

import { get } from "./api.js";
import { scenario } from "./commands/command.js";
import { h } from "./dom.js";
import { journalOff } from "./overview.js";
import { badge, card, code, link, table, title } from "./parts.js";
import { plural, timeOfDay } from "./text.js";

export const events = {
  title: "Events",
  wants: () => true,
  load: () => get("/views/events"),
  render: (view, { act }) => [
    title("Events", "The last rows of the journal, the newest first."),
    view.is_on || view.entries.length ? card("Journal", "journal", scenario(), eventRows(view.entries.toReversed())) : journalOff(act),
  ],
};

/** Rows of events, with the two clocks: the state's, and real time. */
export function eventRows(rows) {
  const counts = new Map(); // an entry of several partitions has several rows
  const keyOf = (row) => {
    counts.set(row.seq, (counts.get(row.seq) ?? 0) + 1);
    return `${row.seq}-${counts.get(row.seq)}`;
  };
  return table("Events", [["#", "number"], ["State clock", ""], ["Real time", "wall"], ["Event", ""], ["Where", ""], ["What", ""]],
    rows.map((row) => [keyOf(row), row.error && row.error !== "NONE" ? "failed" : "", [
      String(row.seq),
      timeOfDay(row.virtual_time_ms),
      timeOfDay(row.wall_time_us / 1000),
      [badge(row.kind, row.error && row.error !== "NONE" ? "bad" : "muted"), row.api && [" ", row.api]],
      where(row),
      h("span", { class: "wrap" }, what(row)),
    ]]), "No events yet.");
}

function where(row) {
  if (row.topic !== undefined && row.partition !== undefined) return link(["topics", row.topic, row.partition], `${row.topic}-${row.partition}`);
  if (row.topic !== undefined) return link(["topics", row.topic], row.topic);
  if (row.transactional_id !== undefined) return link(["transactions", row.transactional_id], row.transactional_id);
  if (row.group !== undefined) return link(["groups", row.group], row.group);
  return row.client_id === undefined ? "" : code(row.client_id);
}

function what(row) {
  const found = [];
  if (row.state_after !== undefined) found.push(`${row.state_before ?? "new"} → ${row.state_after}`);
  if (row.error && row.error !== "NONE") found.push(row.error);
  if (row.marker) found.push(row.marker);
  if (row.base_offset !== undefined) found.push(`offset ${row.base_offset}`);
  if (row.record_count !== undefined) found.push(plural(row.record_count, "record"));
  if (row.producer_id !== undefined && row.producer_id >= 0) found.push(`producer ${row.producer_id} / ${row.producer_epoch}`);
  if (row.base_sequence !== undefined && row.base_sequence >= 0) found.push(`sequence ${row.base_sequence}`);
  if (row.rule) found.push(`fault ${row.rule}`);
  if (row.effect) found.push(row.effect);
  if (row.detail) found.push(...details(row.detail));
  return found.join(" · ");
}

/** The further facts of an entry: pairs of a name and a value where they are JSON, else as they are. */
function details(text) {
  try {
    return Object.entries(JSON.parse(text)).map(([name, value]) => `${name.replaceAll("_", " ")} ${typeof value === "object" ? shown(value) : value}`);
  } catch {
    return [text];
  }
}

const shown = (value) => (Array.isArray(value) ? value.map((each) => (typeof each === "object" ? JSON.stringify(each) : each)).join(", ") || "none" : JSON.stringify(value));
