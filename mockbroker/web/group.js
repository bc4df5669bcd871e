// A group: its members and epochs, their partitions, committed offsets and lag.

import { get, path } from "./api.js";
import { groupCommands } from "./commands.js";
import { h } from "./dom.js";
import { badge, card, code, facts, link, table } from "./parts.js";
import { number, plural } from "./text.js";

export const group = {
  title: "Group",
  wants: (changes, { parts }) => changes.groups.includes(parts[1]) || changes.topics.length > 0 || changes.is_all || changes.cluster,
  async load({ parts: [, id] }) {
    const [view, { brokers }] = await Promise.all([get(path(["views", "groups", id])), get("/brokers")]);
    return { ...view, brokers: brokers.map((each) => each.id) };
  },
  render: (view, { act }) => [
    h("div", { class: "title", "data-key": "title" },
      h("h1", {}, view.group.group_id),
      h("p", {}, badge(view.group.state), ` · ${view.group.kind} group · coordinator: broker ${view.group.coordinator}`, view.group.is_held && [" · ", badge("assignments are held", "warn")])),
    h("div", { class: "buttons", role: "group", "aria-label": "Commands", "data-key": "commands" }, groupCommands(view.group.group_id, { act, brokers: view.brokers, members: view.group.members.map((each) => each.member_id) })),
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
    card("Committed offsets", "offsets", view.offsets > view.rows.length && `the first ${view.rows.length} of ${number(view.offsets)}`,
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

const places = (partitions) => h("span", { class: "wrap narrow" }, partitions.length ? partitions.map((each) => `${each.topic}-${each.partition}`).join(", ") : "–");
