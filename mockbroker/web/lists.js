// Lists: each shows a part, and asks the server for another one.

import { get, path } from "./api.js";
import { h } from "./dom.js";
import { clusterCommands, delayMarkers } from "./commands/brokers.js";
import { faultForm, loadFaultForm } from "./commands/fault_form.js";
import { createTopic } from "./commands/topics.js";
import { brokers, connections, faults, groups, topics, transactions } from "./overview.js";
import { card, code, title } from "./parts.js";
import { number } from "./text.js";

const ROWS = 50;

/** A list of the server, with a filter and pages; `commands` are those of the whole list. */
function list(name, heading, about, rows, wants, commands = () => null) {
  return {
    title: heading,
    wants,
    load: ({ query }) =>
      get(path(["views", name], { limit: ROWS, offset: (Number(query.get("page") ?? 1) - 1) * ROWS, search: query.get("filter") ?? "" })),
    render: (view, { query, go, nowMs, act }) => [
      title(heading, about, commands(act)),
      card(`${number(view.total)} found`, name, filter(name, query, go), rows(view[name], nowMs()), pages(name, view.total, query)),
    ],
  };
}

function filter(name, query, go) {
  const on = {
    input: (_event, input) => go([name], { filter: input.value }, { replace: true }),
  };
  return h("input", { type: "search", class: "filter", "aria-label": `Filter ${name}`, placeholder: "Filter", value: query.get("filter") ?? "", on, "data-key": "filter" });
}

function pages(name, total, query) {
  const last = Math.max(1, Math.ceil(total / ROWS));
  const page = Number(query.get("page") ?? 1);
  if (last === 1) return null;
  const to = (number, text) => {
    const wanted = new URLSearchParams(query);
    wanted.set("page", number);
    const isOff = number < 1 || number > last;
    return isOff ? h("span", { class: "button off" }, text) : h("a", { class: "button", href: `#/${name}?${wanted}` }, text);
  };
  return h("nav", { class: "pages", "aria-label": "Pages" }, to(page - 1, "Previous"), h("span", {}, `Page ${page} of ${last}`), to(page + 1, "Next"));
}

const changed = (names) => (changes) => names.some((name) => (Array.isArray(changes[name]) ? changes[name].length > 0 : changes[name])) || changes.is_all || changes.cluster;

export const topicList = list("topics", "Topics", "Topics with a hanging transaction come first, internal ones last.", topics, changed(["topics", "transactions"]), createTopic);
export const transactionList = list("transactions", "Transactions", "Hanging transactions come first, then open ones, the oldest first.", transactions, changed(["topics", "transactions", "clock"]), delayMarkers);
export const groupList = list("groups", "Groups", "Groups of all kinds, from their coordinators.", groups, changed(["groups", "topics"]));

export const faultList = {
  title: "Faults",
  wants: changed(["faults"]),
  async load({ query }) {
    const [view, form] = await Promise.all([get("/faults"), loadFaultForm(query.get("api") ?? "Produce")]);
    return { ...view, form };
  },
  render: (view, context) => [
    title("Faults", "In the order of their creation: the first is the outermost."),
    card("New fault", "new-fault", null, faultForm(view.form, { act: context.act, choose: (api) => context.go(["faults"], { api }, { replace: true }) })),
    card("Faults", "faults", null, faults(view.faults, context.act)),
  ],
};

export const brokerList = {
  title: "Brokers",
  wants: changed(["connections", "topics"]),
  load: () => get("/views/overview"),
  render: (view, { act }) => [
    title("Brokers and connections", ["Cluster ", code(view.cluster.cluster_id)], clusterCommands(act)),
    card("Brokers", "brokers", null, brokers(view.brokers, act)),
    card("Connections", "connections", view.counts.connections > view.connections.length ? `The first ${view.connections.length} of ${number(view.counts.connections)}` : null, connections(view.connections)),
  ],
};
