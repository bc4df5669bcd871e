// A group: its members and epochs, their partitions, committed offsets and lag.

import { get, path } from "./api.js";
import { groupCommands, moveShareCoordinator, shareCommands } from "./commands/groups.js";
import { h } from "./dom.js";
import { badge, card, code, facts, link, table, title } from "./parts.js";
import { dateTime, number, plural } from "./text.js";

export const group = {
  title: "Group",
  wants: (changes, { parts }) => changes.groups.includes(parts[1]) || changes.topics.length > 0 || changes.is_all || changes.cluster,
  async load({ parts: [, id] }) {
    const [view, { brokers }, share] = await Promise.all([get(path(["views", "groups", id])), get("/brokers"), get(path(["views", "groups", id, "share"]))]);
    return { ...view, brokers: brokers.map((each) => each.id), share };
  },
  render: (view, { act }) => [
    title(view.group.group_id,
      [badge(view.group.state), ` · ${view.group.kind} group · coordinator: broker ${view.group.coordinator}`, view.group.is_held && [" · ", badge("assignments are held", "warn")]],
      groupCommands(view.group.group_id, { act, brokers: view.brokers, members: memberIds(view), isHeld: view.group.is_held })),
    card("Now", "now", null, facts([
      [view.group.kind === "classic" ? "Generation" : "Group epoch", view.group.group_epoch],
      [view.group.kind === "classic" ? "Assigned generation" : "Assignment epoch", view.group.assignment_epoch],
      ["Members", number(view.members)],
      ["Lag", plural(view.lag, "record")],
    ])),
    card(plural(view.members, "member"), "members", view.members > view.group.members.length && `the first ${view.group.members.length}`,
      table("Members", [["Member", ""], ["Client", ""], ["State", ""], ["Epoch", "number"], ["Has", ""], ["Gives up", ""], ["Will have", ""]],
        view.group.members.map((each) => [each.member_id, "", [
          [code(each.member_id), each.instance_id && [" ", badge(`static: ${each.instance_id}`, "muted")]],
          [code(each.client_id), " ", h("span", { class: "muted" }, each.client_host)],
          badge(each.state, each.state === "STABLE" ? "good" : "warn"),
          each.member_epoch,
          places(each.assigned), places(each.pending_revocation), places(each.target),
        ]]), "The group has no members.")),
    view.group.kind === "share" && shareCards(view, act),
    view.group.kind !== "share" && card("Committed offsets", "offsets", view.offsets > view.rows.length && `the first ${view.rows.length} of ${number(view.offsets)}`,
      table("Committed offsets", [["Partition", ""], ["Committed", "number"], ["Log end", "number"], ["Lag", "number"], ["Member", ""]],
        view.rows.map((row) => [`${row.topic}-${row.partition}`, "", [
          link(["topics", row.topic, row.partition], `${row.topic}-${row.partition}`),
          number(row.committed),
          row.log_end_offset === null ? badge("deleted", "muted") : number(row.log_end_offset),
          row.lag === null ? "–" : h(row.lag ? "b" : "span", {}, number(row.lag)),
          row.member_id === null ? h("span", { class: "muted" }, "nobody") : code(row.member_id),
        ]]), "No offset has been committed.")),
  ],
};

const memberIds = (view) => view.group.members.map((each) => each.member_id);

/** The partitions of a share group, each with its records in flight, and dead letters that are held. */
function shareCards({ group, share, ...view }, act) {
  const id = group.group_id;
  const more = share.total > share.rows.length && `the first ${share.rows.length} of ${number(share.total)}`;
  const commands = h("div", { class: "buttons" }, more, shareCommands(id, { act, members: memberIds({ group }), isHeld: share.holds_dead_letters, waiting: share.waiting_count }));
  return [
    card("Share partitions", "share-partitions", commands,
      table("Share partitions", [["Partition", ""], ["Leader", "number"], ["Coordinator", "number"], ["Window", "number"], ["Done in it", "number"], ["State", ""], ["Commands", ""]],
        share.rows.map(({ share_partition: each }) => [`${each.topic}-${each.partition}`, "", [
          link(["topics", each.topic, each.partition], `${each.topic}-${each.partition}`),
          each.leader, each.share_coordinator,
          each.start_offset < 0 ? "–" : `${number(each.start_offset)}–${number(each.end_offset)}`,
          number(each.delivery_complete_count),
          each.is_loaded ? badge("loaded", "good") : badge("as stored", "muted"),
          moveShareCoordinator(id, each, { act, brokers: view.brokers }),
        ]]), "No share partition has a state yet.")),
    card("Records in flight", "in-flight", null,
      table("Records in flight", [["Partition", ""], ["Offsets", "number"], ["State", ""], ["Deliveries", "number"], ["Member", ""], ["Lock until (state clock)", ""]],
        share.rows.flatMap(({ share_partition: each, in_flight_count: count }) => [
          ...each.in_flight.map((row) => [`${each.topic}-${each.partition}-${row.first_offset}`, "", [
            `${each.topic}-${each.partition}`,
            row.first_offset === row.last_offset ? number(row.first_offset) : `${number(row.first_offset)}–${number(row.last_offset)}`,
            badge(row.state, FLIGHT[row.state]),
            number(row.delivery_count),
            row.member_id === null ? "–" : code(row.member_id),
            row.lock_expires_ms === null ? "–" : dateTime(row.lock_expires_ms),
          ]]),
          ...(count > each.in_flight.length ? [[`${each.topic}-${each.partition}-more`, "", [`${each.topic}-${each.partition}`, `${number(count - each.in_flight.length)} rows more`, "", "", "", ""]]] : []),
        ]), "No record is in flight.")),
    share.holds_dead_letters && card(`${plural(share.waiting_count, "dead letter")} held`, "dead-letters", null,
      share.waiting.length ? h("ol", { class: "notes" }, share.waiting.map((each) => h("li", {}, code(each)))) : h("p", { class: "empty" }, "None waits yet.")),
  ];
}

const FLIGHT = { AVAILABLE: "info", ACQUIRED: "warn", ACKNOWLEDGED: "good", ARCHIVING: "warn", ARCHIVED: "muted" };

const places = (partitions) => h("span", { class: "wrap narrow" }, partitions.length ? partitions.map((each) => `${each.topic}-${each.partition}`).join(", ") : "–");
