// The form for a fault: it offers what calls of an API, or connections, can carry, and nothing else.

import { get, path } from "../api.js";
import { h } from "../dom.js";
import { call, command, python } from "./command.js";

const NUMBERS = new Set(["version", "partition", "producer_id", "producer_epoch", "base_sequence", "broker", "connection"]);
const LABELS = { answer: "Error", apply_then_answer: "Error", delay: "By", throttle: "By", how: "How", times: "Number of calls", on_call: "Number of the call", with_probability: "Probability", fault: "Fault", epoch_bump: "Transactional id" };
const EXAMPLES = { number: "1", duration: "250ms" };
const words = (name) => name.replaceAll("_", " ");
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** The choice of an API, and the forms for faults. */
export function faultForm(form, { act, choose }) {
  const kinds = Object.fromEntries(form.kinds.map((kind) => [kind.name, kind]));
  const options = { act, done: "The fault was added." };
  return h("div", { class: "row" },
    h("label", {}, "API", h("select", { name: "api", on: { change: (_event, select) => choose(select.value) } }, form.apis.map((api) => h("option", { value: api, selected: api === form.api }, api)))),
    command("Add a fault", {
      ...options, title: `Add a fault on ${form.api}`,
      about: `Only what calls of ${form.api} can carry is offered. Selectors that stay empty match anything.`,
      fields: [...chosen(form.effects, form, kinds, "lose_response"), ...triggers(form, kinds, "once"), ...selectors(form.selectors)],
      build: (values) => request(form.api, values, kinds),
    }),
    command("Add a network fault", {
      ...options, title: "Add a fault on connections",
      about: "It is on the bytes of the connections that match, open ones included, until it is removed. Its trigger counts connections.",
      fields: [...chosen(form.toxics, form, kinds, "latency"), ...triggers(form, kinds, "every_time"), ...selectors(form.connection_selectors)],
      build: (values) => request(undefined, values, kinds),
    }));
}

/** The name, the effect or toxic, and the fields of each. */
const chosen = (names, form, kinds, usual) => [
  { name: "id", label: "Name", placeholder: "chosen by the cluster" },
  { name: "effect", label: "Effect", choices: names.map((name) => [name, words(name)]), value: names.includes(usual) ? usual : names[0] },
  ...names.flatMap((name) => [{ hint: kinds[name].text, when: { effect: [name] } }, ...fieldsOf(kinds[name], { effect: [name] }, form, kinds)]),
];

const triggers = (form, kinds, usual) => [
  { name: "trigger", label: "Fires", choices: form.triggers.map((name) => [name, words(name)]), value: usual },
  ...form.triggers.flatMap((name) => fieldsOf(kinds[name], { trigger: [name] }, form, kinds)),
];

const selectors = (names) => names.map((name) => ({ name: `match-${name}`, label: `Only ${words(name)}` }));

const nameOf = (kind, field) => `${kind.name}-${field.name}`;

/** The fields of a kind, shown while it is chosen. */
function fieldsOf(kind, when, form, kinds) {
  return kind.fields.flatMap((field) => {
    const name = nameOf(kind, field);
    const label = LABELS[field.name] ?? sentence(words(field.name));
    if (field.kind === "event") return untilFields(name, label, when, form, kinds);
    if (field.kind === "error") return { name, label, when, choices: form.errors.map((error) => [error, error]) };
    if (field.kind === "choice") return { name, label, when, choices: field.choices.map((each) => [each, words(each)]), value: field.default ?? field.choices[0] };
    if (field.kind === "flag") return { name, label, when, choices: [["true", "yes"], ["false", "no"]], value: String(field.default) };
    return { name, label, when, type: field.kind === "number" ? "number" : "text", required: field.is_required, value: field.default ?? (field.is_required ? (EXAMPLES[field.kind] ?? "") : "") };
  });
}

/** What ends a hold: a release, a time, or an event. */
const untilFields = (name, label, when, form, kinds) => [
  { name, label, when, choices: [["", "it is released"], ["time", "a time has passed"], ...form.events.map((event) => [event, `event: ${words(event)}`])] },
  { name: `${name}-time`, label: "Time", value: "1s", required: true, when: { ...when, [name]: ["time"] } },
  ...form.events.flatMap((event) => fieldsOf(kinds[event], { ...when, [name]: [event] }, form, kinds).map((field) => ({ ...field, name: `${name}-${field.name}` }))),
];

/** The value of a kind in JSON and in Python. */
function value(kind, values, kinds, prefix = "") {
  const json = {};
  for (const field of kind.fields) {
    const name = prefix + nameOf(kind, field);
    const found = field.kind === "event" ? until(name, values, kinds) : simple(field, values[name]);
    if (field.is_required) json[field.name] = found ?? null; // null while the form is incomplete
    else if (found !== undefined && found !== field.default) json[field.name] = found;
  }
  if (kind.is_nested) return { [kind.name]: json };
  return kind.constant === null ? json : { [kind.name]: kind.constant, ...json };
}

function simple({ kind }, text) {
  if (text === undefined || text === "") return undefined;
  if (kind === "number") return Number(text);
  return kind === "flag" ? text === "true" : text;
}

function until(name, values, kinds) {
  const chosenEvent = values[name];
  if (!chosenEvent) return undefined;
  return chosenEvent === "time" ? values[`${name}-time`] : value(kinds[chosenEvent], values, kinds, `${name}-`);
}

/** A kind as a call in Python; required fields stand first, without their names. */
function code(kind, json, kinds) {
  const fields = kind.is_nested ? json[kind.name] : json;
  const given = kind.fields.filter((field) => fields[field.name] !== undefined);
  const texts = given.map((field) => {
    const found = fields[field.name];
    const text = field.kind === "event" && typeof found === "object" ? event(found, kinds) : python(found);
    return field.is_required ? text : `${field.name}=${text}`;
  });
  return `${kind.name}(${texts.join(", ")})`;
}

/** An event as a call of mockbroker.at. */
function event(json, kinds) {
  if (json.marker !== undefined) return call(`at.${json.marker === "any" ? "marker" : `${json.marker}_marker`}`, [json.topic, json.partition], { producer_id: json.producer_id });
  if (json.records !== undefined) return call("at.records", [json.topic, json.records], { partition: json.partition });
  if (json.log_end_offset !== undefined) return call("at.log_end_offset", [json.topic, json.partition, json.log_end_offset]);
  if (json.fault !== undefined) {
    const { fault, ...counts } = json;
    return call("at.fault", [], counts).replace("(", `(next(each for each in cluster.faults if each.name == ${python(fault)})${Object.keys(counts).length ? ", " : ""}`);
  }
  const name = Object.keys(json)[0];
  return `at.${code(kinds[name], json, kinds)}`;
}

function request(api, values, kinds) {
  const match = api === undefined ? {} : { api };
  for (const [name, text] of Object.entries(values)) {
    const selector = name.replace(/^match-/, "");
    if (name !== selector && text !== "") match[selector] = NUMBERS.has(selector) ? Number(text) : text;
  }
  const effect = value(kinds[values.effect], values, kinds);
  const trigger = value(kinds[values.trigger], values, kinds);
  const body = { ...(values.id ? { id: values.id } : {}), match, trigger, effect };
  const { api: _api, ...named } = match;
  const begun = call("cluster.fault", api === undefined ? [] : [api], { ...named, name: values.id });
  const imported = effect.until && typeof effect.until === "object" ? "from mockbroker import at\n\n" : "";
  return { method: "POST", where: "/faults", body, python: `${imported}${begun}.${code(kinds[values.effect], effect, kinds)}.${code(kinds[values.trigger], trigger, kinds)}` };
}

/** Load the choices for an API. */
export const loadFaultForm = (api) => get(path(["views", "fault-form"], { api }));
