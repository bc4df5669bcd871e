// Results of a search: names, ids, keys of records, error codes.

import { get, path } from "./api.js";
import { h } from "./dom.js";
import { badge, card, code, link, table, title } from "./parts.js";
import { number, timeOfDay } from "./text.js";

export const search = {
  title: "Search",
  wants: () => false,
  load: ({ query }) => get(path(["views", "search"], { text: query.get("text") })),
  render: (view, { query }) => [
    title(["Search for ", code(query.get("text"))], view.are_all_records_searched ? "All records were searched." : "Only the newest records were searched, or more keys match."),
    names("Topics", "topics", view.topics),
    names("Transactional ids", "transactions", view.transactions),
    names("Groups", "groups", view.groups),
    card("Keys of records", "records", null, table("Keys", [["Key", ""], ["Partition", ""], ["Offset", "number"]],
      view.records.map((each) => [`${each.topic}-${each.partition}-${each.offset}`, "", [code(each.key), h("a", { href: `#/topics/${encodeURIComponent(each.topic)}/${each.partition}?batch=${each.base_offset}` }, `${each.topic}-${each.partition}`), number(each.offset)]]), "No key contains it.")),
    card("Errors", "errors", null, table("Errors", [["#", "number"], ["Error", ""], ["API", ""], ["State clock", ""], ["Real time", ""], ["Where", ""]],
      view.errors.map((each, at) => [`${each.seq}-${at}`, "", [String(each.seq), badge(each.error, "bad"), each.api ?? "–", timeOfDay(each.virtual_time_ms), timeOfDay(each.wall_time_ms), where(each)]]), "No client got such an error while the journal was on.")),
  ],
};

const names = (title, kind, found) =>
  found.length === 0 ? null : card(title, kind, null, h("ul", { class: "names" }, found.map((name) => h("li", {}, link([kind, name], name)))));

function where(row) {
  if (row.topic !== null && row.partition !== null) return link(["topics", row.topic, row.partition], `${row.topic}-${row.partition}`);
  if (row.transactional_id !== null) return link(["transactions", row.transactional_id], row.transactional_id);
  if (row.group !== null) return link(["groups", row.group], row.group);
  return row.client_id ?? "–";
}
