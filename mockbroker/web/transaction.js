// A transactional id: its states over time, its partitions, who held it, what it waits for.

import { ask, get, path } from "./api.js";
import { transactionCommands } from "./commands/transactions.js";
import { h } from "./dom.js";
import { badge, card, code, facts, link, table, title } from "./parts.js";
import { still } from "./picture.js";
import { dateTime, duration, plural } from "./text.js";

export const transaction = {
  title: "Transaction",
  wants: (changes, { parts }) => changes.transactions.includes(parts[1]) || changes.topics.length > 0 || changes.clock || changes.is_all || changes.cluster,
  async load({ parts: [, id] }) {
    const [view, picture, hanging, { brokers }] = await Promise.all([
      get(path(["transactions", id])),
      get(path(["pictures", "transactions", id])),
      get(path(["views", "transactions"], { search: "Hanging", limit: 50 })),
      get("/brokers"),
    ]);
    return { view, picture, brokers: brokers.map((each) => each.id), isJournalOn: picture.is_recorded, hanging: hanging.transactions.filter((each) => each.transactional_id === id) };
  },
  render: ({ view, picture, brokers, hanging, isJournalOn }, { nowMs, act }) => [
    title(view.transactional_id, [badge(view.state), view.pending_state && [" → ", badge(view.pending_state)], " · coordinator: broker ", view.coordinator], transactionCommands(view.transactional_id, { act, brokers })),
    hanging.map((each) =>
      h("div", { class: "banner bad", role: "alert", "data-key": `hanging-${each.topic}-${each.partition}` },
        h("p", {}, h("strong", {}, "Hanging transaction"), " of its producer in ", code(`${each.topic}-${each.partition}`), ` since offset ${each.first_offset}.`),
        link(["topics", each.topic, each.partition], "Show the partition", { class: "button" }))),
    card("Now", "now", null,
      facts([
        ["Held by producer", `${view.producer_id}, epoch ${view.producer_epoch}`],
        ["Epoch before", view.last_producer_epoch < 0 ? "none" : view.last_producer_epoch],
        ["Transaction timeout", duration(view.timeout_ms)],
        view.started_at_ms !== null && /^(Ongoing|Prepare)/.test(view.state) && ["Open since", `${dateTime(view.started_at_ms)} (${duration(nowMs() - view.started_at_ms)})`],
        ["Last change", dateTime(view.updated_at_ms)],
      ]),
      h("ul", { class: "notes", "aria-label": "What it waits for" }, picture.notes.map((note) => h("li", {}, note)))),
    card("States over time", "states", isJournalOn ? null : h("button", { type: "button", class: "small", on: { click: () => act(() => ask("PUT", "/journal", { on: true }), "The journal records events from now on.") } }, "Record events"),
      isJournalOn ? still(view.transactional_id, picture.svg) : h("p", { class: "empty" }, "The journal is off, so earlier states are not known.")),
    card(`In ${plural(view.partitions.length, "partition")}`, "partitions", null,
      table("Partitions", [["Partition", ""]], view.partitions.map((each) => [`${each.topic}-${each.partition}`, "", [link(["topics", each.topic, each.partition], `${each.topic}-${each.partition}`)]]), "No transaction is open.")),
  ],
};
