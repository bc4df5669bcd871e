// A topic: its partitions, each as a timeline, and the records of a batch.

import { get, orMissing, path } from "./api.js";
import { partitionCommands, replicaCommands, topicCommands } from "./commands/topics.js";
import { h } from "./dom.js";
import { badge, card, code, facts, link, table, title } from "./parts.js";
import { moved, timeline } from "./picture.js";
import { bytes, dateTime, number, plural, timeOfDay } from "./text.js";

const SHOWN = 4;
const ROWS = 50;
const BATCHES = 30;

export const topic = {
  title: "Topic",
  wants: (changes, { parts }) => changes.topics.includes(parts[1]) || changes.is_all || changes.cluster || changes.transactions.length > 0,
  async load({ parts: [, name, index], query }) {
    const page = Number(query.get("page") ?? 1);
    const one = index !== undefined;
    const rows = one ? { limit: 1, offset: index } : { limit: ROWS, offset: (page - 1) * ROWS };
    const view = await get(path(["views", "topics", name], rows));
    const size = one ? { from: query.get("from"), to: query.get("to"), columns: 40 } : { columns: 14 };
    const pictures = view.partitions.slice(0, one ? 1 : SHOWN).map(({ partition }) => get(path(["pictures", "topics", name, "partitions", partition], size)));
    const batch = one && query.get("batch") !== null ? orMissing(get(path(["views", "topics", name, "partitions", index, "batch"], { offset: query.get("batch") }))) : null;
    view.pictures = await Promise.all(pictures);
    const first = view.pictures[0]?.first_offset;
    const log = one && first !== null ? get(path(["topics", name, "partitions", index, "log"], { from: first, limit: BATCHES })) : null;
    const replicas = one ? get(path(["views", "topics", name, "partitions", index, "replicas"])) : null;
    [view.batch, view.log, view.replicas] = await Promise.all([batch, log, replicas]);
    return view;
  },
  render: (view, context) => (context.parts[2] === undefined ? whole(view, context) : single(view, context)),
};

const ofTopic = (view, act) =>
  title(view.name, [plural(view.total, "partition"), " · id ", code(view.topic_id), view.is_internal && [" · ", badge("internal", "muted")]], !view.is_internal && topicCommands(view.name, act));

const ofPartition = (view, index) =>
  title(`${view.name}-${index}`, link(["topics", view.name], `All ${plural(view.total, "partition")} of ${view.name}`));

function hanging(view, index) {
  const found = view.hanging.filter((each) => index === undefined || each.partition === Number(index));
  return found.map((each) =>
    h("div", { class: "banner bad", role: "alert", "data-key": `hanging-${each.partition}-${each.producer_id}` },
      h("p", {}, h("strong", {}, "Hanging transaction"), " of producer ", code(`${each.producer_id} / ${each.producer_epoch}`), ": open in ", code(`${each.topic}-${each.partition}`), ` since offset ${number(each.first_offset)}, and no coordinator will end it.`),
      index === undefined && link(["topics", each.topic, each.partition], "Show the partition", { class: "button" })));
}

function whole(view, context) {
  return [
    ofTopic(view, context.act),
    hanging(view),
    view.pictures.map((picture, at) => partitionCard(view, view.partitions[at], picture, context, ["topics", view.name, view.partitions[at].partition])),
    card("Partitions", "partitions", null,
      table("Partitions", [["Partition", "number"], ["Leader", "number"], ["Epoch", "number"], ["In sync", ""], ["Log start", "number"], ["Last stable", "number"], ["High watermark", "number"], ["Log end", "number"], ["Size", "number"]],
        view.partitions.map((each) => [String(each.partition), "", [
          link(["topics", view.name, each.partition], String(each.partition)),
          each.leader < 0 ? badge("none", "bad") : each.leader,
          each.leader_epoch,
          [each.in_sync_replicas.join(", "), each.in_sync_replicas.length < each.replicas.length && [" ", badge(`of ${each.replicas.join(", ")}`, "warn")]],
          number(each.log_start_offset), number(each.last_stable_offset), number(each.high_watermark), number(each.log_end_offset), bytes(each.size_bytes),
        ]]), "There are no partitions."),
      pages(view, context)),
  ];
}

function pages(view, { query }) {
  const last = Math.ceil(view.total / ROWS);
  if (last <= 1) return null;
  return h("nav", { class: "pages", "aria-label": "Pages" },
    Array.from({ length: last }, (_, at) => h("a", { class: "button", href: `#/topics/${encodeURIComponent(view.name)}?page=${at + 1}`, "aria-current": String(at + 1) === (query.get("page") ?? "1") ? "page" : null }, String(at + 1))));
}

function partitionCard(view, partition, picture, { go, query, act }, parts) {
  const name = `${view.name}-${partition.partition}`;
  const set = (wanted) => go(parts, { from: query.get("from") ?? "", to: query.get("to") ?? "", batch: query.get("batch") ?? "", ...wanted }, { replace: true });
  return card(link(["topics", view.name, partition.partition], name), `partition-${partition.partition}`,
    h("span", { class: "row muted" }, `leader ${partition.leader}, epoch ${partition.leader_epoch} · last stable ${number(partition.last_stable_offset)} of ${number(partition.log_end_offset)}`, h("span", { class: "buttons" }, partitionCommands(view.name, partition, act))),
    timeline(name, picture, {
      move: (step) => set({ from: "", to: "", ...moved(picture, step, partition) }),
      open: (first, last, isFolded) => set(isFolded ? { from: first, to: last + 1 } : { batch: first }),
    }));
}

function single(view, context) {
  const [partition] = view.partitions;
  if (!partition) return [ofPartition(view, context.parts[2]), h("p", { class: "empty" }, "There is no such partition.")];
  const parts = ["topics", view.name, partition.partition];
  return [
    ofPartition(view, partition.partition),
    hanging(view, partition.partition),
    view.pictures.map((picture) => partitionCard(view, partition, picture, context, parts)),
    view.batch && batch(view.batch, context, parts),
    view.replicas && replicaCard(view.name, partition, view.replicas.replicas, context.act),
    view.log && card("Batches in view", "batches", null, batches(view.log.batches, context, parts)),
  ];
}

/** The replicas of a partition: where the log of each ends, and what it knows. */
function replicaCard(name, { partition, leader, log_end_offset: end }, rows, act) {
  return card("Replicas", "replicas", null,
    table("Replicas", [["Broker", ""], ["State", ""], ["Log start", "number"], ["Last stable", "number"], ["High watermark", "number"], ["Log end", "number"], ["Leader epochs", ""], ["Producers", ""], ["Commands", ""]],
      rows.map((row) => [String(row.broker), "", [
        [code(row.broker), row.broker === leader && [" ", badge("leader", "info")]],
        [row.is_in_sync ? badge("in sync", "good") : badge("not in sync", "bad"), !row.fetches && [" ", badge("does not fetch", "warn")], row.holds_offsets && [" ", badge("offsets held", "warn")]],
        number(row.log_start_offset), number(row.last_stable_offset), number(row.high_watermark),
        [number(row.log_end_offset), row.log_end_offset < end && [" ", badge(`−${number(end - row.log_end_offset)}`, "warn")]],
        cut(row.leader_epochs.slice(-3).map((each) => `${each.leader_epoch} @ ${number(each.start_offset)}`), row.epoch_count),
        cut(row.producers.slice(0, 3).map(known), row.producer_count),
        h("div", { class: "buttons" }, replicaCommands(name, partition, row, leader, act)),
      ]]), "There are no replicas."));
}

const known = (producer) => `${producer.producer_id} / ${producer.producer_epoch}${producer.current_txn_first_offset < 0 ? "" : ` open @ ${number(producer.current_txn_first_offset)}`}`;
/** Texts below each other; where some are left out, with the number of all. */
const cut = (texts, count) => (count === 0 ? "–" : [...texts, count > texts.length && `of ${number(count)}`].filter(Boolean).map((text) => h("div", {}, text)));

function batches(rows, { go, query }, parts) {
  const open = (offset) => go(parts, { from: query.get("from") ?? "", to: query.get("to") ?? "", batch: offset }, { replace: true });
  return table("Batches", [["Offsets", "number"], ["Kind", ""], ["Producer", "number"], ["Sequence", "number"], ["Leader epoch", "number"], ["Time", ""], ["Size", "number"], ["Records", "number"]],
    rows.map((row) => [String(row.base_offset), query.get("batch") === String(row.base_offset) ? "chosen" : "", [
      range(row.base_offset, row.last_offset),
      row.marker ? badge(`${row.marker.toUpperCase()} marker`, row.marker === "commit" ? "good" : "warn") : row.is_transactional ? badge("transactional", "info") : badge("plain", "muted"),
      row.producer_id < 0 ? "–" : `${row.producer_id} / ${row.producer_epoch}`,
      row.base_sequence < 0 ? "–" : range(row.base_sequence, row.last_sequence),
      row.leader_epoch,
      timeOfDay(row.timestamp_ms),
      bytes(row.size_bytes),
      row.marker ? "–" : h("button", { type: "button", class: "small", "aria-label": `Decode ${plural(row.records, "record")} at offset ${row.base_offset}`, on: { click: () => open(row.base_offset) } }, `Decode ${number(row.records)}`),
    ]]), "The log is empty.");
}

const range = (first, last) => (first === last ? number(first) : `${number(first)}–${number(last)}`);

function batch(view, { go, query }, parts) {
  const { batch: head, records } = view;
  const close = () => go(parts, { from: query.get("from") ?? "", to: query.get("to") ?? "" }, { replace: true });
  return card(`Batch at offset ${range(head.base_offset, head.last_offset)}`, "batch",
    h("button", { type: "button", class: "small", on: { click: close } }, "Close"),
    facts([
      ["Producer", head.producer_id < 0 ? "not idempotent" : `${head.producer_id}, epoch ${head.producer_epoch}`],
      ["Sequences", head.base_sequence < 0 ? "–" : range(head.base_sequence, head.last_sequence)],
      ["Transactional", head.marker ? `${head.marker} marker` : head.is_transactional ? "yes" : "no"],
      ["Latest timestamp", dateTime(head.timestamp_ms)],
      ["Compression", head.compression],
      ["Size", bytes(head.size_bytes)],
    ]),
    head.marker ? null : table("Records", [["Offset", "number"], ["Time", ""], ["Sequence", "number"], ["Key", ""], ["Value", ""], ["Headers", ""]],
      records.map((record) => [String(record.offset), "", [
        number(record.offset), timeOfDay(record.timestamp_ms), record.sequence < 0 ? "–" : record.sequence, content(record.key), content(record.value),
        record.headers.map(({ key, value }) => h("div", {}, code(key), " = ", content(value))),
      ]]), "There are no records."),
    view.is_cut && h("p", { class: "empty" }, `The first ${records.length} records; long values are cut.`));
}

function content(value) {
  if (value === null) return h("span", { class: "muted" }, "null");
  if (value.text !== null) return h("code", { class: "wrap" }, value.text);
  return h("code", { class: "wrap", title: "base64" }, value.base64);
}
